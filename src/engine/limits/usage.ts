import { item } from "../../graph/ints.ts";
import type { RunHalting } from "../../model/events.ts";
import type { Budget, NodeResult, Usage } from "../../model/outcome.ts";
import { addUsage, usageOf } from "../../model/usage.ts";
import type { RunLimits } from "../../model/settings.ts";
import type { RunState } from "../state.ts";

/** Adds what an attempt used, in place of what it has reported. */
export function settleUsage(state: RunState, node: number, used: Usage | undefined): void {
  state.spending.delete(node);
  if (used !== undefined) state.usage = addUsage(state.usage, used);
}

/** An agent of which nobody knows what it used, in this run or inside it; null where all have said so. */
export function unsaidIn({ usage, spending }: RunState): string | null {
  return usage.unsaid ?? [...spending.values()].find(({ unsaid }) => unsaid !== undefined)?.unsaid ?? null;
}

/** The budgets, its own or of a run around it, of which therefore nobody knows what is left. */
export function unsaidBudgets(state: RunState): Pick<RunHalting, "unsaid"> {
  const { leftOf, ...limits } = state.limits;
  const inside = unsaidIn(state) !== null;
  const unsaid = (["tokens", "cost"] as const).filter(
    (of) => limits[of] !== undefined && (inside || leftOf?.[of]?.unsaid !== undefined),
  );
  return unsaid.length === 0 ? {} : { unsaid };
}

/** How far a budget of the run is used, attempts at work included. */
export interface Spent {
  readonly of: Budget;
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
    found.push({ of: "tokens", limit: tokens, used, text: spentText(state.limits, "tokens", used) });
  }
  if (cost !== undefined) {
    const used = all.reduce((sum, one) => sum + (one.cost ?? 0), state.usage.cost ?? 0);
    found.push({ of: "cost", limit: cost.amount, used, text: spentText(state.limits, "cost", used) });
  }
  return found;
}

function spentText(bounds: RunLimits, of: Budget, used: number): string {
  const [share, are] = [bounds.leftOf?.[of], of === "tokens" ? "are" : "is"];
  if (share?.unsaid !== undefined) return `${budgetText(bounds, of)}, and ${unsaidText(share.unsaid, of)} there`;
  if (share !== undefined)
    return `${budgetText(bounds, of)}: ${share.used} ${are} used there and ${used} in the run inside; raise it there`;
  // No document says zero: an older version did not tell whose budget has nothing left.
  if ((of === "tokens" ? bounds.tokens : bounds.cost?.amount) === 0)
    return `nothing is left of limits.${of} of the run around this one, as far as is known there`;
  return `${budgetText(bounds, of)}, and ${used} ${are} used`;
}

/** How much a budget is, and of which run where it is that of one around. */
export function budgetText({ tokens, cost, leftOf }: RunLimits, of: Budget): string {
  const share = leftOf?.[of];
  const amount = share?.limit ?? (of === "tokens" ? tokens : cost?.amount) ?? 0;
  const currency = of === "cost" && cost !== undefined ? ` ${cost.currency}` : "";
  return `limits.${of}${share === undefined ? "" : ` of run ${share.run}`} is ${amount}${currency}`;
}

export function unsaidText(agent: string, of: Budget): string {
  return `agent ${agent} has not said ${of === "tokens" ? "how many" : "what"} it used`;
}

function tokensOf({ usage }: RunState): number {
  return usage.inputTokens + usage.outputTokens;
}

/** Whether an attempt that has ended so leaves nothing of a budget, so that no other one may begin. */
export function isSpentAfter(state: RunState, node: number, result: NodeResult): boolean {
  const spending = new Map(state.spending);
  const said = usageOf(item(state.plan.ids, node), result, spending.get(node));
  if (said !== undefined) spending.set(node, said);
  return budgetsOf({ ...state, spending }).some(({ used, limit }) => used >= limit);
}

/** The budget that agents at work have gone beyond, or null. */
export function overspent(state: RunState): Spent | null {
  if (state.spending.size === 0) return null;
  return budgetsOf(state).find(({ used, limit }) => used > limit) ?? null;
}
