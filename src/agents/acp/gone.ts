import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LiveProcess, ProcessEnd } from "../../ports/processes.ts";
import { Unfit } from "./faults.ts";
import { within } from "../../runtime/time/patience.ts";

interface Agent {
  readonly child: LiveProcess;
  readonly clock: Clock;
}

/** What an agent answers. Rejects when it is gone, and what it last said has been read. */
export async function untilGone<T>({ child, clock }: Agent, answer: Promise<T>): Promise<T> {
  const gone = child.end.then(async (end) => {
    // An answer has come or fails once its output ends, which something that got away may hold open.
    await within(clock, limits.pipeDrainMs, answer);
    throw tooEarly(end);
  });
  try {
    return await Promise.race([answer, gone]);
  } finally {
    gone.catch(() => undefined);
    answer.catch(() => undefined);
  }
}

/**
 * Why an agent has not answered: what it or we ourselves have said of that, and else, since it was the connection that
 * broke, how its process ended. That is waited for, and then for what it has `said`.
 */
export async function causeOf({ child, clock }: Agent, error: unknown, said: Promise<unknown>): Promise<unknown> {
  if (error instanceof RequestError || error instanceof Unfit) return error;
  const ended = await within(clock, limits.acpDismissMs, child.end);
  if (ended === null) return error;
  await within(clock, limits.pipeDrainMs, said);
  return tooEarly(ended);
}

function tooEarly(end: ProcessEnd): Error {
  return new Error(`the agent ended (${howIt(end)}) before its work did`);
}

function howIt(end: ProcessEnd): string {
  if (end.kind === "exit") return `exit ${end.code}`;
  return end.kind === "signal" ? end.signal : end.kind;
}
