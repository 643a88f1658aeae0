import type { EventBody } from "../../model/events.ts";

/** Whether a live run waits: while nothing but questions to people is open and pauses are kept, in it or in runs inside it. */
export class Standing {
  /** Attempts that are being performed, as far as events since this began tell. */
  #active = 0;
  readonly #waiting = new Set<string>();
  /** Nodes that a provider asked to pause, and until when. */
  readonly #asleep = new Map<string, number>();

  get waits(): boolean {
    return this.#waiting.size + this.#asleep.size > 0 && this.#waiting.size >= this.#active;
  }

  /** The first pause to end, where nothing else is waited for. */
  get pause(): { readonly node: string; readonly until: number } | null {
    if (this.#waiting.size > 0) return null;
    const [first] = [...this.#asleep].toSorted(([, a], [, b]) => a - b);
    return first === undefined ? null : { node: first[0], until: first[1] };
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
        this.#waiting.add(body.node);
        return true;
      case "gate.answered":
        this.#waiting.delete(body.node);
        return true;
      case "node.waiting":
        if (body.waits) this.#waiting.add(body.node);
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
