import { item } from "../graph/ints.ts";
import type { NodeResult, ProgressMark, Reason } from "../model/outcome.ts";
import type { Ending } from "./endings.ts";
import { escalates } from "./halts.ts";
import type { RunState } from "./state.ts";

/**
 * Why a check makes no progress, or null: it fails twice running with the same signature, or without a lower measure, so that more
 * passes are no use. Remembers what it measured.
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

function whyNoProgress(before: ProgressMark, now: ProgressMark): string | null {
  if (before.signature === now.signature) return `failed twice running in the same way: ${now.signature}`;
  if (before.measure === undefined || now.measure === undefined || now.measure < before.measure) return null;
  return `made no progress: ${before.measure} before, ${now.measure} now`;
}
