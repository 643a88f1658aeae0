import type { Readable } from "node:stream";
import type { HumanOption } from "../../model/node.ts";
import { limits } from "../../model/limits.ts";
import type { Answer, GateKeeper, Question } from "../../ports/gate.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { inert } from "../../views/inert.ts";
import { fillForm } from "./form.ts";
import { Lines } from "./lines.ts";
import type { Output } from "../output.ts";
import { userName } from "../user.ts";
import { dropTypedAhead, isTerminal } from "./type-ahead.ts";

/** The terminal where nothing else is drawn on it. */
export const idleScreen = { suspend: () => undefined, resume: () => undefined };

export interface TerminalGateOptions {
  readonly input: Readable;
  readonly err: Output;
  /** Frees the terminal for the question, and gives it back. */
  readonly screen: { suspend(): void; resume(): void };
}

/** Nobody can be asked: every gate answers so at once. */
export const unattendedGates: GateKeeper = { nobody: true, ask: () => Promise.resolve({ kind: "nobody" }) };

/** Asks at the terminal, one question at a time, in the order they came. Only a typed yes approves. */
export function terminalGates({ input, err, screen }: TerminalGateOptions): GateKeeper {
  const by = userName();
  const lines = new Lines(input);
  let turn: Promise<unknown> = Promise.resolve();

  const put = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    if (signal.aborted) return { kind: "nobody" };
    screen.suspend();
    if (isTerminal(input) && !lines.ended) lines.ended = !(await dropTypedAhead(input));
    err.write(text(question));
    const answer = await (question.mode === "form" ? form(question, signal) : single(question, signal));
    if (answer === null) {
      err.write("\n");
      await hangup(signal);
    }
    screen.resume();
    return answer ?? none(signal);
  };

  const single = async (question: Question, signal: AbortSignal): Promise<Answer | null> => {
    for (;;) {
      err.write(invitation(question));
      const typed = await lines.next(signal);
      if (typed === null) return null;
      const answer = read(typed, question, by);
      if (answer !== null) return answer;
    }
  };

  const show = (question: Question): void => {
    screen.suspend();
    err.write(`${text(question)}${waitingFor(question)}`);
    screen.resume();
  };

  const form = async ({ fields }: Question, signal: AbortSignal): Promise<Answer | null> => {
    const value = await fillForm(
      fields,
      (said) => err.write(said),
      () => lines.next(signal),
    );
    return value === null ? null : { kind: "value", by, value };
  };

  return {
    ask(question, signal) {
      if (question.approvers?.includes(by) === false) {
        // Whoever sits here may not answer: it stands until somebody else has, elsewhere.
        const shown = turn.then(() => show(question));
        turn = shown;
        return shown.then(() => nobodyUntil(signal));
      }
      const answer = turn.then(() => put(question, signal));
      turn = answer;
      return answer;
    },
  };
}

function nobodyUntil(signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: "nobody" });
    signal.addEventListener("abort", () => resolve({ kind: "nobody" }), { once: true });
  });
}

/** A terminal that is closed ends the input a moment before its signal stops the run; that is nobody's answer. */
function hangup(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      giveUp();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const giveUp = systemClock.after(limits.hangupMs, done);
    signal.addEventListener("abort", done, { once: true });
  });
}

function none(signal: AbortSignal): Answer {
  return { kind: signal.aborted ? "nobody" : "end_of_input" };
}

/** Null asks again. */
function read(typed: string, question: Question, by: string): Answer | null {
  const answer = typed.trim();
  switch (question.mode) {
    case "approval":
      return { kind: /^(?:y|yes|ok)$/i.test(answer) ? "approved" : "declined", by };
    case "choice": {
      const option = choose(answer, question.options);
      return option === undefined ? null : { kind: "text", by, text: option.id };
    }
    case "input":
    case "form":
      return { kind: "text", by, text: typed };
  }
}

function choose(answer: string, options: readonly HumanOption[]): HumanOption | undefined {
  const byNumber = /^\d{1,4}$/.test(answer) ? options[Number(answer) - 1] : undefined;
  return options.find((option) => option.id === answer) ?? byNumber;
}

function text(question: Question): string {
  const because = question.because === undefined ? "" : `  asked again: ${question.because}\n`;
  const evidence = question.evidence.map((one) => `${inert(one).replace(/^/gm, "  │ ")}\n`).join("");
  const options = question.options.map(
    (option, at) => `  ${at + 1}  ${option.id}${option.title === undefined ? "" : `  ${inert(option.title)}`}\n`,
  );
  return `\n${evidence}${because}${question.node}: ${inert(question.prompt)}\n${options.join("")}`;
}

function waitingFor({ run, approvers = [] }: Question): string {
  return `${approvers.join(", ")} may answer, and nobody else: trammel inbox tells how; run ${run} waits for it\n`;
}

function invitation({ mode, options }: Question): string {
  if (mode === "approval") return "Approve? [y/N] ";
  return mode === "choice" ? `One of 1–${options.length} or its name: ` : "> ";
}
