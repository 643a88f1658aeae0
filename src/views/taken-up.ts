import type { EventBody } from "../model/events.ts";
import type { AttemptView } from "./run-view.ts";

/**
 * Tells a run on over a change of its process. To a node that only waited, or in which runs go on, nothing happened
 * then: the events that hand its attempt over are left out, and what follows is told as of the attempt that it was.
 */
export class TakenUp {
  /** The attempt of each node that was handed over. */
  readonly #over = new Map<string, HandedOver>();
  /** The attempt of each node that was told last. */
  readonly #told = new Map<string, number>();

  /** The event as it is told; null where it is left out. */
  told(body: EventBody): EventBody | null {
    if (!("attempt" in body)) return body;
    const told = this.#as(body);
    if (told !== null) this.#told.set(told.node, told.attempt);
    return told;
  }

  #as(body: AttemptEvent): AttemptEvent | null {
    const { node, attempt } = body;
    if (body.type === "node.unconfirmed" && body.reason.code === "taken_up") {
      this.#over.set(node, { attempt, as: this.#told.get(node) ?? 1, isTold: false });
      return null;
    }
    const over = this.#over.get(node);
    if (over === undefined) return body;
    if (attempt <= over.attempt) {
      if (body.type === "node.settled" && body.by === "engine") return null;
      this.#over.delete(node);
      return body;
    }
    if (attempt === over.attempt + 1 && isTakingUp(body, over)) return null;
    return { ...body, attempt: attempt - over.attempt - 1 + over.as };
  }
}

type AttemptEvent = Extract<EventBody, { readonly attempt: number }>;

interface HandedOver {
  readonly attempt: number;
  /** The attempt that it was told as. */
  readonly as: number;
  /** Whether it has been told since that the node waits. */
  isTold: boolean;
}

/** Whether it says only that the attempt goes on as before. */
function isTakingUp(body: AttemptEvent, over: HandedOver): boolean {
  if (body.type === "node.started") return true;
  if (body.type !== "node.waiting" || over.isTold) return false;
  over.isTold = true;
  return true;
}

/** The attempts of a node as they are told: one that was handed over is one with that which goes on with it. */
export function attemptsAsTold(attempts: readonly AttemptView[]): readonly AttemptView[] {
  const told: AttemptView[] = [];
  let since: number | null = null;
  let before: AttemptView["answers"] = [];
  for (const [at, one] of attempts.entries()) {
    const startedAt: number = since ?? one.startedAt;
    const goesOn = one.reason?.code === "taken_up" && at + 1 < attempts.length;
    since = goesOn ? startedAt : null;
    const answers = [...before, ...one.answers];
    before = goesOn ? answers : [];
    if (!goesOn) told.push({ ...one, n: told.length + 1, startedAt, answers });
  }
  return told;
}
