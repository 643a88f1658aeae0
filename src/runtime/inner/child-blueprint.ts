import type { RunState } from "../../engine/state.ts";
import { budgetsOf, type Spent, unsaidIn } from "../../engine/limits/usage.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Usage } from "../../model/outcome.ts";
import type { BudgetShare, RecordSettings, RunLimits } from "../../model/settings.ts";

/** The run around one inside it. */
export interface Around {
  readonly run: string;
  readonly blueprint: Blueprint;
  readonly state: RunState;
  /** What earlier attempts of the pass have used of models in the same run inside. */
  readonly counted: Usage | undefined;
}

/**
 * Its budget is what is left of the run around it, nothing where nobody knows; its folder is that
 * run's; what is protected and recorded there is so inside too.
 */
export function within(around: Around, blueprint: Blueprint): Blueprint {
  const { blueprint: outer } = around;
  const limits = budgetsOf(around.state).reduce((bounds, budget) => boundBy(bounds, budget, around), blueprint.limits);
  const protect = [...new Set([...(blueprint.workspace.protect ?? []), ...(outer.workspace.protect ?? [])])];
  // The tree is the caller's: whether attempts in it begin anew is the caller's to say.
  const { checkpoint } = outer.workspace;
  const workspace = {
    ...(protect.length === 0 ? {} : { protect }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
  return { ...blueprint, limits, workspace, records: recordsWithin(outer.records, blueprint.records) };
}

/** Its own bound, where that is no more than what is left of the budget. */
function boundBy(bounds: RunLimits, { of, limit, used }: Spent, around: Around): RunLimits {
  const { run, state, counted } = around;
  const unsaid = unsaidIn(state);
  const before = used - (of === "tokens" ? tokensOf(counted) : (counted?.cost ?? 0));
  const left = unsaid === null ? Math.max(0, limit - before) : 0;
  const currency = around.blueprint.limits.cost?.currency ?? "USD";
  const own = of === "tokens" ? bounds.tokens : bounds.cost?.currency === currency ? bounds.cost.amount : undefined;
  if (own !== undefined && own <= left) return bounds;
  // What is left of what is left is told of whose it is.
  const outer = state.limits.leftOf?.[of];
  const whole = { run: outer?.run ?? run, limit: outer?.limit ?? limit, used: (outer?.used ?? 0) + before };
  const share: BudgetShare = unsaid === null ? whole : { ...whole, unsaid };
  const bound = of === "tokens" ? { tokens: left } : { cost: { amount: left, currency } };
  return { ...bounds, ...bound, leftOf: { ...bounds.leftOf, [of]: share } };
}

/** What is written of a run and all inside it, is written where the outermost says. */
function recordsWithin({ state, counters }: RecordSettings, own: RecordSettings): RecordSettings {
  const { state: _, counters: __, ...rest } = own;
  return {
    ...rest,
    ...(state === undefined ? {} : { state }),
    ...(counters === undefined ? {} : { counters }),
  };
}

function tokensOf(usage: Usage | undefined): number {
  return usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;
}
