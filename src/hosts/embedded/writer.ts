import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import { StoreUnavailable } from "../../ports/journal.ts";
import { explain, isBusy } from "./unavailable.ts";

/**
 * How soon and how safely a job is committed. `promise`: at the end of this event-loop turn, on disk.
 * `soon`: at the end of this turn, safe from a crash of this process but not of the machine. `later`: with
 * the next commit, or after `limits.telemetryDelayMs`; as `soon`.
 */
export type Urgency = "promise" | "soon" | "later";

interface Job {
  readonly urgency: Urgency;
  /**
   * Runs inside the transaction and answers what the job's promise resolves with.
   * Checks before it writes: there is no partial rollback.
   */
  readonly apply: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterEvents {
  /** Inside a transaction, before its jobs: another process has committed since the last one. */
  othersWrote(): void;
  /** What jobs did in memory must be forgotten: their transaction was rolled back. */
  rolledBack(): void;
}

export interface WriterPorts {
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Group commit: all jobs of one event-loop turn share one transaction, and their promises resolve after it. Between
 * processes it is fair by politeness: one that finds the lock taken tries again at random moments, one that wins many
 * times running while others write makes a pause.
 */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #events: WriterEvents;
  readonly #ports: WriterPorts;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #inode: number | null;
  #queue: Job[] = [];
  #buffered = 0;
  #wake: "idle" | "later" | "turn" | "pause" | "following" = "idle";
  #followUps = 0;
  #cancelTimer: () => void = () => undefined;
  #durable = true;
  #lastVersion = -1;
  #streak = 0;
  #busySince: number | null = null;
  /** Commits since another process was last noticed. */
  #alone: number = limits.storeCrowdedCommits;

  constructor(db: DatabaseSync, path: string, events: WriterEvents, ports: WriterPorts) {
    this.#db = db;
    this.#path = path;
    this.#inode = inodeOf(path);
    this.#events = events;
    this.#ports = ports;
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#dataVersion = db.prepare("PRAGMA data_version");
    this.#dataVersion.setReturnArrays(true);
  }

  /** `bytes` is the size of what a `later` job holds in memory. */
  submit<T>(urgency: Urgency, apply: () => T, bytes = 0): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ urgency, apply, resolve, reject });
      this.#buffered += bytes;
      this.#schedule(urgency === "later" && this.#buffered < limits.telemetryBufferBytes ? "later" : "turn");
    });
  }

  /** Commits what is buffered; resolves when the queue is empty. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0) await this.submit("soon", () => undefined);
  }

  #schedule(when: "later" | "turn"): void {
    if (this.#wake !== "idle" && !(this.#wake === "later" && when === "turn")) return;
    if (when === "turn" && this.#isCrowded() && this.#streak >= limits.storeStreakCommits) return this.#pause();
    this.#cancelTimer();
    this.#wake = when;
    if (when === "turn") setImmediate(this.#flushOfTurn);
    else this.#cancelTimer = this.#ports.clock.after(limits.telemetryDelayMs, this.#flushOfTurn);
  }

  #pause(): void {
    this.#cancelTimer();
    this.#wake = "pause";
    this.#streak = 0;
    this.#cancelTimer = this.#ports.clock.after(1 + this.#ports.ids.random() * limits.storeRetryMs, this.#flushOfTurn);
  }

  readonly #flushOfTurn = (): void => {
    this.#followUps = 0;
    this.#flush();
  };

  /**
   * What a commit lets go on often asks for the next one without waiting for anything else. Once all
   * of that has run (microtasks, which come before ticks), it is committed right away; after
   * `limits.storeFollowUps` times the event loop has its turn.
   */
  #follow(): void {
    this.#wake = "following";
    this.#followUps += 1;
    queueMicrotask(this.#afterMicrotasks);
  }

  readonly #afterMicrotasks = (): void => process.nextTick(this.#flushFollowing);

  readonly #flushFollowing = (): void => {
    this.#wake = "idle";
    if (this.#queue.length === 0) return;
    if (this.#buffered >= limits.telemetryBufferBytes || this.#queue.some(isUrgent)) this.#flush();
    else this.#schedule("later");
  };

  #flush(): void {
    this.#wake = "idle";
    if (this.#queue.length === 0) return;
    const durable = this.#queue.some(isPromised);
    try {
      this.#setDurable(durable);
      this.#begin.get();
    } catch (error) {
      if (isBusy(error) && this.#mayWait()) return this.#pause();
      return this.#fail(this.#take(), error);
    }
    this.#busySince = null;
    const jobs = this.#take();
    const results: unknown[] = [];
    try {
      if (this.#followUps === 0 && inodeOf(this.#path) !== this.#inode) throw moved(this.#path);
      this.#lookAround();
      for (const job of jobs) results.push(job.apply());
      this.#commit.get();
    } catch (error) {
      this.#rollBack();
      return this.#fail(jobs, error);
    }
    this.#streak += 1;
    if (this.#followUps < limits.storeFollowUps && !this.#isCrowded()) this.#follow();
    // A job's result has the type its own submit gave it; the queue cannot say so.
    for (const [i, job] of jobs.entries()) job.resolve(results[i] as never);
  }

  #isCrowded(): boolean {
    return this.#alone < limits.storeCrowdedCommits;
  }

  #take(): readonly Job[] {
    const jobs = this.#queue;
    this.#queue = [];
    this.#buffered = 0;
    return jobs;
  }

  #setDurable(durable: boolean): void {
    if (durable === this.#durable) return;
    this.#db.exec(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    this.#durable = durable;
  }

  #lookAround(): void {
    // With setReturnArrays a row is an array, which the declared type does not know.
    const version = (this.#dataVersion.get() as unknown as readonly [number])[0];
    this.#alone += 1;
    if (version === this.#lastVersion) return;
    if (this.#lastVersion !== -1) this.#alone = 0;
    this.#lastVersion = version;
    this.#events.othersWrote();
  }

  #mayWait(): boolean {
    this.#alone = 0;
    const now = this.#ports.clock.now();
    this.#busySince ??= now;
    return now - this.#busySince < limits.storeBusyMs;
  }

  #rollBack(): void {
    this.#events.rolledBack();
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    } catch {
      // A full or failing disk may refuse this too; SQLite has then rolled back
      // by itself or will when the file is next opened.
    }
  }

  #fail(jobs: readonly Job[], error: unknown): void {
    const reason =
      this.#busySince === null
        ? explain(error, this.#path)
        : new StoreUnavailable(busyText(this.#path), busyHint, error);
    this.#busySince = null;
    for (const job of jobs) job.reject(reason);
  }
}

function isPromised(job: Job): boolean {
  return job.urgency === "promise";
}

function isUrgent(job: Job): boolean {
  return job.urgency !== "later";
}

const busyHint = "look for a hung trammel or another program that holds the file, end it and try again";

function busyText(path: string): string {
  return `the store ${path} was held by another process for ${limits.storeBusyMs / 1000} s`;
}

/**
 * Which file a path names; null where there is none. Looked at once a turn:
 * the commits that follow come in the same moment.
 */
function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

/** SQLite goes on writing to a file that nobody will find again. */
function moved(path: string): StoreUnavailable {
  return new StoreUnavailable(
    `the store ${path} was removed or replaced while it was open`,
    "put it back if you can; what was recorded since is lost",
  );
}
