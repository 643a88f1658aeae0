import type { GateAnswered, GateBasis, GateOpened, JournalEvent } from "../model/events.ts";
import { limits } from "../model/limits.ts";

/** What became of an answer: the one that was recorded, or turned away because of `what`, one clause. */
export type AnswerFate = { readonly kind: "taken" } | { readonly kind: "conflict"; readonly what: string };

/**
 * Told from what its run recorded since the question was read, as it was `asked`
 * then; null while the answer may still be taken.
 */
export function answerFate(
  events: Iterable<JournalEvent>,
  answer: GateAnswered,
  { over, until = Infinity }: Pick<GateOpened, "over" | "until">,
): AnswerFate | null {
  for (const { body, at } of events) {
    if (body.type === "run.finished") return conflict(`the run is over: ${body.status}`);
    if (!("node" in body) || body.node !== answer.node) continue;
    switch (body.type) {
      case "gate.answered":
        return body.id === answer.id ? { kind: "taken" } : conflict(answerText(body, at));
      case "gate.opened":
        if (body.digest !== answer.digest)
          return conflict(`${body.node} asks something else now${changed(over, body.over)}`);
        break;
      case "node.settled":
        if (body.as !== "again") return conflict(`${body.by} settled ${body.node} first`);
        break;
      case "node.ended":
        return conflict(at < until ? `${body.node} waits no longer` : `its time was up at ${time(until)}`);
      default:
        break;
    }
  }
  return null;
}

/** Who decided about a gate that waits no longer, when and how; null where nothing tells. */
export function pastAnswer(events: Iterable<JournalEvent>, node: string): string | null {
  let told: string | null = null;
  for (const { body, at } of events) {
    if (!("node" in body) || body.node !== node) continue;
    if (body.type === "gate.opened") told = null;
    else if (body.type === "gate.answered") told = answerText(body, at);
    else if (body.type === "node.settled" && body.as !== "again")
      told = `${body.by} settled ${node} as ${body.as} at ${time(at)}`;
    else if (body.type === "node.ended" && told === null)
      told = `${node} ended at ${time(at)}: ${body.result.reason?.text ?? body.result.outcome}`;
  }
  return told;
}

/** An answer without an id was given where the run was. */
function answerText({ by, node, answer, id }: GateAnswered, at: number): string {
  const said = typeof answer === "boolean" ? (answer ? "yes" : "no") : JSON.stringify(answer);
  const short = said.length <= limits.answerCharacters ? said : `${said.slice(0, limits.answerCharacters)}…`;
  const how = id === undefined ? "at the terminal of the run" : "with trammel answer";
  return `${by} answered ${node} with ${short} at ${time(at)}, ${how}`;
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

function conflict(what: string): AnswerFate {
  return { kind: "conflict", what };
}
