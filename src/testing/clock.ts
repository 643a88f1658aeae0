import { limits } from "../model/limits.ts";
import type { Clock } from "../ports/clock.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Time that goes at its own pace while something is at work, and leaps to the next timer as soon as nothing is: what
 * waits three days is over at once, and what is really carried out keeps its real timeout.
 */
export class StageClock implements Clock {
  readonly #real: Clock;
  readonly #isAtWork: () => boolean;
  readonly #timers = new Set<Timer>();
  #ahead: number;
  #works = 0;
  /** Grows with every work that begins, so that a look can tell whether there was any meanwhile. */
  #begun = 0;
  #watching = false;
  #over = false;
  #disarm: () => void = () => undefined;

  /**
   * `from`: milliseconds since the epoch that it is at least, such as the last event of a run that
   * goes on. `isAtWork` tells of work beside that of {@link work}.
   */
  constructor(real: Clock, from = 0, isAtWork: () => boolean = () => false) {
    this.#real = real;
    this.#isAtWork = isAtWork;
    this.#ahead = Math.max(0, from - real.now());
  }

  now(): number {
    return this.#real.now() + this.#ahead;
  }

  wall(): number {
    return this.#real.wall() + this.#ahead;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.now() + ms, callback };
    this.#timers.add(timer);
    this.#arm();
    this.#watch();
    return () => {
      if (this.#timers.delete(timer)) this.#arm();
    };
  }

  /** Nothing leaps while the work is under way. */
  async work<T>(doing: () => Promise<T>): Promise<T> {
    this.#begun += 1;
    this.#works += 1;
    try {
      return await doing();
    } finally {
      this.#works -= 1;
      this.#watch();
    }
  }

  /** In the middle of work, what is only waited for: time may leap meanwhile. */
  async rest<T>(waiting: () => Promise<T>): Promise<T> {
    this.#works -= 1;
    this.#watch();
    try {
      return await waiting();
    } finally {
      this.#begun += 1;
      this.#works += 1;
    }
  }

  close(): void {
    this.#over = true;
    this.#timers.clear();
    this.#disarm();
  }

  /** The earliest timer comes due in real time too. */
  #arm(): void {
    this.#disarm();
    const next = this.#earliest();
    if (next !== undefined && !this.#over)
      this.#disarm = this.#real.after(Math.max(0, next.at - this.now()), () => this.#fire(next));
  }

  #fire(timer: Timer): void {
    if (!this.#timers.delete(timer)) return;
    timer.callback();
    this.#arm();
  }

  #watch(): void {
    if (this.#watching || this.#over || this.#works > 0 || this.#timers.size === 0) return;
    this.#watching = true;
    const begun = this.#begun;
    this.#real.after(limits.stageQuietMs, () => {
      this.#watching = false;
      if (begun === this.#begun && !this.#isAtWork()) this.#leap();
      else this.#watch();
    });
  }

  /** From timer to timer, as long as none of them sets anything to work. */
  #leap(): void {
    const next = this.#works > 0 || this.#over || this.#isAtWork() ? undefined : this.#earliest();
    if (next === undefined) return this.#watch();
    this.#ahead += Math.max(0, next.at - this.now());
    const begun = this.#begun;
    this.#fire(next);
    setImmediate(() => {
      if (begun === this.#begun) this.#leap();
      else this.#watch();
    });
  }

  #earliest(): Timer | undefined {
    let found: Timer | undefined;
    for (const timer of this.#timers) if (found === undefined || timer.at < found.at) found = timer;
    return found;
  }
}
