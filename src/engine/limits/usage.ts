import { item } from "../../graph/ints.ts";
import type { NodeResult } from "../../model/outcome.ts";
import { addUsage, usageOf } from "../../model/usage.ts";
import type { RunState } from "../state.ts";

/** Adds what an attempt used; null for one that has no result. */
export function settleUsage(state: RunState, node: number, result: NodeResult | null): void {
  const reported = state.spending.get(node);
  const used = result === null ? reported : usageOf(item(state.plan.ids, node), result, reported);
  state.spending.delete(node);
  if (used !== undefined) state.usage = addUsage(state.usage, used);
}

/** An agent of which nobody knows what it used, in this run or inside it; null where all have said so. */
export function unsaidIn({ usage, spending }: RunState): string | null {
  return usage.unsaid ?? [...spending.values()].find(({ unsaid }) => unsaid !== undefined)?.unsaid ?? null;
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
    found.push({
      of: "tokens",
      limit: tokens,
      used,
      text:
        tokens === 0
          ? `nothing is left of limits.tokens ${around}`
          : `limits.tokens is ${tokens}, and ${used} are used`,
    });
  }
  if (cost !== undefined) {
    const used = all.reduce((sum, one) => sum + (one.cost ?? 0), state.usage.cost ?? 0);
    const text =
      cost.amount === 0
        ? `nothing is left of limits.cost ${around}`
        : `limits.cost is ${cost.amount} ${cost.currency}, and ${used} is used`;
    found.push({ of: "cost", limit: cost.amount, used, text });
  }
  return found;
}

/** No document says zero: it is what a budget has left for a run inside. */
const around = "of the run around this one, as far as is known there";

function tokensOf({ usage }: RunState): number {
  return usage.inputTokens + usage.outputTokens;
}

/** The budget that agents at work have gone beyond, or null. */
export function overspent(state: RunState): Spent | null {
  if (state.spending.size === 0) return null;
  return budgetsOf(state).find(({ used, limit }) => used > limit) ?? null;
}
