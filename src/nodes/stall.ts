import { limits } from "../model/limits.ts";
import type { Clock } from "../ports/clock.ts";

export interface StallParts {
  readonly clock: Clock;
  /** How long an agent may show no sign of life. */
  readonly afterMs: number;
  /** Called once in each silence, at half of that time. */
  readonly warn: (quietMs: number, leftMs: number) => void;
  /** Called once, when all of it has passed. */
  readonly stalled: () => void;
}

/**
 * Watches whether an agent still does anything: events, and output of what it
 * runs. Nothing is expected of one that is made to wait.
 */
export class StallWatch {
  readonly #parts: StallParts;
  #last: number;
  #warned = false;
  #held = 0;
  #disarm: () => void = () => undefined;

  constructor(parts: StallParts) {
    this.#parts = parts;
    this.#last = parts.clock.now();
    this.#arm(this.#warnMs);
  }

  alive(): void {
    this.#last = this.#parts.clock.now();
    this.#warned = false;
  }

  /** It is made to pause for so long from now on. */
  rest(ms: number): void {
    this.alive();
    this.#last += ms;
  }

  /** Waits along while it waits for a person. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#held += 1;
    try {
      return await work;
    } finally {
      this.#held -= 1;
      this.alive();
    }
  }

  stop(): void {
    this.#disarm();
  }

  get #warnMs(): number {
    return this.#parts.afterMs * limits.agentStallWarnRatio;
  }

  #arm(ms: number): void {
    this.#disarm = this.#parts.clock.after(ms, () => this.#look());
  }

  #look(): void {
    const { clock, afterMs, warn, stalled } = this.#parts;
    if (this.#held > 0) return this.#arm(this.#warnMs);
    const quiet = clock.now() - this.#last;
    if (quiet >= afterMs) return stalled();
    if (quiet >= this.#warnMs && !this.#warned) {
      this.#warned = true;
      warn(quiet, afterMs - quiet);
    }
    this.#arm((this.#warned ? afterMs : this.#warnMs) - quiet);
  }
}
