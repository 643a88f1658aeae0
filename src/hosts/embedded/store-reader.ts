import { limits } from "../../model/limits.ts";
import type { JournalEvent } from "../../model/events.ts";
import type { JournalReader, JournalRecord, Queued, RemovedRun, RunRow } from "../../ports/journal.ts";
import type { IsAlive } from "./ledger.ts";
import type { Reader } from "./reader.ts";
import type { TurnTable } from "./turns.ts";
import { explain } from "./unavailable.ts";

/** What is read of a store, as it stands: a live run whose owner is gone is not live. */
export class StoreReader implements JournalReader {
  readonly #reader: Reader;
  readonly #isAlive: IsAlive;
  readonly #path: string;

  protected readonly turns: TurnTable;

  /** `turns` reads too. */
  constructor(reader: Reader, turns: TurnTable, isAlive: IsAlive, path: string) {
    this.#reader = reader;
    this.turns = turns;
    this.#isAlive = isAlive;
    this.#path = path;
  }

  read(run: string, after = 0): Iterable<JournalEvent> {
    return this.#reader.read(run, after);
  }

  records(run: string): Iterable<JournalRecord> {
    return this.#reader.records(run);
  }

  runs(limit: number, inside: string | null = null, which: "all" | "live" = "all"): readonly RunRow[] {
    const alive = new Map<string, boolean>();
    return this.guard(() => this.#reader.runs(limit, inside, which).map((row) => this.#asItStands(row, alive)));
  }

  find(run: string): RunRow | null {
    const row = this.guard(() => this.#reader.find(run));
    return row === null ? null : this.#asItStands(row, new Map());
  }

  definition(hash: string): string | null {
    return this.guard(() => this.#reader.definition(hash));
  }

  passes(taskId: string, blueprint: string): Readonly<Record<string, number>> {
    return this.guard(() => this.#reader.passes(taskId, blueprint));
  }

  removed(run: string): RemovedRun | null {
    return this.guard(() => this.#reader.removed(run));
  }

  queued(): readonly Queued[] {
    return this.guard(() => this.turns.queued());
  }

  protected guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw explain(error, this.#path);
    }
  }

  #asItStands(row: RunRow, alive: Map<string, boolean>): RunRow {
    if (row.endedAt !== null) return row;
    const { pid, startTime, bootId } = row.owner;
    const key = `${pid} ${startTime} ${bootId}`;
    const lives = alive.get(key) ?? this.#isAlive(row.owner);
    alive.set(key, lives);
    // A run that only waits for a person needs no engine meanwhile: it is parked, not broken off.
    return lives || row.status === "waiting" ? row : { ...row, status: "interrupted" };
  }
}

/** Says each thing once, and not more than a bound of them. */
export function once(say: (what: string) => void): (what: string) => void {
  const said = new Set<string>();
  return (what) => {
    if (said.has(what) || said.size >= limits.noticesPerProcess) return;
    said.add(what);
    say(what);
  };
}
