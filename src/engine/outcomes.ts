import type { Attempt, EventBody } from "../model/events.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Recorded } from "./recorded.ts";

/** What a journal says of the end of each pass, read up to a place in it: what is still to come, and what has come. */
export class Outcomes {
  readonly #journal: readonly Recorded[];
  readonly #toCome = new Map<string, number>();
  readonly #come = new Map<string, NodeResult>();
  #place = 0;

  constructor(journal: readonly Recorded[]) {
    this.#journal = journal;
    for (const { body } of journal) if (isAboutEnd(body)) this.#count(body, 1);
    // What is open where the journal ends stays so.
    for (const key of openIn(journal)) this.#toCome.set(key, Infinity);
  }

  /** Reads on up to a place in the journal, exclusive. */
  readTo(place: number): void {
    for (; this.#place < place; this.#place += 1) {
      const body = this.#journal[this.#place]?.body;
      if (body === undefined || !isAboutEnd(body)) continue;
      this.#count(body, -1);
      if (body.type === "node.ended" || body.type === "node.retrying") this.#come.set(passKey(body), body.result);
      if (body.type === "node.settled" && body.as !== "again") this.#come.set(passKey(body), settledAs(body.as));
    }
  }

  #count(attempt: Attempt, by: number): void {
    const key = passKey(attempt);
    this.#toCome.set(key, (this.#toCome.get(key) ?? 0) + by);
  }

  /** Whether anything that is still to come may end the pass or its delay; true for ever of one that nothing ended. */
  isToCome(attempt: Attempt): boolean {
    return (this.#toCome.get(passKey(attempt)) ?? 0) > 0;
  }

  /** The last of what has come. */
  of(attempt: Attempt): NodeResult | undefined {
    return this.#come.get(passKey(attempt));
  }
}

export function passKey({ node, pass }: Pick<Attempt, "node" | "pass">): string {
  return `${pass} ${node}`;
}

/** Passes that have begun and not ended. */
function openIn(journal: readonly Recorded[]): Iterable<string> {
  const open = new Map<string, string>();
  for (const { body } of journal) {
    if (body.type === "node.started") open.set(body.node, passKey(body));
    else if (body.type === "node.ended" || body.type === "node.skipped") open.delete(body.node);
    else if (body.type === "node.settled" && body.as !== "again") open.delete(body.node);
  }
  return open.values();
}

type AboutEnd = Extract<
  EventBody,
  { readonly type: "node.ended" | "node.retrying" | "retry.due" | "node.unconfirmed" | "node.settled" }
>;

function isAboutEnd(event: EventBody): event is AboutEnd {
  switch (event.type) {
    case "node.ended":
    case "node.retrying":
    case "retry.due":
    case "node.unconfirmed":
    case "node.settled":
      return true;
    default:
      return false;
  }
}

function settledAs(as: "done" | "failed"): NodeResult {
  if (as === "done") return { outcome: "success" };
  return { outcome: "failure", reason: { code: "crash", text: "settled as failed" } };
}
