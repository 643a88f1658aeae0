import { retryJitterMs } from "../../engine/ending/retries.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import { alarm } from "./alarm.ts";

export interface TimerEvents {
  retryDue(attempt: Attempt): void;
  timeSpent(): void;
}

/** The timers of one run: one for its time limit, and one for each attempt that waits to be tried again. */
export class RunTimers {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #events: TimerEvents;
  readonly #retries = new Map<string, () => void>();
  #limit: (() => void) | null = null;

  constructor(clock: Clock, ids: Ids, events: TimerEvents) {
    this.#clock = clock;
    this.#ids = ids;
    this.#events = events;
  }

  retryAfter({ node, pass, attempt }: Attempt, delayMs: number): void {
    const jitterMs = retryJitterMs(delayMs) * this.#ids.random();
    const due = (): void => {
      this.#retries.delete(node);
      this.#events.retryDue({ node, pass, attempt });
    };
    this.#retries.get(node)?.();
    this.#retries.set(node, alarm(this.#clock, Math.round(delayMs + jitterMs), due));
  }

  /** Replaces an earlier limit; null takes it away. */
  limit(remainingMs: number | null): void {
    this.#limit?.();
    this.#limit = remainingMs === null ? null : this.#clock.after(remainingMs, () => this.#events.timeSpent());
  }

  silence(): void {
    this.limit(null);
    for (const cancel of this.#retries.values()) cancel();
    this.#retries.clear();
  }
}
