import type { RunState } from "../../engine/state.ts";
import { budgetsOf, unsaidIn } from "../../engine/limits/usage.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Usage } from "../../model/outcome.ts";
import type { RecordSettings } from "../../model/settings.ts";

/** The run around one inside it. */
export interface Around {
  readonly blueprint: Blueprint;
  readonly state: RunState;
  /** What earlier attempts of the pass have used of models in the same runs. */
  readonly counted: Usage | undefined;
}

/**
 * Its budget is what is left of the run around it, nothing where nobody knows; its folder is that
 * run's; what is protected and recorded there is so inside too.
 */
export function within({ blueprint: around, state, counted }: Around, blueprint: Blueprint): Blueprint {
  const bounds = { ...blueprint.limits };
  const isUnknown = unsaidIn(state) !== null;
  for (const { of, limit, used } of budgetsOf(state)) {
    const before = of === "tokens" ? tokensOf(counted) : (counted?.cost ?? 0);
    const left = isUnknown ? 0 : Math.max(0, limit - used + before);
    if (of === "tokens") Object.assign(bounds, { tokens: Math.min(left, bounds.tokens ?? left) });
    else {
      const currency = around.limits.cost?.currency ?? "USD";
      const own = bounds.cost?.currency === currency ? bounds.cost.amount : left;
      Object.assign(bounds, { cost: { amount: Math.min(left, own), currency } });
    }
  }
  const protect = [...new Set([...(blueprint.workspace.protect ?? []), ...(around.workspace.protect ?? [])])];
  // The tree is the caller's: whether attempts in it begin anew is the caller's to say.
  const { checkpoint } = around.workspace;
  const workspace = {
    ...(protect.length === 0 ? {} : { protect }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
  return { ...blueprint, limits: bounds, workspace, records: recordsWithin(around.records, blueprint.records) };
}

/** What is written of a run and all inside it, is written where the outermost says. */
export function recordsWithin({ state, counters }: RecordSettings, own: RecordSettings): RecordSettings {
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
