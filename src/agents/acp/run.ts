import type { StopReason } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { ReasonCode } from "../../model/outcome.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LiveProcess, ProcessEnd } from "../../ports/processes.ts";
import type { AgentRequest, AgentResult } from "../../ports/provider.ts";
import { type Answer, answerInstructions, isStructured, readAnswer } from "../answer.ts";
import { cancelled } from "../ending.ts";
import { oneLine } from "../../runtime/text.ts";
import { Conversation, type Breach } from "./conversation.ts";
import { classify } from "./faults.ts";
import { openSession, type Session } from "./session.ts";

export interface Work {
  readonly child: LiveProcess;
  readonly request: AgentRequest;
  readonly emit: (event: AgentEvent) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Its files are not ours. */
  readonly boxed: boolean;
  /** What its session is asked for with, beside what the protocol says. */
  readonly meta: Readonly<Record<string, Json>> | null;
}

type End = Omit<AgentResult, "usage" | "beforeEffect">;

/** Has an agent that runs as `child` do the work, and ends the child whatever comes. */
export async function converse(work: Work): Promise<AgentResult> {
  const { child, request, emit, signal, clock, boxed } = work;
  const stopped = new AbortController();
  const breached: { by: Breach | null } = { by: null };
  const conversation = new Conversation({ request, emit, boxed }, (breach) => {
    breached.by ??= breach;
    stopped.abort();
  });
  const errorOutput = tailOf(work);
  const stop = AbortSignal.any([signal, stopped.signal]);
  let end: End;
  try {
    end = await untilGone(work, carryOut(work, conversation, stop));
  } catch (error) {
    const ended = await within(clock, limits.pipeDrainMs, child.end);
    const fault = classify(ended === null ? error : tooEarly(ended), errorOutput(), clock.wall());
    end = { outcome: "error", message: "", ...fault };
  } finally {
    await dismiss(work, stop.aborted);
  }
  conversation.flush();
  if (signal.aborted) end = cancelled;
  else if (breached.by !== null) end = failed(breached.by.code, breached.by.text, conversation.message);
  const usage = conversation.usage();
  return { ...end, ...(usage === undefined ? {} : { usage }), beforeEffect: !conversation.touched };
}

async function carryOut(work: Work, conversation: Conversation, stop: AbortSignal): Promise<End> {
  const { request, clock } = work;
  const patience = timer(clock, limits.acpStartMs);
  const opening = openSession({ ...work, conversation, patience: patience.signal }).finally(patience.cancel);
  const session = await orStopped(opening, stop);
  if (session === "stopped") return cancelled;
  const instructions = isStructured(request) ? answerInstructions(request) : "";
  let text = [request.prompt, request.earlier ?? "", instructions].filter((part) => part !== "").join("\n\n");
  for (let repairs = 0; ; repairs += 1) {
    const reason = await turn(session, text, stop, clock);
    conversation.flush();
    const { message } = conversation;
    if (reason !== "end_turn") return endOf(reason, message);
    const denied = conversation.lastDenied;
    if (denied !== null)
      return failed("refusal", oneLine(`the agent gave up, without a word, when it was told no (${denied})`), message);
    // One that worked may end without a word; one that did nothing and says nothing has not answered.
    const nothing = message === "" && conversation.calls === 0;
    const answer = nothing ? { problem: "it is empty" } : await answerIn(message, request);
    if (!("problem" in answer)) return { outcome: "success", message, ...answer };
    if (repairs >= limits.repairTurns) {
      const why = `the agent's answer cannot be used: ${answer.problem}`;
      return failed("output_invalid", oneLine(why), message);
    }
    text = `Your answer cannot be used: ${answer.problem}. Answer again.`;
    conversation.restart();
  }
}

function answerIn(message: string, request: AgentRequest): Promise<Answer> {
  return isStructured(request) ? readAnswer(message, request) : Promise.resolve({});
}

/** One prompt. Once stopped, the agent has a little time to end its turn in order. */
async function turn(session: Session, text: string, stop: AbortSignal, clock: Clock): Promise<StopReason> {
  const prompting = session.prompt(text);
  const ended = await orStopped(prompting, stop);
  if (ended !== "stopped") return ended;
  session.cancel();
  const patience = timer(clock, limits.acpCancelMs);
  const ending = prompting.catch(() => "cancelled" as const);
  await orStopped(ending, patience.signal);
  patience.cancel();
  return "cancelled";
}

function timer(clock: Clock, ms: number): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const over = new AbortController();
  return { signal: over.signal, cancel: clock.after(ms, () => over.abort()) };
}

/** The promise's value, or `stopped` where the signal comes first. */
async function orStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | "stopped"> {
  const { promise: stopped, resolve } = Promise.withResolvers<"stopped">();
  const onAbort = (): void => resolve("stopped");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Whatever it ends with after that is nobody's concern.
    promise.catch(() => undefined);
  }
}

/** Rejects when the agent ends before the work does, and what it last said has been read. */
async function untilGone({ child, clock }: Work, working: Promise<End>): Promise<End> {
  const gone = child.end.then(async (end) => {
    await within(clock, limits.pipeDrainMs, working);
    throw tooEarly(end);
  });
  try {
    return await Promise.race([working, gone]);
  } finally {
    gone.catch(() => undefined);
    working.catch(() => undefined);
  }
}

function tooEarly(end: ProcessEnd): Error {
  return new Error(`the agent ended (${howIt(end)}) before its work did`);
}

/** An agent that is done may put its things in order first; one that was stopped had its time. */
async function dismiss({ child, clock }: Work, stopped: boolean): Promise<void> {
  child.stdin.end();
  if (!stopped) await within(clock, limits.acpDismissMs, child.end);
  await child.kill();
}

/** The promise's value, or null where it takes longer. */
async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | null> {
  const { signal, cancel } = timer(clock, ms);
  try {
    const value = await orStopped(promise, signal);
    return value === "stopped" ? null : value;
  } finally {
    cancel();
  }
}

function howIt(end: ProcessEnd): string {
  if (end.kind === "exit") return `exit ${end.code}`;
  return end.kind === "signal" ? end.signal : end.kind;
}

/** Keeps the last of the agent's standard error. */
function tailOf({ child, request }: Work): () => string {
  let tail = Buffer.alloc(0);
  child.stderr.on("data", (chunk: Buffer) => {
    request.onSign?.();
    tail = Buffer.concat([tail, chunk]).subarray(-limits.acpErrorOutputBytes);
  });
  return () => tail.toString("utf8");
}

function endOf(reason: Exclude<StopReason, "end_turn">, message: string): End {
  switch (reason) {
    case "cancelled":
      return { ...cancelled, message };
    case "refusal":
      return failed("refusal", oneLine(`the agent refused: ${message || "no words"}`), message);
    case "max_tokens":
      return failed("output_limit", "the agent's answer was longer than it may be", message);
    case "max_turn_requests":
      return failed("turn_limit", "the agent used up its own turns", message);
  }
}

function failed(code: ReasonCode, text: string, message: string): End {
  return { outcome: "failure", reason: { code, text }, message };
}
