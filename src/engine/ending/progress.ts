import { at, item } from "../../graph/ints.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { NodeResult, ProgressMark, Reason } from "../../model/outcome.ts";
import type { Ending } from "./endings.ts";
import { escalates } from "./halts.ts";
import type { RunState } from "../state.ts";

/** Two failures running without progress between them. */
export interface Standstill {
  readonly reason: Reason;
  readonly failures: readonly Attempt[];
}

/**
 * Why a check makes no progress, or null: it fails twice running without a lower measure, or where there is none with
 * the same signature, so that more passes are no use. Remembers what it measured.
 */
export function standstill(state: RunState, node: number, ending: Ending, result: NodeResult): Standstill | null {
  if (item(state.plan.nodes, node).progress === undefined) return null;
  if (ending.outcome === "success") state.progress.delete(node);
  if (ending.outcome !== "failure" || result.progress === undefined) return null;
  const before = state.progress.get(node);
  const attempt = { node: item(state.plan.ids, node), pass: at(state.pass, node), attempt: at(state.attempt, node) };
  state.progress.set(node, { mark: result.progress, attempt });
  if (before === undefined || !escalates(state, "no_progress")) return null;
  const text = whyNoProgress(before.mark, result.progress);
  return text === null ? null : { reason: { code: "no_progress", text }, failures: [before.attempt, attempt] };
}

/** A measure says more than the look of a failure, which may stay the same while there is less of it. */
function whyNoProgress(before: ProgressMark, now: ProgressMark): string | null {
  if (before.measure !== undefined && now.measure !== undefined) {
    return now.measure < before.measure ? null : `made no progress: ${before.measure} before, ${now.measure} now`;
  }
  return before.signature === now.signature ? `failed twice running in the same way: ${now.signature}` : null;
}
