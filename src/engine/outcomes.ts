import type { Attempt } from "../model/attempt.ts";
import type { EventBody } from "../model/events.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Recorded } from "./recorded.ts";

/** What a journal says of the end of each pass, read up to a place in it: what is still to come, and what has come. */
export class Outcomes {
  readonly #journal: readonly Recorded[];
  readonly #toCome = new Map<string, number>();
  readonly #come = new Map<string, NodeResult>();
  /** Places at which a pass was given up that waited for its next attempt. */
  readonly #givenUp: ReadonlyMap<number, string>;
  #place = 0;

  constructor(journal: readonly Recorded[]) {
    this.#journal = journal;
    const { open, givenUp } = openedIn(journal);
    this.#givenUp = givenUp;
    for (const { body } of journal) if (isAboutEnd(body)) this.#count(passKey(body), 1);
    for (const key of givenUp.values()) this.#count(key, 1);
    // What is open where the journal ends stays so.
    for (const key of open) this.#toCome.set(key, Infinity);
  }

  /** Reads on up to a place in the journal, exclusive. */
  readTo(place: number): void {
    for (; this.#place < place; this.#place += 1) {
      const body = this.#journal[this.#place]?.body;
      const givenUp = this.#givenUp.get(this.#place);
      if (givenUp !== undefined) this.#count(givenUp, -1);
      if (body === undefined || !isAboutEnd(body)) continue;
      this.#count(passKey(body), -1);
      if (body.type === "node.ended" || body.type === "node.retrying") this.#come.set(passKey(body), body.result);
      if (body.type === "node.settled" && body.as !== "again") this.#come.set(passKey(body), settledAs(body.as));
    }
  }

  #count(key: string, by: number): void {
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

interface Opened {
  /** Passes that have begun and not ended. */
  readonly open: Iterable<string>;
  /** Those that were skipped before they had ended, by the place of that in the journal. */
  readonly givenUp: ReadonlyMap<number, string>;
}

function openedIn(journal: readonly Recorded[]): Opened {
  const open = new Map<string, string>();
  const givenUp = new Map<number, string>();
  for (const [place, { body }] of journal.entries()) {
    if (body.type === "node.started") open.set(body.node, passKey(body));
    else if (body.type === "node.settled" && body.as === "again") continue;
    else if (body.type === "node.ended" || body.type === "node.settled") open.delete(body.node);
    else if (body.type === "node.skipped") {
      const key = open.get(body.node);
      if (key !== undefined) givenUp.set(place, key);
      open.delete(body.node);
    }
  }
  return { open: open.values(), givenUp };
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
