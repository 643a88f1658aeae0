import { createHash } from "node:crypto";
import type { HumanNode } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import type { Answer, Question } from "../ports/gate.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";

/** Asks a person and routes on the answer. Never retried: every end but an answer says that it is not known to be without effect. */
export function createHumanPerformer(clock: Clock, isUser: (name: string) => boolean): Performer<HumanNode> {
  const missing = (node: HumanNode): string | null => unseen(node) ?? unanswerable(node, isUser);
  return { type: "human", class: "human", missing, perform: (context) => ask(context, clock) };
}

/** One of them is enough: the others may sit at other machines. */
function unanswerable({ id, approvers }: HumanNode, isUser: (name: string) => boolean): string | null {
  if (approvers === undefined || approvers.some(isUser)) return null;
  if (approvers.length === 0) return `human "${id}": approvers is empty, so nobody could answer it`;
  return `human "${id}": nobody could answer it: none of its approvers is a user here: ${approvers.join(", ")}`;
}

function unseen({ id, fields = {} }: HumanNode): string | null {
  const secret = Object.keys(fields).find((name) => fields[name]?.sensitive === true);
  return secret === undefined
    ? null
    : `human "${id}": the sensitive field "${secret}" would be seen as it is typed; make it an input`;
}

async function ask(context: ActionContext<HumanNode>, clock: Clock): Promise<NodeResult> {
  const question = await questionOf(context);
  const digest = digestOf(question);
  context.report({ kind: "gate_opened", mode: question.mode, prompt: question.prompt, digest });
  const deadline = new AbortController();
  const cancel = onExpiry(context, clock, () => deadline.abort());
  const answer = await context.can.gates.ask(question, AbortSignal.any([context.signal, deadline.signal]));
  cancel?.();
  if (context.signal.aborted)
    return { outcome: "cancelled", reason: { code: "cancelled", text: "stopped while it waited for an answer" } };
  if (answer.kind === "nobody" && deadline.signal.aborted) return expired(context);
  const stranger = strangerTo(answer, context.node);
  if (stranger !== null) return stranger;
  const value = valueOf(answer);
  if (value !== undefined && "by" in answer)
    context.report({ kind: "gate_answered", by: answer.by, digest, answer: value });
  return resultOf(answer, context.node);
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

async function questionOf({ run, node, values }: ActionContext<HumanNode>): Promise<Question> {
  const [prompt, ...evidence] = await Promise.all([
    values.text(node.prompt, limits.promptValueBytes),
    ...(node.show ?? []).map((one) => values.text(one, limits.gateEvidenceBytes)),
  ]);
  return {
    run,
    node: node.id,
    mode: node.mode,
    prompt,
    evidence,
    options: node.options ?? [],
    fields: node.fields ?? {},
  };
}

function digestOf(question: Question): string {
  const shown = [question.mode, question.prompt, question.evidence, question.options, question.fields];
  return createHash("sha256").update(JSON.stringify(shown)).digest("hex");
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

function expired({ node }: ActionContext<HumanNode>): NodeResult {
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
