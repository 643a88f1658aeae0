import type { Clock } from "../../src/ports/clock.ts";
import { systemClock } from "../../src/runtime/time/clock.ts";

export const hourMs = 3_600_000;

/** The clock of the system, but what is due in an hour or later is due as soon as the test turns it. */
export class Hourglass implements Clock {
  readonly #held = new Set<() => void>();

  now(): number {
    return systemClock.now();
  }

  wall(): number {
    return systemClock.wall();
  }

  after(ms: number, callback: () => void): () => void {
    if (ms < hourMs) return systemClock.after(ms, callback);
    this.#held.add(callback);
    return () => this.#held.delete(callback);
  }

  turn(): void {
    for (const callback of this.#held) callback();
    this.#held.clear();
  }
}
