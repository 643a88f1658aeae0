import { at } from "../graph/ints.ts";
import { nodeIndex } from "../graph/plan.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, NodeSettled, NodeSkipped, NodeStarted, NodeWaiting } from "../model/events.ts";
import { isAgentic } from "./limits/caps.ts";
import { isReopenable } from "../model/outcome.ts";
import type { RunState } from "./state.ts";
import { stage } from "./state.ts";

/**
 * Whether an event means anything in this state. One that does not (a late outcome,
 * a second stop) is dropped before it is journaled.
 */
export function fits(state: RunState, event: EventBody): boolean {
  switch (event.type) {
    case "run.started":
      return state.phase === "new";
    case "passes.synced":
      return true;
    case "run.resumed":
      return state.phase === "live" || canReopen(state);
    case "node.settled":
      return (state.phase === "live" || canReopen(state)) && canSettle(state, event);
    case "run.stop_requested":
      return state.phase === "live" && state.stopRequested === null;
    case "run.time_spent":
      return state.phase === "live" && !state.timeIsSpent;
    case "run.halting":
    case "run.finished":
    case "arrivals.superseded":
      return state.phase === "live";
    default:
      return state.phase === "live" && fitsNode(state, event);
  }
}

type NodeEvent = Extract<
  EventBody,
  { readonly node: string; readonly type: `${"node" | "retry" | "gate" | "agent"}.${string}` }
>;

function fitsNode(state: RunState, event: Exclude<NodeEvent, NodeSettled>): boolean {
  const node = nodeIndex(state.plan, event.node);
  if (node < 0) return false;
  const now = at(state.stage, node);
  switch (event.type) {
    case "node.queued":
      return now === stage.idle && at(state.arrivals, node) > 0 && event.pass === at(state.pass, node) + 1;
    case "node.started":
      return canStart(state, node, event);
    case "node.skipped":
      return canSkip(state, node, event);
    case "retry.due":
      return now === stage.delayed && isCurrent(state, node, event);
    case "node.waiting":
      return now === stage.running && isCurrent(state, node, event) && changesRest(state, node, event);
    case "node.ended":
    case "node.unconfirmed":
      return (now === stage.running || now === stage.delayed) && isCurrent(state, node, event);
    case "node.retrying":
    case "node.process":
    case "gate.opened":
    case "gate.answered":
    case "agent.progressed":
      return now === stage.running && isCurrent(state, node, event);
  }
}

function changesRest({ resting }: RunState, node: number, { waits, until, time }: NodeWaiting): boolean {
  const before = resting.get(node);
  if (before === undefined || !waits) return (before !== undefined) !== waits;
  return before.until !== until || before.time !== time;
}

/** A run that waits for a person's decision rather than being over. */
function canReopen(state: RunState): boolean {
  return state.phase === "finished" && isReopenable(state.status);
}

function isCurrent(state: RunState, node: number, attempt: Attempt): boolean {
  return attempt.pass === at(state.pass, node) && attempt.attempt === at(state.attempt, node);
}

function canStart(state: RunState, node: number, event: NodeStarted): boolean {
  const pass = at(state.pass, node);
  switch (at(state.stage, node)) {
    case stage.idle:
      return (
        event.attempt === 1 && event.pass === pass + 1 && (at(state.arrivals, node) > 0 || opensClosing(state, node))
      );
    case stage.queued:
      return event.attempt === 1 && event.pass === pass;
    case stage.again:
      return event.pass === pass && event.attempt === at(state.attempt, node) + 1;
    default:
      return false;
  }
}

function opensClosing(state: RunState, node: number): boolean {
  return node === state.plan.last && state.closing === "open";
}

function canSkip(state: RunState, node: number, event: NodeSkipped): boolean {
  const now = at(state.stage, node);
  if (event.reason.code === "lost_join") return now === stage.queued || now === stage.delayed || now === stage.again;
  return now === stage.idle && at(state.arrivals, node) > 0;
}

/** An attempt whose outcome is unknown, a start that a cap or limit refused, or an end that halted the run. */
function canSettle(state: RunState, event: NodeSettled): boolean {
  const node = nodeIndex(state.plan, event.node);
  if (node < 0) return false;
  switch (at(state.stage, node)) {
    case stage.unconfirmed:
    case stage.running:
    case stage.delayed:
      return isCurrent(state, node, event);
    case stage.again:
      return isAgentic(state, node) && isCurrent(state, node, event);
    case stage.queued:
      return event.pass === at(state.pass, node);
    case stage.idle:
      if (at(state.arrivals, node) > 0) return event.pass === at(state.pass, node) + 1;
      return isCurrent(state, node, event) && state.misses.get(node)?.halt === "escalated";
    default:
      return false;
  }
}
