import { hasBit } from "../../graph/bits.ts";
import { at, item } from "../../graph/ints.ts";
import { carries, canFollowSuccess } from "../ending/endings.ts";
import { isOfPass } from "./passes.ts";
import type { Miss, RunState } from "../state.ts";

/**
 * The node whose miss broke an arm of `node`, or -1: one after whose success `node` can be reached, but not after what
 * it came to. Nothing is broken while every arm has delivered, nor by a node that delivered itself. `join: live` and
 * joins that need fewer arms start with what came.
 */
export function breaker(state: RunState, node: number): number {
  const { plan, misses } = state;
  if (misses.size === 0 || at(state.emptyArms, node) === 0) return -1;
  if (at(state.arrivals, node) >= at(plan.armsInto, node) || item(plan.nodes, node).join !== undefined) return -1;
  const startsPass = at(state.newPass, node) === 1;
  let least = -1;
  for (const [source, miss] of misses) {
    if (source === node || (least >= 0 && least < source)) continue;
    if (startsPass && isOfPass(state, node, source)) continue;
    if (needs(state, node, source, miss) && !hasDelivered(state, source, node)) least = source;
  }
  return least;
}

function needs(state: RunState, node: number, source: number, miss: Miss): boolean {
  if (miss.way === "absorbed" || miss.outcome === "success") return false;
  const { plan } = state;
  const { to, outStart } = plan.graph;
  const into = state.reach.into(node);
  const outcome = miss.outcome === "skipped" ? "failure" : miss.outcome;
  const ending = { outcome, option: null, declined: miss.declined, reason: null, settled: false };
  let afterSuccess = false;
  for (let arc = at(outStart, source); arc < at(outStart, source + 1); arc += 1) {
    if (!hasBit(into, at(to, arc))) continue;
    const whens = item(plan.whens, arc);
    if (whens.some((when) => carries(plan, source, when, ending))) return false;
    afterSuccess ||= whens.some(canFollowSuccess);
  }
  return afterSuccess;
}

function hasDelivered(state: RunState, source: number, node: number): boolean {
  const { to, outStart } = state.plan.graph;
  for (let arc = at(outStart, source); arc < at(outStart, source + 1); arc += 1) {
    if (at(to, arc) === node) return at(state.full, arc) === 1;
  }
  return false;
}
