import { createHash } from "node:crypto";
import type { HumanNode } from "../model/blueprint.ts";
import type { Json } from "../model/json.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Answer, Question } from "../ports/gate.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";

/** Asks a person and routes on the answer. Never retried: every end but an answer says that it is not known to be without effect. */
export const human: Performer<HumanNode> = {
  type: "human",
  class: "human",
  missing: (node) =>
    node.mode === "form" ? `node ${node.id}: mode form cannot be asked on a terminal; use input or choice` : null,
  perform: ask,
};

async function ask(context: ActionContext<HumanNode>): Promise<NodeResult> {
  const question = await questionOf(context);
  const digest = digestOf(question);
  context.report({ kind: "gate_opened", mode: question.mode, prompt: question.prompt, digest });
  const deadline = expiry(context.timeoutMs, context.signal);
  const answer = await context.can.gates.ask(question, deadline.signal);
  deadline.clear();
  if (context.signal.aborted)
    return { outcome: "cancelled", reason: { code: "cancelled", text: "stopped while it waited for an answer" } };
  if (answer.kind === "nobody" && deadline.signal.aborted) return expired(context);
  const value = valueOf(answer);
  if (value !== undefined && "by" in answer)
    context.report({ kind: "gate_answered", by: answer.by, digest, answer: value });
  return resultOf(answer, context.node);
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
  const shown = [question.mode, question.prompt, question.evidence, question.options];
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
      return {
        outcome: "failure",
        reason: { code: "declined", text: `declined by ${answer.by}` },
        output: said("no"),
        value: false,
      };
    case "text":
      return node.mode === "choice" ? chosen(answer.text) : { outcome: "success", output: said(answer.text) };
    case "value":
      return { outcome: "success", output: said(JSON.stringify(answer.value)), value: answer.value };
    case "nobody":
      return {
        outcome: "error",
        reason: { code: "no_terminal", text: `${node.id} needs a person and there is no terminal to ask at` },
      };
    case "end_of_input":
      return { outcome: "error", reason: { code: "end_of_input", text: `input ended before ${node.id} was answered` } };
  }
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

const timerMaxMs = 2 ** 31 - 1;

/** Aborts with `outer`, or after `ms` of any length. */
function expiry(ms: number | null, outer: AbortSignal): { readonly signal: AbortSignal; clear(): void } {
  if (ms === null) return { signal: outer, clear: () => undefined };
  const own = new AbortController();
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    const slice = Math.min(left, timerMaxMs);
    timer = setTimeout(() => (left > slice ? wait(left - slice) : own.abort()), slice);
  };
  wait(ms);
  return { signal: AbortSignal.any([outer, own.signal]), clear: () => clearTimeout(timer) };
}
