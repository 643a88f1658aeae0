import type { GateAnswered, JournalEvent } from "../model/events.ts";

/** What became of an answer: the one that was recorded, or turned away because of `what`, one clause. */
export type AnswerFate = { readonly kind: "taken" } | { readonly kind: "conflict"; readonly what: string };

/** Told from what its run recorded since the question was read; null while the answer may still be taken. */
export function answerFate(events: Iterable<JournalEvent>, answer: GateAnswered): AnswerFate | null {
  for (const { body } of events) {
    if (body.type === "run.finished") return conflict(`the run is over: ${body.status}`);
    if (!("node" in body) || body.node !== answer.node) continue;
    switch (body.type) {
      case "gate.answered":
        return body.id === answer.id ? { kind: "taken" } : conflict(`${body.by} answered ${body.node} first`);
      case "gate.opened":
        if (body.digest !== answer.digest) return conflict(`${body.node} asks something else now`);
        break;
      case "node.settled":
        if (body.as !== "again") return conflict(`${body.by} settled ${body.node} first`);
        break;
      case "node.ended":
        return conflict(`${body.node} waits no longer`);
      default:
        break;
    }
  }
  return null;
}

function conflict(what: string): AnswerFate {
  return { kind: "conflict", what };
}
