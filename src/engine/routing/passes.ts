import { hasBit, membersOf } from "../../graph/bits.ts";
import { at } from "../../graph/ints.ts";
import type { RunState } from "../state.ts";

/**
 * Arcs whose arrivals a new pass of `head` drops: those that what it leads to, or it itself, sent in the old pass, save
 * over loop edges. None of them leads to `head`: over no other edge does what it leads to come back to it.
 */
export function supersededBy(state: RunState, head: number): number[] {
  const { from, inStart, inArcs } = state.plan.graph;
  const arcs: number[] = [];
  for (const node of membersOf(state.live)) {
    if (at(state.arrivals, node) === 0) continue;
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
      const arc = at(inArcs, i);
      if (at(state.full, arc) === 0 || at(state.plan.loopOf, arc) >= 0) continue;
      if (isOfPass(state, head, at(from, arc))) arcs.push(arc);
    }
  }
  return arcs.sort((a, b) => a - b);
}

/** Begins a new pass of `head`: what its old pass missed or met counts no more. */
export function beginPass(state: RunState, head: number): void {
  for (const node of state.misses.keys()) if (isOfPass(state, head, node)) state.misses.delete(node);
  for (const join of state.plan.races) if (isOfPass(state, head, join)) state.met[join] = 0;
}

/** Whether a node belongs to the passes of `head`: it is the head, or the head leads to it. */
export function isOfPass(state: RunState, head: number, node: number): boolean {
  return node === head || hasBit(state.reach.from(head), node);
}
