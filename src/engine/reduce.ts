import { nodeIndex } from "../graph/plan.ts";
import type { EventBody, RunResumed, RunStarted } from "../model/events.ts";
import { isAgentic } from "./limits/caps.ts";
import { fits } from "./fits.ts";
import { liftHalt } from "./ending/halts.ts";
import { open, rest } from "./routing/moves.ts";
import * as node from "./node-events.ts";
import type { RunState } from "./state.ts";
import { keepTime } from "./limits/time.ts";

/**
 * The state after an event. Takes ownership of `state` and updates it in place. Total and deterministic: an event that
 * does not fit (see `fits`) changes nothing. `at` is the journal's time in milliseconds.
 */
export function reduce(state: RunState, event: EventBody, at: number): RunState {
  take(state, event, at);
  return state;
}

/** As {@link reduce}; whether the event fitted. */
export function take(state: RunState, event: EventBody, at: number): boolean {
  if (!fits(state, event)) return false;
  apply(state, event);
  keepTime(state, event, at);
  return true;
}

function apply(state: RunState, event: EventBody): void {
  switch (event.type) {
    case "run.started":
      return runStarted(state, event);
    case "run.resumed":
      return runResumed(state, event);
    case "passes.synced":
      return passesSynced(state, event.passes);
    case "node.queued":
      return node.queued(state, event);
    case "node.started":
      return node.started(state, event);
    case "node.waiting":
      return rest(state, event);
    case "node.ended":
      return node.ended(state, event);
    case "node.retrying":
      return node.retrying(state, event);
    case "retry.due":
      return node.retryDue(state, event);
    case "node.unconfirmed":
      return node.unconfirmed(state, event);
    case "node.settled":
      return node.settled(state, event);
    case "node.skipped":
      return node.skipped(state, event);
    case "arrivals.superseded":
      return node.superseded(state, event);
    case "run.stop_requested":
      state.stopRequested = event.by;
      return;
    case "run.time_spent":
      state.timeIsSpent = true;
      return;
    case "run.halting":
      state.halt = event;
      state.due = null;
      return;
    case "run.finished":
      state.phase = "finished";
      state.status = event.status;
      return;
    case "agent.progressed":
      return node.progressed(state, event);
    case "node.process":
    case "gate.opened":
    case "gate.answered":
      return;
  }
}

function runStarted(state: RunState, event: RunStarted): void {
  state.phase = "live";
  if (event.limits !== undefined) state.limits = event.limits;
  if (event.maxSteps !== undefined) state.maxSteps = event.maxSteps;
  if (event.maxRetries !== undefined) state.maxRetries = event.maxRetries;
  open(state);
}

/** A halted run that is taken up again halts again unless what halted it has been settled. */
function runResumed(state: RunState, { accepted }: RunResumed): void {
  if (accepted?.limits !== undefined) state.limits = accepted.limits;
  if (state.phase !== "finished") return;
  state.phase = "live";
  state.status = "running";
  liftHalt(state);
}

/** Counts of agents, which belong to the task; they only grow: what this run has charged itself is never taken back. */
function passesSynced(state: RunState, passes: Readonly<Record<string, number>>): void {
  for (const [id, count] of Object.entries(passes)) {
    const at = nodeIndex(state.plan, id);
    if (at >= 0 && isAgentic(state, at)) state.charged[at] = Math.max(state.charged[at] ?? 0, count);
  }
}
