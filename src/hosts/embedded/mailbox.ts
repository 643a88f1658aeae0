import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EventBody } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../ports/journal.ts";

interface Listener {
  readonly run: string;
  readonly deliver: (message: Message) => void;
  readonly failed: (error: unknown) => void;
  /** Highest id delivered; ids only grow. */
  last: number;
}

/**
 * Messages of other processes. While somebody listens, one timer for all listeners asks SQLite whether anything was
 * committed (`PRAGMA data_version`, a look at shared memory) and reads only then.
 */
export class Mailbox {
  readonly #reading: DatabaseSync;
  readonly #clock: Clock;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #listeners = new Set<Listener>();
  #version: unknown;
  #cancelPoll: (() => void) | null = null;

  constructor(writing: DatabaseSync, reading: DatabaseSync, clock: Clock) {
    this.#reading = reading;
    this.#clock = clock;
    this.#insert = writing.prepare(
      "INSERT INTO mailbox (run, body) SELECT run, ? FROM runs WHERE run = ? AND ended_at IS NULL",
    );
    this.#select = reading.prepare("SELECT id, body FROM mailbox WHERE run = ? AND id > ? ORDER BY id");
    this.#dataVersion = reading.prepare("PRAGMA data_version");
  }

  /**
   * Inside a transaction of the writer. What comes after the end of a run is for nobody: it must not meet who takes the
   * run up again.
   */
  put(run: string, body: EventBody): void {
    this.#insert.run(JSON.stringify(body), run);
  }

  listen(run: string, deliver: Listener["deliver"], failed: Listener["failed"]): () => void {
    const listener: Listener = { run, deliver, failed, last: 0 };
    this.#deliverTo(listener);
    this.#listeners.add(listener);
    this.#cancelPoll ??= this.#clock.after(limits.mailboxPollMs, this.#poll);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#cancelPoll?.();
    this.#cancelPoll = null;
  }

  readonly #poll = (): void => {
    if (!this.#reading.isOpen) return this.close();
    this.#cancelPoll = this.#clock.after(limits.mailboxPollMs, this.#poll);
    try {
      this.#look();
    } catch (error) {
      this.#fail(error);
    }
  };

  #look(): void {
    const version = this.#dataVersion.get()?.["data_version"];
    if (version === this.#version) return;
    this.#version = version;
    for (const listener of this.#listeners) this.#deliverTo(listener);
  }

  /** Nobody called the timer who could be told: those who listen are. */
  #fail(error: unknown): void {
    const listeners = [...this.#listeners];
    this.close();
    for (const { failed } of listeners) failed(error);
  }

  #deliverTo(listener: Listener): void {
    for (const row of this.#select.all(listener.run, listener.last)) {
      listener.last = Number(row["id"]);
      // Written by `put` only.
      listener.deliver({ id: listener.last, body: JSON.parse(String(row["body"])) as EventBody });
    }
  }
}
