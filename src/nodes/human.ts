import type { HumanNode } from "../model/node.ts";
import type { GateOpened } from "../model/gate-events.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import type { Answer } from "../ports/gate.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";
import { questionOf, type Showing } from "./question.ts";

/**
 * Asks a person and routes on the answer. Never retried: every end but an answer
 * says that it is not known to be without effect.
 */
export function createHumanPerformer(
  clock: Clock,
  isUser: (name: string) => boolean,
  showing: Showing,
): Performer<HumanNode> {
  const missing = (node: HumanNode): string | null => unseen(node) ?? unanswerable(node, isUser);
  return {
    type: "human",
    class: "human",
    missing,
    perform: async (context) =>
      (await ask(context, context.node, { clock, ...showing, pass: context.attempt.pass })).result,
  };
}

/** One of them is enough: the others may sit at other machines. */
function unanswerable({ approvers }: HumanNode, isUser: (name: string) => boolean): string | null {
  if (approvers === undefined || approvers.some(isUser)) return null;
  if (approvers.length === 0) return "approvers is empty, so nobody could answer it";
  return `nobody could answer it: none of its approvers is a user here: ${approvers.join(", ")}`;
}

function unseen({ fields = {} }: HumanNode): string | null {
  const secret = Object.keys(fields).find((name) => fields[name]?.sensitive === true);
  return secret === undefined ? null : `the sensitive field "${secret}" would be seen as it is typed; make it an input`;
}

interface Asking extends Showing {
  readonly clock: Clock;
  /** Of the gate. */
  readonly pass: number;
  /** Said with what is shown, where it was asked before. */
  readonly because?: string;
}

/** What became of a question; where it came to an answer, `digest` is that of what it was given for. */
export interface Settled {
  readonly result: NodeResult;
  readonly digest?: string;
  /** Whether nobody could be asked. */
  readonly nobody?: boolean;
}

/**
 * Asks the gate of an attempt, its own or one that was answered before it. An approval stands for what it was given
 * for: where that changed while it was given, it is asked again.
 */
export async function ask(context: ActionContext, gate: HumanNode, asking: Asking): Promise<Settled> {
  const { clock, pass } = asking;
  const isOwn = gate === context.node;
  const deadline = new AbortController();
  const cancel = isOwn ? onExpiry(context, clock, () => deadline.abort()) : null;
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  try {
    for (let { because } = asking, times = 1; ; because = outdated, times += 1) {
      const { question, digest, over } = await questionOf(context, gate, pass, asking);
      const { mode, prompt } = question;
      const bound: Pick<GateOpened, "of" | "until"> = isOwn ? untilOf(context) : { of: gate.id };
      context.report({ kind: "gate_opened", mode, prompt, digest, over, ...bound });
      const answer = await context.can.gates.ask(because === undefined ? question : { ...question, because }, signal);
      if (context.signal.aborted) return { result: stoppedWaiting };
      if (answer.kind === "nobody" && (deadline.signal.aborted || isTooLate(bound, clock)))
        return { result: expired(gate) };
      const stranger = strangerTo(answer, gate);
      if (stranger !== null) return { result: stranger };
      if (answer.kind === "approved" && (await questionOf(context, gate, pass, asking)).digest !== digest) {
        if (times < limits.gateOpenings) continue;
        return { result: restless(gate, times) };
      }
      const value = valueOf(answer);
      if (value !== undefined && "by" in answer)
        context.report({ kind: "gate_answered", by: answer.by, digest, answer: value });
      return { result: resultOf(answer, gate), digest, nobody: answer.kind === "nobody" };
    }
  } finally {
    cancel?.();
  }
}

export const stoppedWaiting: NodeResult = {
  outcome: "cancelled",
  reason: { code: "cancelled", text: "stopped while it waited for an answer" },
};

/** What it asks about does not come to rest, so that no yes holds. */
export function restless({ id }: HumanNode, times: number): NodeResult {
  return { outcome: "error", reason: { code: "no_terminal", text: `${id} was asked ${times} times: ${outdated}` } };
}

/** Why an approval does not hold. */
export const outdated = "the tree, what was shown or what is done next has changed since it was asked";

function untilOf({ timeoutMs, since }: ActionContext): Pick<GateOpened, "until"> {
  return timeoutMs === null ? {} : { until: since + timeoutMs };
}

function isTooLate({ until }: Pick<GateOpened, "until">, clock: Clock): boolean {
  return until !== undefined && clock.now() >= until;
}

/** The time to answer runs from the start of the pass, whoever waits meanwhile: a restart gives no more of it. */
function onExpiry({ timeoutMs, since }: ActionContext, clock: Clock, expire: () => void): (() => void) | null {
  return timeoutMs === null ? null : clock.after(Math.max(0, since + timeoutMs - clock.now()), expire);
}

/** Only those whom the node names may answer it. */
function strangerTo(answer: Answer, { id, approvers }: HumanNode): NodeResult | null {
  if (approvers === undefined || !("by" in answer) || approvers.includes(answer.by)) return null;
  const text = `${answer.by} may not answer ${id}; its approvers are ${approvers.join(", ")}`;
  return { outcome: "error", reason: { code: "no_terminal", text } };
}

function valueOf(answer: Answer): Json | undefined {
  switch (answer.kind) {
    case "approved":
      return true;
    case "declined":
      return false;
    case "text":
      return answer.text;
    case "value":
      return answer.value;
    case "nobody":
    case "end_of_input":
      return undefined;
  }
}

function resultOf(answer: Answer, node: HumanNode): NodeResult {
  switch (answer.kind) {
    case "approved":
      return { outcome: "success", output: said("yes"), value: true };
    case "declined":
      return declined(`declined by ${answer.by}`);
    case "text":
      if (node.mode === "approval") return noApproval(answer.by);
      return node.mode === "choice" ? chosen(answer.text) : { outcome: "success", output: said(answer.text) };
    case "value":
      if (node.mode === "approval") return noApproval(answer.by);
      return { outcome: "success", output: said(JSON.stringify(answer.value)), value: answer.value };
    case "nobody":
      return {
        outcome: "error",
        reason: {
          code: "no_terminal",
          text: `${node.id} needs a person and there is no terminal to ask at; with --detach the run waits for an answer`,
        },
      };
    case "end_of_input":
      return { outcome: "error", reason: { code: "end_of_input", text: `input ended before ${node.id} was answered` } };
  }
}

/** What is not a typed yes is none. */
function noApproval(by: string): NodeResult {
  return declined(`what ${by} answered is no approval`);
}

function declined(text: string): NodeResult {
  return { outcome: "failure", reason: { code: "declined", text }, output: said("no"), value: false };
}

function expired(node: HumanNode): NodeResult {
  const fallback = node.default;
  const timeout = { code: "timeout", text: "nobody answered in time" } as const;
  if (fallback === undefined) return { outcome: "failure", reason: timeout };
  if (node.mode === "choice" && typeof fallback === "string") return chosen(fallback);
  if (node.mode !== "approval") {
    return {
      outcome: "success",
      output: said(typeof fallback === "string" ? fallback : JSON.stringify(fallback)),
      value: fallback,
    };
  }
  return fallback === true || fallback === "yes"
    ? { outcome: "success", output: said("yes"), value: true }
    : { outcome: "failure", reason: timeout, output: said("no"), value: false };
}

function chosen(option: string): NodeResult {
  return { outcome: "success", option, output: said(option), value: option };
}

function said(text: string): { readonly text: string; readonly bytes: number } {
  return { text, bytes: Buffer.byteLength(text) };
}
