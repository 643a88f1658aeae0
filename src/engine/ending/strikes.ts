import { at, item } from "../../graph/ints.ts";
import type { RunHalting } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Usage } from "../../model/outcome.ts";
import type { Money } from "../../model/settings.ts";
import { capOf, isAgentic } from "../limits/caps.ts";
import { escalates, halting } from "./halts.ts";
import type { RunState } from "../state.ts";
import { budgetsOf, budgetText, unsaidBudgets, unsaidIn, unsaidText } from "../limits/usage.ts";

/** The halt that forbids a pass of this node to begin now, or null. */
export function strikeAt(state: RunState, node: number): RunHalting | null {
  const id = item(state.plan.ids, node);
  const steps = mostSteps(state);
  if (steps !== null && state.starts >= steps) {
    const lasting = state.maxSteps !== null;
    const text = `${lasting ? "--max-steps" : "limits.steps"} is ${steps}, and ${id} would be start ${state.starts + 1}`;
    return { ...halting(state, "limit", node, { code: "limit", text }), ...(lasting && { lasting }) };
  }
  return strikeOfCap(state, node) ?? strikeOfBudget(state, node);
}

/** The most starts, or null. */
function mostSteps({ plan, limits: bound, maxSteps }: RunState): number | null {
  return maxSteps ?? bound.steps ?? (plan.loops.length > 0 ? limits.stepsWithLoopDefault : null);
}

/** The halt that its used-up cap calls for, or null. */
export function strikeOfCap(state: RunState, node: number): RunHalting | null {
  const cap = capOf(state, node);
  if (cap === null || at(state.charged, node) < cap) return null;
  const cause = escalates(state, "cap") ? "escalated" : "limit";
  const source = missBefore(state, node);
  const why = source === null ? "" : `; ${source.id}: ${source.text}`;
  const halt = halting(state, cause, node, { code: "cap", text: `its cap of ${passes(cap)} is used up${why}` });
  return source === null ? halt : { ...halt, evidence: source.id };
}

function passes(count: number): string {
  return count === 1 ? "1 pass" : `${count} passes`;
}

/** What made the capped node due again, where that was a miss: its output is the evidence. */
function missBefore(state: RunState, node: number): { readonly id: string; readonly text: string } | null {
  const { from, inStart, inArcs } = state.plan.graph;
  for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
    const arc = at(inArcs, i);
    const miss = at(state.full, arc) === 1 ? state.misses.get(at(from, arc)) : undefined;
    if (miss !== undefined) return { id: item(state.plan.ids, at(from, arc)), text: miss.reason.text };
  }
  return null;
}

/** The halt that a budget without anything left calls for, or null. */
export function strikeOfBudget(state: RunState, node: number): RunHalting | null {
  if (!isAgentic(state, node)) return null;
  const text = strikeOfUnsaid(state) ?? budgetsOf(state).find(({ used, limit }) => used >= limit)?.text;
  if (text === undefined) return null;
  return { ...halting(state, "limit", node, { code: "limit", text }), ...unsaidBudgets(state) };
}

/** A budget of which nobody knows how much is used is used up. */
function strikeOfUnsaid(state: RunState): string | null {
  const { tokens, cost } = state.limits;
  const { usage } = state;
  const unsaid = unsaidIn(state);
  if (tokens !== undefined && unsaid !== null)
    return `${budgetText(state.limits, "tokens")}, and ${unsaidText(unsaid, "tokens")}`;
  if (cost === undefined) return null;
  if (unsaid !== null) return `${budgetText(state.limits, "cost")}, and ${unsaidText(unsaid, "cost")}`;
  const strange = usage.cost === undefined ? "cost is not known" : `is counted in ${usage.currency}`;
  return isCostKnown(usage, cost) ? null : `${budgetText(state.limits, "cost")}, and what has been used ${strange}`;
}

/** Whether a limit can be held against what was used. */
function isCostKnown({ inputTokens, outputTokens, turns, cost, currency }: Usage, limit: Money): boolean {
  if (cost === undefined) return inputTokens + outputTokens + turns === 0;
  return cost === 0 || currency === undefined || currency === limit.currency;
}
