import { limits } from "../../model/limits.ts";
import type { Bits } from "../../graph/bits.ts";
import { clearBit, firstCommon, hasBit } from "../../graph/bits.ts";
import { at, item } from "../../graph/ints.ts";
import { leadsOn } from "../../graph/plan.ts";
import { closureInto } from "../../graph/reach.ts";
import type { RunState } from "../state.ts";
import { isLive, stage } from "../state.ts";

/**
 * The join: a node starts when an incoming edge holds an arrival and no other live node can still bring one over an
 * incoming edge that is empty; ways through the node itself and over loop edges of loops it lies in do not count. This
 * is the OR-join of YAWL (Wynn et al. 2009), with passes.
 */

/** Brings `waits.ready` up to date, highest node first. */
export function settleWaits(state: RunState): void {
  const { waits } = state;
  for (let node = waits.nextDirty(); node !== undefined; node = waits.nextDirty()) {
    const waiting = at(state.stage, node) === stage.idle && at(state.arrivals, node) > 0;
    const blocker = waiting && !hasEnough(state, node) ? blockedBy(state, node) : -1;
    if (blocker >= 0) waits.watch(node, blocker);
    else waits.unwatch(node);
    waits.setReady(node, waiting && blocker < 0);
  }
  waits.sort();
}

/** How many arrivals start a join that does not wait for all of its arms; null for one that does. */
export function quorum(state: RunState, node: number): number | null {
  const { join } = item(state.plan.nodes, node);
  if (join === "any") return 1;
  return typeof join === "number" ? join : null;
}

/** The opening of the run, and an arrival over a loop edge, start a pass by themselves. */
export function hasEnough(state: RunState, node: number): boolean {
  const enough = quorum(state, node);
  if (enough === null) return false;
  if (at(state.newPass, node) === 1 || (state.opened && node === state.plan.entry)) return true;
  return at(state.arrivals, node) >= enough;
}

/** A live node that can still bring an arrival over an empty arm of `node`, or -1. */
function blockedBy(state: RunState, node: number): number {
  if (at(state.emptyArms, node) === 0) return -1;
  const { waits } = state;
  const zone = waits.zones.get(node);
  if (zone !== undefined) return liveInZone(state, node, zone);
  const source = liveSource(state, node);
  if (source >= 0) return source;
  return liveInZone(state, node, newZone(state, node));
}

/** The common case: the source of an empty arm is live itself. Goes once around, from where the last one was. */
function liveSource(state: RunState, node: number): number {
  const { from, inStart, inArcs } = state.plan.graph;
  const start = at(inStart, node);
  const count = at(inStart, node + 1) - start;
  const begin = at(state.waits.cursor, node);
  for (let step = 0; step < count; step += 1) {
    const offset = (begin + step) % count;
    const arc = at(inArcs, start + offset);
    if (!isEmptyArm(state, arc) || !isLive(state, at(from, arc))) continue;
    state.waits.cursor[node] = offset;
    return at(from, arc);
  }
  return -1;
}

function isEmptyArm(state: RunState, arc: number): boolean {
  return at(state.full, arc) === 0 && at(state.plan.loopOf, arc) < 0;
}

function emptySources(state: RunState, node: number): number[] {
  const { from, inStart, inArcs } = state.plan.graph;
  const sources: number[] = [];
  for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
    if (isEmptyArm(state, at(inArcs, i))) sources.push(at(from, at(inArcs, i)));
  }
  return sources;
}

/**
 * A zone may be too big once an arm has filled since it was made, but never too small: what cannot bring anything now
 * cannot later in this wait. Then a candidate is followed a little to an arm that is still empty; what leads to none
 * leaves the zone for good, and one that takes too long is worth a new zone.
 */
function liveInZone(state: RunState, node: number, zone: Bits): number {
  const hint = whatFollowed(state, node, zone);
  let candidate = hint >= 0 ? hint : firstCommon(zone, state.live, node);
  while (candidate >= 0 && state.waits.isStale(node)) {
    const leads = leadsToEmptyArm(state, node, zone, candidate);
    if (leads === "unknown") return liveInZone(state, node, newZone(state, node));
    if (leads) return candidate;
    candidate = firstCommon(zone, state.live, node);
  }
  return candidate;
}

function newZone(state: RunState, node: number): Bits {
  const zone = closureInto(state.plan, emptySources(state, node), node, node);
  state.waits.keepZone(node, zone);
  return zone;
}

/** What the former witness has just set off is the likeliest next one. */
function whatFollowed(state: RunState, node: number, zone: Bits): number {
  const before = state.waits.witness(node);
  if (before < 0) return -1;
  const { to, outStart } = state.plan.graph;
  for (let arc = at(outStart, before); arc < at(outStart, before + 1); arc += 1) {
    const next = at(to, arc);
    if (next !== node && hasBit(zone, next) && isLive(state, next)) return next;
  }
  return -1;
}

function leadsToEmptyArm(state: RunState, node: number, zone: Bits, start: number): boolean | "unknown" {
  const { plan } = state;
  const { to, outStart } = plan.graph;
  const seen = new Set([start]);
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (let arc = at(outStart, next); arc < at(outStart, next + 1); arc += 1) {
      const target = at(to, arc);
      if (target === node) {
        if (isEmptyArm(state, arc)) return true;
      } else if (hasBit(zone, target) && !seen.has(target) && leadsOn(plan, arc, node)) {
        seen.add(target);
        open.push(target);
      }
    }
    if (seen.size > limits.joinFollowedNodes) return "unknown";
  }
  for (const dead of seen) clearBit(zone, dead);
  return false;
}

/**
 * Whether a start over a loop edge must wait: a new pass begins only when nothing that the node leads to is running or
 * able to start. Of two heads that lead to each other neither holds the other back.
 */
export function isHeldBack(state: RunState, node: number): boolean {
  if (at(state.newPass, node) === 0) return false;
  if (state.busyNodes === 0 && state.waits.ready.length === 1) return false;
  const after = state.reach.from(node);
  if (firstCommon(after, state.busy, node) >= 0) return true;
  return state.waits.ready.some((other) => {
    if (other === node || !hasBit(after, other)) return false;
    return at(state.newPass, other) === 0 || !hasBit(state.reach.from(other), node);
  });
}
