import { hasBit, membersOf } from "../../graph/bits.ts";
import { at, item } from "../../graph/ints.ts";
import { nodeIndex } from "../../graph/plan.ts";
import type { EventBody } from "../../model/events.ts";
import { recallHalts } from "../ending/halts.ts";
import { quorum } from "./joins.ts";
import type { RunState } from "../state.ts";
import { stage } from "../state.ts";

/** Joins that start with fewer than all of their arms (`join: any` or a number), and the arms that lose by it. */

export function cancelsLosers(state: RunState, join: number): boolean {
  return quorum(state, join) !== null && item(state.plan.nodes, join).losers !== "drain";
}

/** The join that a decision takes for begun, though a limit refused it, where that cancels its losers; or -1. */
export function raceSettled(state: RunState, event: EventBody): number {
  if (event.type !== "node.settled" || event.as === "again") return -1;
  const node = nodeIndex(state.plan, event.node);
  if (node < 0 || !cancelsLosers(state, node)) return -1;
  const now = at(state.stage, node);
  return now === stage.queued || (now === stage.idle && at(state.arrivals, node) > 0) ? node : -1;
}

/** Live nodes on the arms of a join, without those that lost already. */
export function losersOf(state: RunState, join: number): number[] {
  const arms = state.reach.arms(join);
  return [...membersOf(state.live)].filter((node) => hasBit(arms, node) && !state.lost.has(node));
}

/** Marks a join as met in this pass: what its arms missed counts no more, and what still runs on them has lost. */
export function meet(state: RunState, join: number): void {
  state.met[join] = 1;
  const arms = state.reach.arms(join);
  for (const [node, miss] of state.misses) {
    if (hasBit(arms, node)) state.misses.set(node, { ...miss, way: "absorbed", halt: null });
  }
  recallHalts(state);
  if (!cancelsLosers(state, join)) return;
  for (const node of losersOf(state, join)) if (at(state.stage, node) === stage.running) state.lost.add(node);
}

/** Whether a join that has started in this pass no longer cares for what `node` came to. */
export function isAbsorbed(state: RunState, node: number): boolean {
  return state.plan.races.some((join) => at(state.met, join) === 1 && hasBit(state.reach.arms(join), node));
}
