import { clearBit, hasBit, setBit } from "../../graph/bits.ts";
import { at, item } from "../../graph/ints.ts";
import type { Plan } from "../../graph/plan.ts";
import { nodeIndex } from "../../graph/plan.ts";
import type { NodeWaiting } from "../../model/events.ts";
import { isWait } from "../../model/node.ts";
import type { RunState } from "../state.ts";
import { isLive, stage } from "../state.ts";

/** The only ways in which arrivals and stages change; each keeps the counts, the live sets and the waits true. */

/** Puts an arrival on an arc. One that is already there is taken over: a start takes at most one from each arc. */
export function place(state: RunState, arc: number, step: number): void {
  const { plan, waits } = state;
  const target = at(plan.graph.to, arc);
  const loopEdge = at(plan.loopOf, arc) >= 0;
  if (!loopEdge && at(state.met, target) === 1) return;
  state.sentAtStep[arc] = step;
  if (loopEdge) {
    state.newPass[target] = 1;
    for (const node of waits.ready) waits.mark(node);
  }
  if (at(state.full, arc) === 0) {
    state.full[arc] = 1;
    state.arrivals[target] = at(state.arrivals, target) + 1;
    if (!loopEdge) {
      state.emptyArms[target] = at(state.emptyArms, target) - 1;
      waits.armFilled(target);
    }
  }
  waits.mark(target);
  refresh(state, target);
}

/** Takes an arrival off an arc, because a new pass has dropped it. */
export function lift(state: RunState, arc: number): void {
  const target = at(state.plan.graph.to, arc);
  if (!clear(state, arc)) return;
  if (at(state.arrivals, target) === 0) state.newPass[target] = 0;
  state.waits.forget(target);
  state.waits.mark(target);
  refresh(state, target);
}

/** Takes all arrivals of a node, the one that opens the run included. */
export function takeArrivals(state: RunState, node: number): void {
  const { inStart, inArcs } = state.plan.graph;
  if (at(state.arrivals, node) > 0) {
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) clear(state, at(inArcs, i));
  }
  if (node === state.plan.entry && state.opened) {
    state.opened = false;
    state.arrivals[node] = 0;
  }
  state.newPass[node] = 0;
  state.waits.forget(node);
  state.waits.setReady(node, false);
  refresh(state, node);
}

/** The arc from one node to another, or -1. */
export function arcBetween(plan: Plan, from: string, to: string): number {
  const source = nodeIndex(plan, from);
  const target = nodeIndex(plan, to);
  if (source < 0 || target < 0) return -1;
  let low = at(plan.graph.outStart, source);
  let high = at(plan.graph.outStart, source + 1) - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = at(plan.graph.to, middle);
    if (found === target) return middle;
    if (found < target) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function clear(state: RunState, arc: number): boolean {
  if (at(state.full, arc) === 0) return false;
  const target = at(state.plan.graph.to, arc);
  state.full[arc] = 0;
  state.arrivals[target] = at(state.arrivals, target) - 1;
  if (at(state.plan.loopOf, arc) < 0) state.emptyArms[target] = at(state.emptyArms, target) + 1;
  return true;
}

/** The arrival that opens the run. */
export function open(state: RunState): void {
  const { entry } = state.plan;
  state.opened = true;
  state.arrivals[entry] = at(state.arrivals, entry) + 1;
  state.waits.mark(entry);
  refresh(state, entry);
}

export function setStage(state: RunState, node: number, next: number): void {
  const before = at(state.stage, node);
  if (before === next) return;
  state.stage[node] = next;
  occupy(state, node, before, -1);
  state.resting.delete(node);
  occupy(state, node, next, 1);
  if ((before === stage.idle) !== (next === stage.idle)) {
    state.busyNodes += next === stage.idle ? -1 : 1;
    if (next === stage.idle) clearBit(state.busy, node);
    else setBit(state.busy, node);
    state.waits.mark(node);
  }
  refresh(state, node);
}

export function isIdler(state: RunState, node: number): boolean {
  return isWait(item(state.plan.nodes, node)) || state.resting.has(node);
}

/** A running node comes to wait for what waits inside it, or goes on. */
export function rest(state: RunState, event: NodeWaiting): void {
  const node = nodeIndex(state.plan, event.node);
  occupy(state, node, stage.running, -1);
  if (event.waits) state.resting.set(node, event);
  else state.resting.delete(node);
  occupy(state, node, stage.running, 1);
}

/** A node keeps its place between two attempts. */
function occupy(state: RunState, node: number, now: number, by: number): void {
  if (now === stage.running) state.running += by;
  else if (now !== stage.delayed && now !== stage.again) return;
  if (isIdler(state, node)) state.idlers += by;
  else state.workers += by;
}

function refresh(state: RunState, node: number): void {
  const live = isLive(state, node);
  if (hasBit(state.live, node) === live) return;
  state.liveNodes += live ? 1 : -1;
  if (live) {
    setBit(state.live, node);
    return;
  }
  clearBit(state.live, node);
  state.waits.wake(node);
}
