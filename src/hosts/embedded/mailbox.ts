import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EventBody } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Message } from "../../ports/journal.ts";

interface Listener {
  readonly run: string;
  readonly deliver: (message: Message) => void;
  /** Highest id delivered; ids only grow. */
  last: number;
}

/**
 * Messages of other processes. While somebody listens, one timer for all listeners asks SQLite whether anything was committed
 * (`PRAGMA data_version`, a look at shared memory) and reads only then.
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
    this.#insert = writing.prepare("INSERT INTO mailbox (run, body) VALUES (?, ?)");
    this.#select = reading.prepare("SELECT id, body FROM mailbox WHERE run = ? AND id > ? ORDER BY id");
    this.#dataVersion = reading.prepare("PRAGMA data_version");
  }

  /** Inside a transaction of the writer. */
  put(run: string, body: EventBody): void {
    this.#insert.run(run, JSON.stringify(body));
  }

  listen(run: string, deliver: (message: Message) => void): () => void {
    const listener: Listener = { run, deliver, last: 0 };
    this.#listeners.add(listener);
    this.#deliverTo(listener);
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
    this.#cancelPoll = this.#clock.after(limits.mailboxPollMs, this.#poll);
    if (!this.#reading.isOpen) return this.close();
    const version = this.#dataVersion.get()?.["data_version"];
    if (version === this.#version) return;
    this.#version = version;
    for (const listener of this.#listeners) this.#deliverTo(listener);
  };

  #deliverTo(listener: Listener): void {
    for (const row of this.#select.all(listener.run, listener.last)) {
      listener.last = Number(row["id"]);
      // Written by `put` only.
      listener.deliver({ id: listener.last, body: JSON.parse(String(row["body"])) as EventBody });
    }
  }
}
