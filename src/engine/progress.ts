import { item } from "../graph/ints.ts";
import type { NodeResult, ProgressMark, Reason } from "../model/outcome.ts";
import type { Ending } from "./endings.ts";
import { escalates } from "./halts.ts";
import type { RunState } from "./state.ts";

/**
 * Why a check makes no progress, or null: it fails twice running without a lower measure, or where there is none with the same
 * signature, so that more passes are no use. Remembers what it measured.
 */
export function standstill(state: RunState, node: number, ending: Ending, result: NodeResult): Reason | null {
  if (item(state.plan.nodes, node).progress === undefined) return null;
  if (ending.outcome === "success") state.progress.delete(node);
  if (ending.outcome !== "failure" || result.progress === undefined) return null;
  const before = state.progress.get(node);
  state.progress.set(node, result.progress);
  if (before === undefined || !escalates(state, "no_progress")) return null;
  const text = whyNoProgress(before, result.progress);
  return text === null ? null : { code: "no_progress", text };
}

/** A measure says more than the look of a failure, which may stay the same while there is less of it. */
function whyNoProgress(before: ProgressMark, now: ProgressMark): string | null {
  if (before.measure !== undefined && now.measure !== undefined) {
    return now.measure < before.measure ? null : `made no progress: ${before.measure} before, ${now.measure} now`;
  }
  return before.signature === now.signature ? `failed twice running in the same way: ${now.signature}` : null;
}
