import type { Clock } from "../ports/clock.ts";

/** Longest delay that `setTimeout` takes. */
const timerMaxMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  wall: () => Date.now(),
  after(ms, callback) {
    let left = ms;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const part = Math.min(left, timerMaxMs);
      left -= part;
      timer = setTimeout(left > 0 ? arm : callback, part);
    };
    arm();
    return () => clearTimeout(timer);
  },
};

/** A clock that moves only when told to. */
export class ManualClock implements Clock {
  #now: number;
  #wallOffset = 0;
  readonly #due = new Set<{ readonly at: number; readonly callback: () => void }>();

  constructor(now = 0) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now + this.#wallOffset;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#due.add(timer);
    return () => this.#due.delete(timer);
  }

  /** Timers that are armed. */
  get pending(): number {
    return this.#due.size;
  }

  /** Timers that come due are called in order of time, then of arming, each at its own moment. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#due].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#due.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }

  /** Moves the system clock as a person or NTP would; `now` does not follow. */
  jump(ms: number): void {
    this.#wallOffset += ms;
  }
}
