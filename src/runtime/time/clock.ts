import type { Clock } from "../../ports/clock.ts";

/** Longest delay that `setTimeout` takes. */
const timerMaxMs = 2 ** 31 - 1;

/** From this delay on a timer is armed at the end of the turn of the event loop in which it was asked for. */
const lateMs = 1_000;

/** When this process began, in milliseconds since the epoch; asking for it costs more than asking how long ago. */
const { timeOrigin } = performance;

/**
 * A timer that can be given up. It rings after what has come by then has been read: a process that was busy or stopped
 * for long has its timers due before it has heard of ends, answers and signs of life that came in time.
 */
class Alarm {
  readonly #callback: () => void;
  readonly #due: number;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(ms: number, callback: () => void) {
    this.#callback = callback;
    this.#due = performance.now() + ms;
  }

  arm(): void {
    if (this.#isOver) return;
    const left = Math.max(0, Math.ceil(this.#due - performance.now()));
    this.#timer = setTimeout(() => this.#look(), Math.min(left, timerMaxMs));
  }

  /** A timer of the platform can be short of its time, and by a part of a millisecond too early. */
  #look(): void {
    if (performance.now() < this.#due) this.arm();
    else setImmediate(() => this.#ring());
  }

  #ring(): void {
    if (!this.#isOver) this.#callback();
  }

  giveUp(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

/** Most long timers guard something that is over before the turn is: those never cost a timer of the system. */
let late: Alarm[] = [];

function armLate(): void {
  const due = late;
  late = [];
  for (const alarm of due) alarm.arm();
}

export const systemClock: Clock = {
  now: () => Math.round(timeOrigin + performance.now()),
  wall: () => Date.now(),
  after(ms, callback) {
    const alarm = new Alarm(ms, callback);
    if (ms < lateMs) alarm.arm();
    else if (late.push(alarm) === 1) setImmediate(armLate);
    return () => alarm.giveUp();
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
