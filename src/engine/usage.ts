import type { Usage } from "../model/outcome.ts";
import type { RunState } from "./state.ts";

/** Adds what an attempt used. One report without a cost makes the cost of the run unknown. */
export function addUsage(state: RunState, used: Usage | undefined): void {
  if (used === undefined) return;
  const { usage } = state;
  usage.inputTokens += used.inputTokens;
  usage.outputTokens += used.outputTokens;
  usage.turns += used.turns;
  usage.reports += 1;
  usage.cost = usage.cost === null || used.cost === undefined ? null : usage.cost + used.cost;
}

/** The sum; the cost is absent where it is unknown, and where nothing was used. */
export function usageOf(state: RunState): Usage {
  const { inputTokens, outputTokens, turns, cost, reports } = state.usage;
  const tokens = { inputTokens, outputTokens, turns };
  return cost === null || reports === 0 ? tokens : { ...tokens, cost };
}
