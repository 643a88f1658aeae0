import { UsageMeter } from "../engine/limits/usage-meter.ts";
import { classOf } from "../model/node.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { limits } from "../model/limits.ts";
import type { AgentEvent } from "../model/agent-event.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, JournalEvent, NodeSettled, NodeStarted, RunStarted } from "../model/events.ts";
import type { GateAnswered, GateOpened } from "../model/gate-events.ts";
import type { NodeResult, Outcome, Reason } from "../model/outcome.ts";
import { zeroUsage } from "../model/usage.ts";
import type { AttemptView, NodeState, NodeView, RunView } from "./run-view.ts";
import { settlementText } from "./words.ts";

/**
 * The view of a run before its first event. `blueprint` null: the definition
 * is gone, nodes appear as the journal names them.
 */
export function emptyView(run: string, blueprint: Blueprint | null): RunView {
  const nodes = new Map<string, NodeView>();
  for (const node of blueprint?.nodes.values() ?? []) {
    nodes.set(node.id, { ...blankNode(node.id), type: node.type, class: classOf(node), title: node.title ?? null });
  }
  return {
    run,
    blueprint: blueprint?.name ?? "",
    taskId: run,
    task: "",
    file: null,
    worktree: null,
    cwd: "",
    limits: {},
    overrides: {},
    status: "running",
    reason: null,
    startedAt: 0,
    endedAt: null,
    seq: 0,
    halting: null,
    asleep: new Map(),
    walkedPast: [],
    usage: zeroUsage,
    meter: new UsageMeter(),
    atWork: { busy: 0, waiting: 0 },
    nodes,
  };
}

/** Folds one event into the view, in place. An event it already holds is ignored, so overlapping reads are harmless. */
export function fold(view: RunView, event: JournalEvent): void {
  if (event.seq <= view.seq) return;
  view.seq = event.seq;
  view.run = event.run;
  if (view.meter.note(event.body)) view.usage = view.meter.total() ?? zeroUsage;
  apply(view, event.body, event.at);
}

function apply(view: RunView, body: EventBody, at: number): void {
  switch (body.type) {
    case "run.started":
      return startRun(view, body, at);
    case "run.resumed":
      view.limits = body.accepted?.limits ?? view.limits;
      view.status = "running";
      view.reason = null;
      view.endedAt = null;
      view.halting = null;
      return restate(view);
    case "node.started":
      return startNode(view, body, at);
    case "node.ended":
      return endAttempt(view, body, body.result.outcome, body.result, at);
    case "node.retrying":
      endAttempt(view, body, body.result.outcome, body.result, at);
      if (body.until !== undefined) return sleepAt(view, body.node, body.until);
      return setState(view, body.node, "retrying");
    case "retry.due":
      return setState(view, body.node, "retrying");
    case "node.unconfirmed":
      return settle(view, body, "unconfirmed", body.reason, at);
    case "node.settled":
      return settleAs(view, body, at);
    case "node.skipped":
      return setState(view, body.node, "skipped");
    case "node.waiting":
      if (body.waits && body.until !== undefined) return sleepAt(view, body.node, body.until);
      return setState(view, body.node, body.waits && body.time !== true ? "waiting" : "running");
    case "gate.opened":
      return waitAt(view, body);
    case "gate.answered":
      return goOnAt(view, body, at);
    case "agent.progressed":
      return agentDid(attemptOf(view, body), body.event);
    case "run.halting":
      view.halting = body;
      view.reason = body.reason.text;
      return;
    case "run.finished":
      view.status = body.status;
      view.reason = body.reason ?? null;
      view.walkedPast = body.walkedPast;
      view.usage = body.usage;
      view.endedAt = at;
      return;
    case "passes.synced":
    case "node.queued":
    case "node.process":
    case "arrivals.superseded":
    case "run.stop_requested":
    case "run.time_spent":
      return;
  }
}

function agentDid(attempt: AttemptView, event: AgentEvent): void {
  if (event.type === "usage") attempt.usage = event.usage;
  if (event.type === "context") attempt.bundle = event.bundle;
  if (event.type !== "read" || event.how === "given" || event.how === "read") return;
  const paths = attempt[event.how];
  if (paths.length < limits.readsShown) paths.push(event.path);
}

function startRun(view: RunView, body: RunStarted, at: number): void {
  view.blueprint = body.blueprint;
  view.taskId = body.taskId;
  view.task = body.task;
  view.file = body.file ?? null;
  view.cwd = body.cwd;
  view.worktree = body.worktree?.root ?? null;
  view.startedAt = at;
  const { maxSteps: steps, maxRetries: retries } = body;
  view.limits = body.limits ?? {};
  view.overrides = { ...(steps === undefined ? {} : { steps }), ...(retries === undefined ? {} : { retries }) };
}

function startNode(view: RunView, body: NodeStarted, at: number): void {
  const node = nodeOf(view, body.node);
  setState(view, body.node, "running");
  if (body.attempt === 1) node.passes += 1;
  if (body.charged !== undefined) node.charged = body.charged;
  node.attempts.push(blankAttempt(node.attempts.length + 1, body, at));
}

function endAttempt(view: RunView, at: Attempt, outcome: Outcome, result: NodeResult, time: number): void {
  settle(view, at, outcome, result.reason ?? null, time);
  const attempt = attemptOf(view, at);
  const said = result.output;
  if (said !== undefined) {
    attempt.output = said.text;
    attempt.outputBytes = said.bytes;
    attempt.outputBlob = said.blob ?? null;
  }
  if (result.usage !== undefined) attempt.usage = result.usage;
}

function settle(view: RunView, at: Attempt, outcome: Outcome, reason: Reason | null, time: number): void {
  const attempt = attemptOf(view, at);
  attempt.outcome = outcome;
  attempt.reason = reason;
  attempt.endedAt = time;
  attempt.question = null;
  setState(view, at.node, outcome);
}

function settleAs(view: RunView, body: NodeSettled, at: number): void {
  // What is to be done once more though it never began, as a cap refused it, leaves nothing to show.
  if (body.as === "again" && !nodeOf(view, body.node).attempts.some((one) => isOf(one, body)))
    return setState(view, body.node, "idle");
  const attempt = attemptOf(view, body);
  attempt.endedAt = at;
  const outcome = { done: "success", failed: "failure", again: "unconfirmed" } as const;
  attempt.outcome = outcome[body.as];
  if (body.as !== "again") attempt.reason = { code: "crash", text: settlementText(body) };
  setState(view, body.node, body.as === "again" ? "idle" : attempt.outcome);
}

function waitAt(view: RunView, body: GateOpened): void {
  const attempt = attemptOf(view, body);
  attempt.question = body.prompt;
  attempt.gate = body.of ?? body.node;
  setState(view, body.node, "waiting");
}

function goOnAt(view: RunView, body: GateAnswered, at: number): void {
  const attempt = attemptOf(view, body);
  attempt.question = null;
  const { gate, answers } = attempt;
  const isOfPerson = nodeOf(view, body.node).type === "human" || gate !== body.node;
  if (gate !== null && isOfPerson && answers.length < limits.gateOpenings)
    answers.push({ gate, by: body.by, at, answer: body.answer });
  setState(view, body.node, "running");
}

function sleepAt(view: RunView, id: string, until: number): void {
  view.asleep.set(id, until);
  setState(view, id, "asleep");
}

/** A run waits while all that is at work in it waits for a person or keeps a pause. */
function setState(view: RunView, id: string, state: NodeState): void {
  const node = nodeOf(view, id);
  count(view, node.state, -1);
  node.state = state;
  count(view, state, 1);
  if (state !== "asleep") view.asleep.delete(id);
  restate(view);
}

function restate(view: RunView): void {
  if (view.status !== "running" && view.status !== "waiting") return;
  view.status = view.atWork.busy === 0 && view.atWork.waiting > 0 ? "waiting" : "running";
}

function count({ atWork }: RunView, state: NodeState, change: 1 | -1): void {
  if (state === "waiting" || state === "asleep") atWork.waiting += change;
  else if (state === "running" || state === "retrying") atWork.busy += change;
}

function nodeOf(view: RunView, id: string): NodeView {
  const known = view.nodes.get(id);
  if (known !== undefined) return known;
  const fresh = blankNode(id);
  view.nodes.set(id, fresh);
  return fresh;
}

function attemptOf(view: RunView, at: Attempt): AttemptView {
  const { attempts } = nodeOf(view, at.node);
  const known = attempts.findLast((one) => isOf(one, at));
  if (known !== undefined) return known;
  const fresh = blankAttempt(attempts.length + 1, at, 0);
  attempts.push(fresh);
  return fresh;
}

function isOf(one: Pick<AttemptView, "pass" | "attempt">, at: Attempt): boolean {
  return one.pass === at.pass && one.attempt === at.attempt;
}

function blankNode(id: string): NodeView {
  return { id, type: null, class: null, title: null, state: "idle", passes: 0, charged: null, attempts: [] };
}

function blankAttempt(n: number, at: Attempt, startedAt: number): AttemptView {
  return {
    n,
    pass: at.pass,
    attempt: at.attempt,
    outcome: null,
    reason: null,
    startedAt,
    endedAt: null,
    output: null,
    outputBytes: 0,
    outputBlob: null,
    usage: null,
    bundle: null,
    outside: [],
    refused: [],
    question: null,
    gate: null,
    answers: [],
  };
}
