import type { EventBody } from "../model/events.ts";

/**
 * Tells a run on over a change of its process. To a node that only waited, or in which runs go on, nothing happened
 * then: the events that hand its attempt over are left out, and what follows is told as of the attempt that it was.
 */
export class TakenUp {
  /** The attempt of each node that was handed over, and whether it has been told since that the node waits. */
  readonly #over = new Map<string, { readonly attempt: number; isTold: boolean }>();

  /** The event as it is told; null where it is left out. */
  told(body: EventBody): EventBody | null {
    if (!("attempt" in body)) return body;
    if (body.type === "node.unconfirmed" && body.reason.code === "taken_up") {
      this.#over.set(body.node, { attempt: body.attempt, isTold: false });
      return null;
    }
    const over = this.#over.get(body.node);
    if (over === undefined) return body;
    if (body.attempt <= over.attempt) {
      if (body.type === "node.settled" && body.by === "engine") return null;
      this.#over.delete(body.node);
      return body;
    }
    if (body.type === "node.started" || (body.type === "node.waiting" && !over.isTold)) {
      over.isTold = body.type === "node.waiting";
      return null;
    }
    return { ...body, attempt: body.attempt - over.attempt };
  }
}
