import type { JournalEvent, NodeEnded, NodeSettled, RunFinished } from "../model/events.ts";
import type { GateAnswered, GateBasis, GateOpened } from "../model/gate-events.ts";
import { answerWords, shortly } from "./words.ts";

/**
 * What became of an answer: the one that was recorded, or turned away because of `what`, one clause. Where the tree
 * changed since the question, `trees` are the two by which git tells what.
 */
export type AnswerFate =
  | { readonly kind: "taken" }
  | { readonly kind: "conflict"; readonly what: string; readonly trees?: readonly [string, string] };

/**
 * Told from what its run recorded since the question was read, as it was `asked`
 * then; null while the answer may still be taken. `name` is that of the gate for whoever answered.
 */
export function answerFate(
  events: Iterable<JournalEvent>,
  answer: GateAnswered,
  { over, until }: Pick<GateOpened, "over" | "until">,
  name = answer.node,
): AnswerFate | null {
  for (const { body, at } of events) {
    if (body.type === "run.finished") return conflict(endText(body, at));
    if (!("node" in body) || body.node !== answer.node) continue;
    switch (body.type) {
      case "gate.answered":
        return body.id === answer.id ? { kind: "taken" } : conflict(answerText(body, at, name));
      case "gate.opened":
        if (body.digest !== answer.digest)
          return {
            ...conflict(`${name} asks something else now${changed(over, body.over)}`),
            ...treesOf(over, body.over),
          };
        break;
      case "node.settled":
        if (body.as !== "again") return conflict(settledText(body, at, name));
        break;
      case "node.ended":
        return conflict(endedText(body, at, name, until));
      default:
        break;
    }
  }
  return null;
}

/** Who or what decided about a gate that waits no longer, when and how; null where nothing tells. */
export function pastAnswer(events: Iterable<JournalEvent>, node: string, name = node): string | null {
  let told: string | null = null;
  let asked: GateOpened | null = null;
  for (const { body, at } of events) {
    if (body.type === "run.finished" && asked !== null) told ??= endText(body, at);
    if (!("node" in body) || body.node !== node) continue;
    if (body.type === "gate.opened") [asked, told] = [body, null];
    else if (body.type === "gate.answered") told = answerText(body, at, name);
    else if (body.type === "node.settled" && body.as !== "again") told = settledText(body, at, name);
    else if (body.type === "node.ended") told ??= endedText(body, at, name, asked?.until);
  }
  return told;
}

/** An answer without an id was given where the run was. */
function answerText({ by, answer, id }: GateAnswered, at: number, name: string): string {
  const how = id === undefined ? "at the terminal of the run" : "with trammel answer";
  return `${by} answered ${name} with ${answerWords(answer)} at ${time(at)}, ${how}`;
}

function settledText({ by, as }: NodeSettled, at: number, name: string): string {
  return `${by} settled ${name} as ${as} at ${time(at)}`;
}

/** A gate that ended without an answer: its time was up, or the run ended it. */
function endedText({ result }: NodeEnded, at: number, name: string, until = Infinity): string {
  const { outcome, reason, output } = result;
  if (at < until) return `${name} ended at ${time(at)}: ${reason?.text ?? outcome}`;
  const decided = output === undefined ? "" : `, and the default decided: ${shortly(output.text)}`;
  return `its time was up at ${time(until)}${decided}`;
}

function endText({ status, reason }: RunFinished, at: number): string {
  const why = reason?.startsWith(status) === true ? reason : `${status}${reason === undefined ? "" : `, ${reason}`}`;
  return `the run ended at ${time(at)}: ${why}`;
}

function time(at: number): string {
  return new Date(at).toISOString();
}

/**
 * What an answer was given for that is another now; nothing where an older version asked, which did not keep it apart.
 */
function changed(before: GateBasis | undefined, now: GateBasis | undefined): string {
  if (before === undefined || now === undefined) return "";
  const what = [
    ...(before.shown === now.shown ? [] : ["what it shows"]),
    ...(before.tree === now.tree ? [] : ["the tree"]),
    ...(before.next === now.next ? [] : ["what is done next"]),
  ];
  return what.length === 0 ? "" : `, since ${what.join(" and ")} changed`;
}

function treesOf(before: GateBasis | undefined, now: GateBasis | undefined): { readonly trees?: [string, string] } {
  const [old, other] = [before?.tree ?? null, now?.tree ?? null];
  return old === null || other === null || old === other ? {} : { trees: [old, other] };
}

function conflict(what: string): Extract<AnswerFate, { readonly kind: "conflict" }> {
  return { kind: "conflict", what };
}
