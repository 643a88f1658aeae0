import { hasBit } from "../graph/bits.ts";
import { at } from "../graph/ints.ts";
import type { RunState } from "./state.ts";

/**
 * Arcs whose arrivals a new pass of `head` drops: those that what it leads to, or it itself, sent in the old pass, save over loop
 * edges and save those the new pass takes.
 */
export function supersededBy(state: RunState, head: number): number[] {
  const { plan } = state;
  const { to, outStart } = plan.graph;
  const after = state.reach.from(head);
  const arcs: number[] = [];
  for (let node = 0; node < plan.graph.size; node += 1) {
    if (node !== head && !hasBit(after, node)) continue;
    for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) {
      if (at(state.full, arc) === 1 && at(plan.loopOf, arc) < 0 && at(to, arc) !== head) arcs.push(arc);
    }
  }
  return arcs;
}

/** Begins a new pass of `head`: what its old pass missed or met counts no more. */
export function beginPass(state: RunState, head: number): void {
  const after = state.reach.from(head);
  for (const node of state.misses.keys()) {
    if (node === head || hasBit(after, node)) state.misses.delete(node);
  }
  for (const join of state.races) {
    if (join === head || hasBit(after, join)) state.met[join] = 0;
  }
}
