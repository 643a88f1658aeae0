import { isPromise, type EventBody, type JournalEvent } from "../../model/events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type {
  Ahead,
  Conflict,
  Gone,
  Journal,
  Message,
  NewRun,
  ReadableJournal,
  Wanted,
  TakeOverOptions,
} from "../../ports/journal.ts";
import { Ledger, type LedgerPorts } from "./ledger.ts";
import { Mailbox } from "./mailbox.ts";
import { openStore, type Connections } from "./open.ts";
import { openNothing, openToRead, type ReadConnection } from "./open-to-read.ts";
import { Reader } from "./reader.ts";
import { migrations, type Migration } from "./schema.ts";
import { once, StoreReader } from "./store-reader.ts";
import { TurnTable } from "./turns.ts";
import { explain, explainOpening } from "./unavailable.ts";
import { Writer, type Urgency } from "./writer.ts";

export interface EmbeddedOptions extends LedgerPorts {
  /** Folder of the store; created with mode 0700. */
  readonly home: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Told once of each thing a crash or a fault of the disk left behind, as a sentence for the user. */
  readonly notice: (what: string) => void;
  readonly migrations?: readonly Migration[];
}

/** Opens the store of this machine. Throws StoreUnavailable. */
export function openJournal(options: EmbeddedOptions): EmbeddedJournal {
  const connections = openStore(options.home, options.migrations ?? migrations, options);
  if (connections.notice !== null) options.notice(connections.notice);
  try {
    return new EmbeddedJournal(connections, options);
  } catch (error) {
    connections.reading.close();
    connections.writing.close();
    throw explainOpening(error, connections.path);
  }
}

/**
 * Opens the store of this machine to read it, without a right to write where there is
 * none, as on a read-only disk. Where there is no store none is made. Throws StoreUnavailable.
 */
export function openReader(options: EmbeddedOptions): ReadableJournal {
  const nothing = openNothing(options.home, options.migrations ?? migrations);
  if (nothing !== null) return new ReadOnlyJournal(nothing, options);
  try {
    return openJournal(options);
  } catch (error) {
    const reading = openToRead(options.home, options.migrations ?? migrations, error);
    try {
      return new ReadOnlyJournal(reading, options);
    } catch (fault) {
      reading.db.close();
      throw explainOpening(fault, reading.path);
    }
  }
}

class ReadOnlyJournal extends StoreReader implements ReadableJournal {
  readonly #db: ReadConnection["db"];

  constructor({ db, path }: ReadConnection, { notice, isAlive }: EmbeddedOptions) {
    super(new Reader(db, path, once(notice)), new TurnTable(db, isAlive), isAlive, path);
    this.#db = db;
  }

  close(): Promise<void> {
    this.#db.close();
    return Promise.resolve();
  }
}

/** The journal in one SQLite file that several processes share. */
export class EmbeddedJournal extends StoreReader implements Journal {
  readonly #connections: Connections;
  readonly #ledger: Ledger;
  readonly #writer: Writer;
  readonly #mailbox: Mailbox;

  constructor(connections: Connections, options: EmbeddedOptions) {
    const { writing, reading, path } = connections;
    const { isAlive, notice } = options;
    super(new Reader(reading, path, once(notice)), new TurnTable(reading, isAlive), isAlive, path);
    this.#connections = connections;
    this.#ledger = new Ledger(writing, new Reader(writing, path, once(options.notice)), options);
    this.#mailbox = new Mailbox(writing, reading, options.clock);
    const events = { othersWrote: () => this.#ledger.doubt(), rolledBack: () => this.#ledger.forget() };
    this.#writer = new Writer(writing, path, events, options);
  }

  create(
    row: NewRun,
    document: string,
    events: readonly EventBody[],
    at: number,
    kept: ReadonlyMap<string, string> = new Map(),
  ): Promise<readonly JournalEvent[] | Conflict> {
    const documents = new Map([...kept, [row.definition, document]]);
    return this.#writer.submit("promise", () => this.#ledger.create(row, documents, events, at));
  }

  append(
    run: string,
    events: readonly EventBody[],
    at: number,
    taken: readonly number[] = nothingTaken,
    kept: ReadonlyMap<string, string> = nothingKept,
  ): Promise<readonly JournalEvent[] | Conflict> {
    const urgency = taken.length > 0 ? "promise" : urgencyOf(events);
    const bytes = urgency === "later" ? events.reduce((sum, event) => sum + sizeOf(event), 0) : 0;
    return this.#writer.submit(urgency, () => this.#ledger.append(run, events, at, taken, kept), bytes);
  }

  takeOver(
    run: string,
    from: ProcessIdentity,
    to: ProcessIdentity,
    read: number,
    options: TakeOverOptions = {},
  ): Promise<null | Conflict> {
    return this.#writer.submit("promise", () => this.#ledger.takeOver(run, from, to, read, options));
  }

  giveBack(run: string): Promise<void> {
    return this.#writer.submit("promise", () => this.#ledger.giveBack(run));
  }

  release(run: string): Promise<void> {
    return this.#writer.submit("promise", () => this.#ledger.release(run));
  }

  remove(runs: readonly string[], at: number): Promise<readonly string[]> {
    return this.#writer.submit("promise", () => this.#ledger.remove(runs, at));
  }

  post(run: string, message: EventBody): Promise<void> {
    return this.#writer.submit("promise", () => this.#mailbox.put(run, message));
  }

  listen(run: string, deliver: (message: Message) => void, failed: (error: unknown) => void): () => void {
    const told = (error: unknown): void => failed(explain(error, this.#connections.path));
    return this.guard(() => this.#mailbox.listen(run, deliver, told));
  }

  ahead(wanted: Wanted): readonly Ahead[] {
    return this.guard(() => [...this.turns.ahead(wanted)]);
  }

  gone(wanted: Pick<Wanted, "run" | "tree" | "key">): readonly Gone[] {
    return this.guard(() => this.turns.gone(wanted));
  }

  enter(wanted: Wanted): Promise<void> {
    return this.#writer.submit("promise", () => this.#ledger.turns.enter(wanted));
  }

  leave(run: string): Promise<void> {
    return this.#writer.submit("promise", () => this.#ledger.turns.leave(run));
  }

  async close(): Promise<void> {
    this.#mailbox.close();
    try {
      await this.#writer.drain();
    } finally {
      this.#connections.reading.close();
      this.#connections.writing.close();
    }
  }
}

const nothingTaken: readonly number[] = [];
const nothingKept: ReadonlyMap<string, string> = new Map();

function urgencyOf(events: readonly EventBody[]): Urgency {
  if (events.some(isPromise)) return "promise";
  return events.every((event) => event.type === "agent.progressed") ? "later" : "soon";
}

/** Roughly what an event holds in memory while it waits for a commit. */
function sizeOf(event: EventBody): number {
  return JSON.stringify(event).length;
}
