import { item } from "../../graph/ints.ts";
import type { NodeResult, Usage } from "../../model/outcome.ts";
import { addUsage } from "../../model/usage.ts";
import type { RunState } from "../state.ts";

/** Adds what an attempt used: what its result says, else the last it reported. */
export function settleUsage(state: RunState, node: number, result: Usage | undefined): void {
  const used = result ?? state.spending.get(node);
  state.spending.delete(node);
  if (used !== undefined) state.usage = addUsage(state.usage, used);
}

/** An agent that was at work and has not said what it used, in its result or before. Of such a run nobody knows what is left of a budget. */
export function settleUnsaid(state: RunState, node: number, result: NodeResult): void {
  if (result.agent !== undefined && result.usage === undefined && !state.spending.has(node))
    state.unsaid = item(state.plan.ids, node);
}

/** How far a budget of the run is used, attempts at work included. */
export interface Spent {
  readonly of: "tokens" | "cost";
  readonly limit: number;
  readonly used: number;
  readonly text: string;
}

/** The budgets that the run has; a cost that is not known bounds nothing. */
export function budgetsOf(state: RunState): Spent[] {
  const { tokens, cost } = state.limits;
  if (tokens === undefined && cost === undefined) return [];
  const all = [...state.spending.values()];
  const found: Spent[] = [];
  if (tokens !== undefined) {
    const used = all.reduce((sum, one) => sum + one.inputTokens + one.outputTokens, tokensOf(state));
    found.push({ of: "tokens", limit: tokens, used, text: `limits.tokens is ${tokens}, and ${used} are used` });
  }
  if (cost !== undefined) {
    const used = all.reduce((sum, one) => sum + (one.cost ?? 0), state.usage.cost ?? 0);
    const text = `limits.cost is ${cost.amount} ${cost.currency}, and ${used} is used`;
    found.push({ of: "cost", limit: cost.amount, used, text });
  }
  return found;
}

function tokensOf({ usage }: RunState): number {
  return usage.inputTokens + usage.outputTokens;
}

/** The budget that agents at work have gone beyond, or null. */
export function overspent(state: RunState): Spent | null {
  if (state.spending.size === 0) return null;
  return budgetsOf(state).find(({ used, limit }) => used > limit) ?? null;
}
