import type { EventBody } from "../../model/events.ts";

/** Whether a live run waits: while nothing but questions to people is open and pauses are kept, in it or in runs inside it. */
export class Standing {
  /** Attempts that are being performed, as far as events since this began tell. */
  #active = 0;
  /** Attempts that wait: for a person, or where runs inside them keep nothing but pauses, until when. */
  readonly #waiting = new Map<string, number | null>();
  /** Nodes that a provider asked to pause, and until when. */
  readonly #asleep = new Map<string, number>();

  get waits(): boolean {
    return this.#waiting.size + this.#asleep.size > 0 && this.#waiting.size >= this.#active;
  }

  /** The first pause to end, where nothing else is waited for. */
  get pause(): { readonly node: string; readonly until: number } | null {
    let first: { readonly node: string; readonly until: number } | null = null;
    for (const [node, until] of [...this.#waiting, ...this.#asleep]) {
      if (until === null) return null;
      if (first === null || until < first.until) first = { node, until };
    }
    return first;
  }

  /** Whether the event can have changed it. */
  take(body: EventBody): boolean {
    switch (body.type) {
      case "run.resumed":
        for (const [node, until] of Object.entries(body.asleep ?? {})) this.#asleep.set(node, until);
        return true;
      case "retry.due":
      case "node.skipped":
      case "node.settled":
        this.#asleep.delete(body.node);
        return true;
      case "node.started":
        this.#active += 1;
        return true;
      case "gate.opened":
        this.#waiting.set(body.node, null);
        return true;
      case "gate.answered":
        this.#waiting.delete(body.node);
        return true;
      case "node.waiting":
        if (body.waits) this.#waiting.set(body.node, body.until ?? null);
        else this.#waiting.delete(body.node);
        return true;
      case "node.ended":
      case "node.retrying":
      case "node.unconfirmed":
        // What an engine that died had claimed was not counted here.
        this.#active = Math.max(0, this.#active - 1);
        this.#waiting.delete(body.node);
        this.#asleep.delete(body.node);
        if (body.type === "node.retrying" && body.until !== undefined) this.#asleep.set(body.node, body.until);
        return true;
      default:
        return false;
    }
  }
}
