import { at, item } from "../../graph/ints.ts";
import type { ArrivalsSuperseded, EventBody, NodeSkipped } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import { breaker } from "./arms.ts";
import { chargeOf } from "../limits/caps.ts";
import { hasEnough, isHeldBack, quorum, settleWaits } from "./joins.ts";
import { isIdler } from "./moves.ts";
import { supersededBy } from "./passes.ts";
import { cancelsLosers, losersOf } from "./races.ts";
import type { RunState } from "../state.ts";
import { stage } from "../state.ts";
import { strikeAt, strikeOfBudget } from "../ending/strikes.ts";

/**
 * What starts next, if anything: another attempt of a pass, a node that is due, or the head of the queue. Due nodes
 * come before the queue is served, so that a join that no longer needs a queued arm drops it first.
 */
export function nextStart(state: RunState): EventBody[] {
  const again = state.again.at(-1);
  if (again !== undefined)
    return [strikeOfBudget(state, again) ?? claim(state, again, at(state.attempt, again) + 1, [])];
  const due = nextDue(state);
  if (due >= 0) return startOf(state, due);
  const queued = state.queue[state.queueHead];
  if (queued === undefined || !hasPlace(state)) return [];
  return [strikeAt(state, queued) ?? claim(state, queued, 1, [])];
}

/**
 * The due node that comes first by id. Where all that wait block each other, which the choice of loop edges leaves to
 * graphs without a way out, the first by id goes on, so that every run ends.
 */
function nextDue(state: RunState): number {
  settleWaits(state);
  const { ready } = state.waits;
  const due = ready.findLast((node) => !isHeldBack(state, node));
  if (due !== undefined) return due;
  if (state.busyNodes > 0) return -1;
  return ready.at(-1) ?? state.arrivals.findIndex((count) => count > 0);
}

function startOf(state: RunState, node: number): EventBody[] {
  const before = at(state.newPass, node) === 1 ? supersedings(state, supersededBy(state, node), node) : [];
  const skip = skipOf(state, node);
  if (skip !== null) return [...before, skip];
  const { step, from } = arrivalsOf(state, node);
  const losers = cancelsLosers(state, node) ? dropLosers(state, node) : [];
  const id = item(state.plan.ids, node);
  if (!isIdler(state, node) && (!hasPlace(state) || state.queueHead < state.queue.length)) {
    return [...before, ...losers, { type: "node.queued", node: id, pass: at(state.pass, node) + 1, step, from }];
  }
  const strike = strikeAt(state, node);
  if (strike !== null) return [strike];
  return [...before, ...losers, claim(state, node, 1, from, step)];
}

/** The claim of an attempt; the first of a pass is charged where the node has a cap. */
export function claim(
  state: RunState,
  node: number,
  attempt: number,
  from: readonly string[],
  step = at(state.step, node),
): EventBody {
  const begun = at(state.stage, node) !== stage.idle;
  const pass = at(state.pass, node) + (begun ? 0 : 1);
  const event = { type: "node.started", node: item(state.plan.ids, node), pass, attempt, step, from } as const;
  const charged = attempt === 1 ? chargeOf(state, node) : null;
  return charged === null ? event : { ...event, charged };
}

function hasPlace(state: RunState): boolean {
  return state.workers < (state.limits.parallel ?? limits.parallelDefaultNodes);
}

function skipOf(state: RunState, node: number): NodeSkipped | null {
  const enough = quorum(state, node);
  if (enough !== null) {
    if (hasEnough(state, node)) return null;
    const text = `needs ${enough} of its arms, and ${at(state.arrivals, node)} came`;
    return { ...skipped(state, node), reason: { code: "join_unmet", text } };
  }
  const broken = breaker(state, node);
  if (broken < 0) return null;
  const root = state.misses.get(broken)?.because ?? broken;
  const because = item(state.plan.ids, root);
  const said = state.misses.get(root)?.reason.text ?? "it did not succeed";
  return {
    ...skipped(state, node),
    because,
    reason: { code: "broken_arm", text: `needs ${because}, which did not succeed: ${said}` },
  };
}

function skipped(state: RunState, node: number): Omit<NodeSkipped, "reason"> {
  return { type: "node.skipped", node: item(state.plan.ids, node), from: arrivalsOf(state, node).from };
}

function arrivalsOf(state: RunState, node: number): { readonly step: number; readonly from: readonly string[] } {
  const { plan, full, sentAtStep } = state;
  const { inStart, inArcs } = plan.graph;
  const from: string[] = [];
  let step = 0;
  for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
    const arc = at(inArcs, i);
    if (at(full, arc) === 0) continue;
    from.push(item(plan.ids, at(plan.graph.from, arc)));
    step = Math.max(step, at(sentAtStep, arc));
  }
  return { step: step + 1, from };
}

function supersedings(state: RunState, arcs: readonly number[], by: number): ArrivalsSuperseded[] {
  if (arcs.length === 0) return [];
  const { ids, graph } = state.plan;
  const arrivals = arcs.map((arc) => ({ from: item(ids, at(graph.from, arc)), to: item(ids, at(graph.to, arc)) }));
  return [{ type: "arrivals.superseded", by: item(ids, by), arrivals }];
}

/**
 * What waits on the arms of a join that starts without them: those due are skipped,
 * arrivals are dropped. Running ones are cancelled.
 */
export function dropLosers(state: RunState, join: number): EventBody[] {
  const losers = losersOf(state, join);
  const id = item(state.plan.ids, join);
  const reason = { code: "lost_join", text: `${id} started without it` } as const;
  const skipped = losers
    .filter((node) => {
      const now = at(state.stage, node);
      return now === stage.queued || now === stage.delayed || now === stage.again;
    })
    .map((node) => ({ type: "node.skipped", node: item(state.plan.ids, node), reason, from: [] }) as const);
  return [
    ...skipped,
    ...supersedings(
      state,
      losers.flatMap((node) => fullArcsInto(state, node)),
      join,
    ),
  ];
}

function fullArcsInto(state: RunState, node: number): number[] {
  const { inStart, inArcs } = state.plan.graph;
  return [...inArcs.subarray(at(inStart, node), at(inStart, node + 1))].filter((arc) => at(state.full, arc) === 1);
}
