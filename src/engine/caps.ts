import { at, item } from "../graph/ints.ts";
import { classOf } from "../model/blueprint.ts";
import { limits } from "../model/limits.ts";
import type { RunState } from "./state.ts";

/** Passes of a node that the task may charge, grants included; null where nothing is charged. */
export function capOf(state: RunState, node: number): number | null {
  const declared = item(state.plan.nodes, node);
  if (declared.cap !== undefined) return declared.cap + at(state.granted, node);
  return classOf(declared) === "agentic" ? limits.capDefaultPasses + at(state.granted, node) : null;
}

/** The charge of the pass that begins now, or null where the node has no cap. */
export function chargeOf(state: RunState, node: number): { readonly passes: number; readonly cap: number } | null {
  const cap = capOf(state, node);
  return cap === null ? null : { passes: at(state.charged, node) + 1, cap };
}
