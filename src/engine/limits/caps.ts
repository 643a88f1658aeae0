import { at, item } from "../../graph/ints.ts";
import type { NodeStarted } from "../../model/events.ts";
import { classOf } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import type { RunState } from "../state.ts";

/** Passes that a node may begin, grants included; null where it has no cap. */
export function capOf(state: RunState, node: number): number | null {
  const declared = item(state.plan.nodes, node);
  if (declared.cap !== undefined) return declared.cap + at(state.granted, node);
  return classOf(declared) === "agentic" ? limits.capDefaultPasses + at(state.granted, node) : null;
}

/** The charge of the pass that begins now; null for a node that is no agent, whose cap counts in the run alone. */
export function chargeOf(state: RunState, node: number): NonNullable<NodeStarted["charged"]> | null {
  const cap = capOf(state, node);
  if (cap === null || !isAgentic(state, node)) return null;
  const { was } = item(state.plan.nodes, node);
  return { passes: at(state.charged, node) + 1, cap, ...(was === undefined ? {} : { was }) };
}

export function isAgentic(state: RunState, node: number): boolean {
  return classOf(item(state.plan.nodes, node)) === "agentic";
}
