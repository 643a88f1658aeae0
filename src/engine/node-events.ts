import { at } from "../graph/ints.ts";
import { nodeIndex } from "../graph/plan.ts";
import type {
  AgentProgressed,
  ArrivalsSuperseded,
  NodeEnded,
  NodeQueued,
  NodeRetrying,
  NodeSettled,
  NodeSkipped,
  NodeStarted,
  NodeUnconfirmed,
  RetryDue,
} from "../model/events.ts";
import { usageDecided, usageOf, usageOfUnconfirmed } from "../model/usage.ts";
import type { Ending } from "./ending/endings.ts";
import { endingOf, endingOfSettled } from "./ending/endings.ts";
import { addMiss, liftHalt, recallHalts } from "./ending/halts.ts";
import { quorum } from "./routing/joins.ts";
import { arcBetween, lift, setStage, takeArrivals } from "./routing/moves.ts";
import { holdEnding, routeEnding } from "./routing/outflow.ts";
import { beginPass } from "./routing/passes.ts";
import { standstill, type Standstill } from "./ending/progress.ts";
import { meet } from "./routing/races.ts";
import type { RunState } from "./state.ts";
import { stage } from "./state.ts";
import { settleUsage } from "./limits/usage.ts";

/** What each event about a node changes; the event has been found to fit. */

export function queued(state: RunState, event: NodeQueued): void {
  const node = nodeIndex(state.plan, event.node);
  begin(state, node, event.step, stage.queued);
  state.queue.push(node);
}

export function started(state: RunState, event: NodeStarted): void {
  const node = nodeIndex(state.plan, event.node);
  if (event.attempt === 1) state.charged[node] = event.charged?.passes ?? at(state.charged, node) + 1;
  state.attempt[node] = event.attempt;
  if (at(state.stage, node) === stage.again) {
    state.again.splice(state.again.indexOf(node), 1);
    setStage(state, node, stage.running);
    return;
  }
  if (at(state.stage, node) === stage.queued) {
    unqueue(state, node);
    setStage(state, node, stage.running);
  } else {
    if (at(state.arrivals, node) === 0) state.closing = "running";
    begin(state, node, event.step, stage.running);
  }
  state.retries[node] = 0;
  state.starts += 1;
}

/** A pass begins: its arrivals are taken, and over a loop edge what the old pass left behind is over. */
function begin(state: RunState, node: number, step: number, to: number): void {
  const newPass = at(state.newPass, node) === 1;
  setStage(state, node, to);
  takeArrivals(state, node);
  if (newPass) beginPass(state, node);
  state.pass[node] = at(state.pass, node) + 1;
  state.attempt[node] = 1;
  state.step[node] = step;
  if (quorum(state, node) !== null) meet(state, node);
}

export function ended(state: RunState, event: NodeEnded): void {
  const node = nodeIndex(state.plan, event.node);
  if (at(state.stage, node) === stage.running) {
    settleUsage(state, node, usageOf(event.node, event.result, state.spending.get(node)));
  }
  const { halt } = event.result;
  if (halt !== undefined && !state.lost.has(node)) {
    state.held.set(node, halt);
    return setStage(state, node, stage.unconfirmed);
  }
  const ending = endingOf(state.plan, node, event.result);
  if (state.lost.has(node)) return end(state, node, ending, null);
  return end(state, node, ending, standstill(state, node, ending, event.result));
}

/**
 * The pass is over. One that stands still is kept back for a person; one
 * whose join went on without it is of no more use.
 */
function end(state: RunState, node: number, ending: Ending, standing: Standstill | null): void {
  if (at(state.stage, node) !== stage.running) letGo(state, node);
  const closing = state.closing === "running" && node === state.plan.last;
  setStage(state, node, stage.idle);
  if (state.lost.delete(node)) return;
  if (closing) state.closing = "done";
  if (standing === null) routeEnding(state, node, ending);
  else holdEnding(state, node, ending, standing);
}

export function retrying(state: RunState, event: NodeRetrying): void {
  const node = nodeIndex(state.plan, event.node);
  settleUsage(state, node, usageOf(event.node, event.result, state.spending.get(node)));
  state.retries[node] = at(state.retries, node) + 1;
  state.delayed.set(node, event.result);
  if (event.until !== undefined) state.asleep.set(node, event.until);
  setStage(state, node, stage.delayed);
}

/** What an agent says it has used since its attempt began. */
export function progressed(state: RunState, event: AgentProgressed): void {
  if (event.event.type === "usage") state.spending.set(nodeIndex(state.plan, event.node), event.event.usage);
}

/** What is remembered of an attempt that stands still; of one that runs there is nothing. */
function letGo(state: RunState, node: number): void {
  wake(state, node);
  state.unconfirmed.delete(node);
  state.held.delete(node);
}

function wake(state: RunState, node: number): void {
  state.delayed.delete(node);
  state.asleep.delete(node);
}

export function retryDue(state: RunState, event: RetryDue): void {
  tryAgain(state, nodeIndex(state.plan, event.node));
}

function tryAgain(state: RunState, node: number): void {
  settleUsage(state, node, state.spending.get(node));
  letGo(state, node);
  setStage(state, node, stage.again);
  state.again.push(node);
}

export function unconfirmed(state: RunState, event: NodeUnconfirmed): void {
  const node = nodeIndex(state.plan, event.node);
  wake(state, node);
  settleUsage(state, node, usageOfUnconfirmed(event, state.spending.get(node)));
  state.unconfirmed.set(node, event.reason);
  setStage(state, node, stage.unconfirmed);
}

export function settled(state: RunState, event: NodeSettled): void {
  const node = nodeIndex(state.plan, event.node);
  // What was to end with the halt need not have come to its end yet.
  if (state.halt !== null && isWithin(state.halt.node, event.node)) liftHalt(state);
  state.granted[node] = at(state.granted, node) + (event.grant ?? 0);
  state.usage = usageDecided(state.usage, event);
  const now = at(state.stage, node);
  if (now === stage.again) {
    if (event.as === "again") return;
    state.again.splice(state.again.indexOf(node), 1);
  }
  const refused = now === stage.queued || (now === stage.idle && at(state.arrivals, node) > 0);
  if (event.as === "again") {
    if (!refused) settleAgain(state, node);
    return;
  }
  if (refused) {
    if (now === stage.queued) unqueue(state, node);
    else begin(state, node, at(state.step, node), stage.running);
  }
  end(state, node, endingOfSettled(event), null);
  recallHalts(state);
}

/** Whether a path is that of the node, or leads into it. */
function isWithin(path: string | undefined, node: string): boolean {
  return path !== undefined && (path === node || path.startsWith(`${node}/`) || path.startsWith(`${node}[`));
}

/**
 * An attempt whose outcome nobody knows is made once more; after an outcome a new pass begins, charged as any other.
 */
function settleAgain(state: RunState, node: number): void {
  if (at(state.stage, node) !== stage.idle) {
    tryAgain(state, node);
    return;
  }
  state.misses.delete(node);
  begin(state, node, at(state.step, node), stage.queued);
  state.queue.push(node);
  recallHalts(state);
}

export function skipped(state: RunState, event: NodeSkipped): void {
  const node = nodeIndex(state.plan, event.node);
  if (event.reason.code === "lost_join") {
    if (at(state.stage, node) === stage.queued) unqueue(state, node);
    else if (at(state.stage, node) === stage.again) state.again.splice(state.again.indexOf(node), 1);
    wake(state, node);
    setStage(state, node, stage.idle);
    return;
  }
  const newPass = at(state.newPass, node) === 1;
  takeArrivals(state, node);
  if (newPass) beginPass(state, node);
  const because = event.because === undefined ? node : nodeIndex(state.plan, event.because);
  addMiss(state, node, {
    outcome: "skipped",
    declined: false,
    way: "broken",
    reason: event.reason,
    halt: null,
    because,
  });
}

export function superseded(state: RunState, event: ArrivalsSuperseded): void {
  for (const { from, to } of event.arrivals) {
    const arc = arcBetween(state.plan, from, to);
    if (arc >= 0) lift(state, arc);
  }
}

function unqueue(state: RunState, node: number): void {
  if (state.queue[state.queueHead] === node) state.queueHead += 1;
  else state.queue.splice(state.queue.indexOf(node, state.queueHead), 1);
  if (state.queueHead < state.queue.length) return;
  state.queue.length = 0;
  state.queueHead = 0;
}
