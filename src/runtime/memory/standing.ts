import type { EventBody } from "../../model/events.ts";

const none = (): boolean => false;

/**
 * Whether a live run waits, by its events: for people, for pauses that a provider asked for, or for a time of its own.
 * An agent that asks for leave is at work.
 */
export class Standing {
  /** Nodes that are being performed or are about to be tried again, as far as events since this began tell. */
  readonly #active = new Set<string>();
  /** Those of them that wait: for a person, or where runs inside them keep nothing but pauses, until when. */
  readonly #asking = new Map<string, number | null>();
  /** Those of them that wait for a time. */
  readonly #timed = new Set<string>();
  /** Nodes that a provider asked to pause, and until when. */
  readonly #asleep = new Map<string, number>();
  readonly #isTimer: (node: string) => boolean;

  /** `isTimer` names the nodes that wait for a time; without them such a node is at work. */
  constructor(isTimer: (node: string) => boolean = none) {
    this.#isTimer = isTimer;
  }

  /** While nothing but questions to people is open and pauses are kept, in it or in runs inside it. */
  get waits(): boolean {
    return this.#asking.size + this.#asleep.size > 0 && this.#asking.size >= this.#active.size;
  }

  /** While nothing is at work. */
  get rests(): boolean {
    const resting = this.#asking.size + this.#timed.size;
    return resting + this.#asleep.size > 0 && resting >= this.#active.size;
  }

  /** The first pause to end, where nothing else is waited for. */
  get pause(): { readonly node: string; readonly until: number } | null {
    let first: { readonly node: string; readonly until: number } | null = null;
    for (const [node, until] of [...this.#asking, ...this.#asleep]) {
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
        this.#asleep.delete(body.node);
        return true;
      case "node.started":
        this.#active.add(body.node);
        if (this.#isTimer(body.node)) this.#timed.add(body.node);
        return true;
      case "gate.opened":
        if (body.leave === true) return false;
        this.#asking.set(body.node, null);
        return true;
      case "gate.answered":
        this.#asking.delete(body.node);
        return true;
      case "node.waiting":
        this.#awake(body.node);
        if (body.waits && body.time === true) this.#timed.add(body.node);
        else if (body.waits) this.#asking.set(body.node, body.until ?? null);
        return true;
      case "node.retrying":
        this.#awake(body.node);
        if (body.until === undefined) return true;
        this.#active.delete(body.node);
        this.#asleep.set(body.node, body.until);
        return true;
      case "node.skipped":
      case "node.settled":
      case "node.ended":
      case "node.unconfirmed":
        this.#awake(body.node);
        this.#active.delete(body.node);
        this.#asleep.delete(body.node);
        return true;
      default:
        return false;
    }
  }

  #awake(node: string): void {
    this.#asking.delete(node);
    this.#timed.delete(node);
  }
}
