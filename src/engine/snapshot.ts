import { at, item } from "../graph/ints.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { RunState } from "./state.ts";
import { isLive } from "./state.ts";

/** All that the events have made of a run, as plain JSON in a fixed order; equal states have equal snapshots. */
export function snapshot(state: RunState): JsonObject {
  const { ids, graph } = state.plan;
  const name = (node: number): string => item(ids, node);
  const arcs = [...state.full.keys()].filter((arc) => at(state.full, arc) === 1);
  return {
    phase: state.phase,
    status: state.status,
    nodes: Object.fromEntries(
      ids.map((id, node) => [id, nodeSnapshot(state, node)] as const).filter(([, node]) => node !== null),
    ),
    arrivals: arcs.map((arc) => [name(at(graph.from, arc)), name(at(graph.to, arc)), at(state.sentAtStep, arc)]),
    opened: state.opened,
    queue: state.queue.slice(state.queueHead).map(name),
    again: state.again.map(name),
    delayed: [...state.delayed.keys()].map(name),
    asleep: [...state.asleep].map(([node, until]) => [name(node), until]),
    unconfirmed: [...state.unconfirmed.keys()].map(name),
    held: [...state.held].map(([node, halt]) => [name(node), plain(halt)]),
    resting: [...state.resting.keys()].map(name),
    lost: [...state.lost].map(name),
    misses: [...state.misses].map(([node, miss]) => [
      name(node),
      miss.outcome,
      miss.way,
      miss.reason.text,
      name(miss.because),
    ]),
    starts: state.starts,
    limits: plain(state.limits),
    maxSteps: state.maxSteps,
    maxRetries: state.maxRetries,
    usage: plain(state.usage),
    spending: [...state.spending].map(([node, used]) => [name(node), plain(used)]),
    progress: [...state.progress].map(([node, mark]) => [name(node), plain(mark)]),
    stopRequested: state.stopRequested,
    timeIsSpent: state.timeIsSpent,
    halt: plain(state.halt),
    due: plain(state.due),
    spentMs: state.spentMs,
    workingSince: state.workingSince,
    closing: state.closing,
  };
}

function nodeSnapshot(state: RunState, node: number): Json {
  if (at(state.pass, node) === 0 && at(state.charged, node) === 0 && !isLive(state, node)) return null;
  return {
    stage: at(state.stage, node),
    pass: at(state.pass, node),
    attempt: at(state.attempt, node),
    step: at(state.step, node),
    retries: at(state.retries, node),
    charged: at(state.charged, node),
    granted: at(state.granted, node),
    newPass: at(state.newPass, node),
    met: at(state.met, node),
    arrivals: at(state.arrivals, node),
    emptyArms: at(state.emptyArms, node),
  };
}

function plain(value: object | null): Json {
  return JSON.parse(JSON.stringify(value)) as Json; // made of JSON only, so it reads back as what it was
}
