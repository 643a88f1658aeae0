import { item } from "../graph/ints.ts";
import type { NodeResult, ProgressMark } from "../model/outcome.ts";
import type { Ending } from "./endings.ts";
import { call, escalates } from "./halts.ts";
import type { RunState } from "./state.ts";

/** A check that fails twice running with the same signature, or without a better measure, makes no progress: more passes are no use. */
export function noteProgress(state: RunState, node: number, ending: Ending, result: NodeResult): void {
  if (item(state.plan.nodes, node).progress === undefined) return;
  if (ending.outcome === "success") state.progress.delete(node);
  if (ending.outcome !== "failure" || result.progress === undefined) return;
  const before = state.progress.get(node);
  state.progress.set(node, result.progress);
  if (before === undefined || !escalates(state, "no_progress")) return;
  const why = standsStill(before, result.progress);
  if (why !== null) call(state, "escalated", node, { code: "no_progress", text: why });
}

function standsStill(before: ProgressMark, now: ProgressMark): string | null {
  if (before.signature === now.signature) return `failed twice running in the same way: ${now.signature}`;
  if (before.measure === undefined || now.measure === undefined || now.measure < before.measure) return null;
  return `made no progress: ${before.measure} before, ${now.measure} now`;
}
