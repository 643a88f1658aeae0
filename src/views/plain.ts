import { retryJitterMs } from "../engine/ending/retries.ts";
import type { Attempt } from "../model/attempt.ts";
import type { EventBody, JournalEvent, NodeStarted, ParentLink, RunFinished, RunStarted } from "../model/events.ts";
import type { NodeResult } from "../model/outcome.ts";
import { inert, lastLine } from "./inert.ts";
import {
  answerWords,
  attemptName,
  elapsed,
  passName,
  pastText,
  pauseText,
  settlementText,
  usageText,
} from "./words.ts";

/** An event as one line for people: `12.3s  test (pass 2) failure: exit 1`. Null for what only machines care about. */
export function plainLine(event: JournalEvent, startedAt: number): string | null {
  const text = sentence(event.body);
  return text === null ? null : lineOf(text, event.at - startedAt, 0);
}

/**
 * As {@link plainLine}, of a run inside: indented, and with its path. Its start and end are told by the node around it.
 */
export function plainLineInside({ body, at }: JournalEvent, startedAt: number, { path }: ParentLink): string | null {
  if (!("node" in body) || body.node === undefined || body.type === "run.halting") return null;
  const text = sentence({ ...body, node: `${path}${body.node}` });
  return text === null ? null : lineOf(text, at - startedAt, path.split("/").length - 1);
}

/** Whether an event of a run inside is told though many others are not: something went wrong, or somebody is asked. */
export function isPressing(body: EventBody): boolean {
  if (body.type === "node.ended" || body.type === "node.retrying") return body.result.outcome !== "success";
  return body.type === "gate.opened" || body.type === "gate.answered" || body.type === "node.unconfirmed";
}

function lineOf(text: string, ms: number, depth: number): string {
  return `${elapsed(ms).padStart(7)}  ${"  ".repeat(depth)}${inert(text).replace(/\s+/g, " ").trimEnd()}`;
}

function startSentence({ blueprint, worktree, fork, task }: RunStarted): string {
  const place = worktree === undefined ? "" : ` in ${worktree.root}`;
  const from = fork === undefined ? "" : ` from ${passName(fork.node, fork.pass)} of run ${fork.run}`;
  return `run ${blueprint}${place}${from}${task === "" ? "" : `: ${task}`}`;
}

function retryText(delayMs: number): string {
  const [least, most] = [elapsed(delayMs), elapsed(delayMs + retryJitterMs(delayMs))];
  return least === most ? least : `${least} to ${most}`;
}

/** What an event says, not yet inert; null for what only machines care about. */
export function sentence(body: EventBody): string | null {
  switch (body.type) {
    case "run.started":
      return startSentence(body);
    case "run.resumed":
      return body.asleep === undefined
        ? "resumed"
        : `resumed; ${Object.keys(body.asleep).join(", ")} still waits as its provider asked`;
    case "node.queued":
      return `${passName(body.node, body.pass)} is due and waits for a place`;
    case "node.started":
      return startOf(body);
    case "node.ended":
      return `${attemptName(body)} ${ending(body.result)}`;
    case "node.retrying":
      return `${attemptName(body)} ${ending(body.result)}; again in ${retryText(body.delayMs)}${body.until === undefined ? "" : ", when its provider lets it"}`;
    case "node.unconfirmed":
      return `${attemptName(body)} unconfirmed: ${body.reason.text}`;
    case "node.settled":
      return `${attemptName(body)} ${settlementText(body)}`;
    case "node.skipped":
      return `${body.node} skipped: ${body.reason.text}`;
    case "arrivals.superseded":
      return `${body.by} begins a new pass; ${body.arrivals.length} waiting arrivals dropped`;
    case "gate.opened":
      return `${attemptName(body)} waits for a person: ${body.prompt}`;
    case "gate.answered":
      return `${attemptName(body)} answered with ${answerWords(body.answer)} by ${body.by}`;
    case "agent.progressed":
      return agentSentence(body);
    case "run.stop_requested":
      return `stop asked for by ${body.by}`;
    case "run.time_spent":
      return "limits.time is used up";
    case "run.halting":
      return `halting, ${body.cause}: ${body.reason.text}${failuresText(body.failures)}`;
    case "run.finished":
      return endOf(body);
    case "node.waiting":
      if (body.waits && body.until !== undefined)
        return `${attemptName(body)} waits inside for a provider, until ${new Date(body.until).toISOString()}`;
      return body.waits ? `${attemptName(body)} waits for a ${body.time === true ? "time" : "person"} inside` : null;
    case "passes.synced":
    case "node.process":
    case "retry.due":
      return null;
  }
}

/** The pass is that of its cap, where the two are the same. */
function startOf(body: NodeStarted): string {
  const { node, pass, charged } = body;
  if (charged === undefined) return `${attemptName(body)} started`;
  const { passes, cap } = charged;
  if (passes === pass) return `${node} started (pass ${passes} of ${cap})`;
  return `${attemptName(body)} started (pass ${passes} of ${cap} of its task)`;
}

function agentSentence(body: Attempt & Extract<EventBody, { readonly type: "agent.progressed" }>): string | null {
  const { event } = body;
  switch (event.type) {
    case "text": {
      const line = lastLine(event.text);
      return line === "" ? null : `${attemptName(body)} says: ${line}`;
    }
    case "tool_call":
      return `${attemptName(body)} calls ${event.tool}`;
    case "tool_result":
      return event.ok ? null : `${attemptName(body)} ${event.tool} failed: ${lastLine(event.output)}`;
    case "diff":
      return `${attemptName(body)} changed ${event.path}`;
    case "permission":
      return `${attemptName(body)} ${event.tool} ${event.decision}: ${event.request}`;
    case "paused":
    case "quiet":
      return `${attemptName(body)} ${pauseText(event)}`;
    case "read":
      if (event.how === "outside") return `${attemptName(body)} read outside its context: ${event.path}`;
      return event.how === "refused" ? `${attemptName(body)} may not read ${event.path}` : null;
    case "thinking":
    case "context":
    case "usage":
    case "stop":
      return null;
  }
}

function endOf({ status, reason, walkedPast, usage }: RunFinished): string {
  const past = pastText(status, walkedPast);
  return `${status}${past === "" ? "" : `, ${past}`}${reason === undefined ? "" : `: ${reason}`}${suffix(usageText(usage))}`;
}

function ending(result: NodeResult): string {
  const usage = result.usage === undefined ? "" : suffix(usageText(result.usage));
  const why = result.reason === undefined || result.reason.text === result.outcome ? "" : `: ${result.reason.text}`;
  return `${result.outcome}${why}${usage}`;
}

function suffix(text: string): string {
  return text === "" ? "" : ` (${text})`;
}

function failuresText(failures: readonly Attempt[] = []): string {
  return failures.length === 0 ? "" : ` (${failures.map(attemptName).join(" and ")})`;
}
