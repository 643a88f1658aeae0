import { finished } from "node:stream/promises";
import type { StopReason } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { ReasonCode } from "../../model/outcome.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LiveProcess } from "../../ports/processes.ts";
import type { AgentRequest, AgentResult } from "../../ports/provider.ts";
import { type Answer, answerInstructions, isStructured, readAnswer } from "../answer.ts";
import { cancelled } from "../ending.ts";
import { oneLine } from "../../runtime/text.ts";
import { Conversation, type Breach } from "./conversation.ts";
import { classify, Unfit } from "./faults.ts";
import { causeOf, untilGone } from "./gone.ts";
import { orStopped, timer, within } from "../../runtime/time/patience.ts";
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
  const { request, emit, signal, clock, boxed } = work;
  const stopped = new AbortController();
  const breached: { by: Breach | null } = { by: null };
  const conversation = new Conversation({ request, emit, boxed }, (breach) => {
    breached.by ??= breach;
    stopped.abort();
  });
  const said = errorOutputOf(work);
  const stop = AbortSignal.any([signal, stopped.signal]);
  let end: End;
  try {
    end = await carryOut(work, conversation, stop);
  } catch (error) {
    const cause = await causeOf(work, error, said.whole);
    end = { outcome: "error", message: "", ...classify(cause, said.tail(), clock.wall()) };
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
  const { request } = work;
  const session = await opened(work, conversation, stop);
  if (session === "stopped") return cancelled;
  const instructions = isStructured(request) ? answerInstructions(request) : "";
  let text = [request.prompt, request.earlier ?? "", instructions].filter((part) => part !== "").join("\n\n");
  for (let repairs = 0; ; repairs += 1) {
    const reason = await turn(work, session, text, stop);
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

async function opened(work: Work, conversation: Conversation, stop: AbortSignal): Promise<Session | "stopped"> {
  const patience = timer(work.clock, limits.acpStartMs);
  try {
    const opening = openSession({ ...work, conversation, patience: patience.signal });
    const session = await orStopped(untilGone(work, opening), AbortSignal.any([stop, patience.signal]));
    if (session !== "stopped" || stop.aborted) return session;
    throw new Unfit(`the agent was not ready after ${limits.acpStartMs / 1000} s; start it by hand to see why`);
  } finally {
    patience.cancel();
  }
}

/** One prompt. Once stopped, the agent has a little time to end its turn in order. */
async function turn(work: Work, session: Session, text: string, stop: AbortSignal): Promise<StopReason> {
  const prompting = untilGone(work, session.prompt(text));
  const ended = await orStopped(prompting, stop);
  if (ended !== "stopped") return ended;
  session.cancel();
  const patience = timer(work.clock, limits.acpCancelMs);
  const ending = prompting.catch(() => "cancelled" as const);
  await orStopped(ending, patience.signal);
  patience.cancel();
  return "cancelled";
}

/** An agent that is done may put its things in order first; one that was stopped had its time. */
async function dismiss({ child, clock }: Work, stopped: boolean): Promise<void> {
  child.stdin.end();
  if (!stopped) await within(clock, limits.acpDismissMs, child.end);
  await child.kill();
}

/** Keeps the last of the agent's standard error; `whole` once there is no more of it. */
function errorOutputOf({ child, request }: Work): { readonly tail: () => string; readonly whole: Promise<void> } {
  let tail = Buffer.alloc(0);
  child.stderr.on("data", (chunk: Buffer) => {
    request.onSign?.();
    tail = Buffer.concat([tail, chunk]).subarray(-limits.acpErrorOutputBytes);
  });
  return { tail: () => tail.toString("utf8"), whole: finished(child.stderr).catch(() => undefined) };
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
