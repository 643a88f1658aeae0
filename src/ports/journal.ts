import type { EventBody, JournalEvent, ParentLink } from "../model/events.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RunStatus } from "../model/outcome.ts";

export interface RunRow {
  readonly run: string;
  readonly blueprint: string;
  readonly taskId: string;
  readonly task: string;
  readonly status: RunStatus;
  readonly reason: string | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly cwd: string;
  readonly owner: ProcessIdentity;
  /** Content hash of what it started with, or went on with last; the definition itself is kept once per hash. */
  readonly definition: string;
  /** Absolute path of the working tree that the run has to itself while it is live, or null. */
  readonly tree: string | null;
  /** What it shares with no other live run that names it too, or null. */
  readonly key: string | null;
  /** The run that it is part of. */
  readonly parent?: ParentLink;
}

export type NewRun = Omit<RunRow, "status" | "reason" | "endedAt">;

/** Another writer got there first; `what` is one sentence that says who or what stands now. */
export interface Conflict {
  readonly conflict: "owner" | "passes" | "finished" | "taken";
  readonly what: string;
  /** The run that has the tree or the key, or waits for it longer. */
  readonly holder?: string;
  /** Whether that one is parked. */
  readonly parked?: true;
}

/** Something another process wants of the owner of a run: a stop, an answer. */
export interface Message {
  readonly id: number;
  readonly body: EventBody;
}

/**
 * The durable side of a run. Events of one `append` are committed together or not at all; appends of one event-loop
 * turn share a commit. `append` resolves once the commit is on disk (synchronous=FULL where a promise is among them).
 * What cannot be read or written rejects with {@link StoreUnavailable}, and nothing of that commit stands.
 */
export interface JournalWriter {
  /**
   * Creates the run with its first events. `document` is the definition as text, kept under its hash; so are those of
   * `kept`. Refused with `passes` or `taken`. Its turn, if it waited for one, has come with that.
   */
  create(
    row: NewRun,
    document: string,
    events: readonly EventBody[],
    at: number,
    kept?: ReadonlyMap<string, string>,
  ): Promise<readonly JournalEvent[] | Conflict>;
  /**
   * Refused with `passes` where a charge in `events` no longer fits what the store counts, with `owner` where another
   * process owns the run, with `finished` after its end. The messages named in `taken` are gone with the same commit:
   * each takes effect exactly once. `kept` are definitions by their content hash, of what a run goes on with.
   */
  append(
    run: string,
    events: readonly EventBody[],
    at: number,
    taken?: readonly number[],
    kept?: ReadonlyMap<string, string>,
  ): Promise<readonly JournalEvent[] | Conflict>;
  /**
   * Compare-and-set: takes a live run over from an owner that is gone, or one that waits for a decision from whoever
   * had it. `read` is the number of the last event that its taker knows: refused where there is a later one. Refused
   * with `taken` where another has its tree or its key, unless it is only to be stopped.
   */
  takeOver(
    run: string,
    from: ProcessIdentity,
    to: ProcessIdentity,
    read: number,
    options?: TakeOverOptions,
  ): Promise<null | Conflict>;
  /**
   * Takes a `takeOver` back that nothing was recorded after: the run is whose it was, as it stood. Of any other run
   * nothing changes.
   */
  giveBack(run: string): Promise<void>;
  /** Lets go of a run of this process: whoever wants to go on with it may take it over from `nobody`. */
  release(run: string): Promise<void>;
  /**
   * Removes runs that are over for good and those inside them, with their records and messages, all in one commit, and
   * answers which of them. Counts of passes stay with their task; definitions stay, since another run may call them;
   * that they were removed `at` this time stays known.
   */
  remove(runs: readonly string[], at: number): Promise<readonly string[]>;
}

export interface TakeOverOptions {
  /** Nothing of it will be performed. */
  readonly onlyStopped?: boolean;
}

/** A record of the chain as it is stored: `body` is the very text that was hashed, a JSON list of its events. */
export interface JournalRecord {
  /** Number of its first event. */
  readonly seq: number;
  readonly events: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly version: number;
  /** SHA-256 in hex over the hash before and this record. */
  readonly hash: string;
  readonly body: string;
}

export interface JournalReader {
  /** In order, from `after` (exclusive) on. */
  read(run: string, after?: number): Iterable<JournalEvent>;
  /** The whole records of a run in order, each chained to the one before it. */
  records(run: string): Iterable<JournalRecord>;
  /**
   * Newest first: runs of their own, or those inside a run; `live`: only those that may go
   * on. A live run whose owner is gone reads `interrupted`.
   */
  runs(limit: number, inside?: string | null, which?: "all" | "live"): readonly RunRow[];
  /** By id or unambiguous prefix. */
  find(run: string): RunRow | null;
  /** Null where it is not kept; one that is not what was written makes the store unavailable. */
  definition(hash: string): string | null;
  /** Passes charged to (task, blueprint), by node. */
  passes(taskId: string, blueprint: string): Readonly<Record<string, number>>;
}

/** How any process speaks to the one that owns a run. */
export interface Mailboxes {
  /** Puts a message for the owner of a run; one that has ended gets none. */
  post(run: string, message: EventBody): Promise<void>;
  /**
   * Calls back with each message that waits for a run or comes for it, once per listener; returns its end. `failed` is
   * called once with {@link StoreUnavailable} where messages can no longer be read, and nothing comes after it.
   */
  listen(run: string, deliver: (message: Message) => void, failed: (error: unknown) => void): () => void;
}

/** What a run wants to itself. */
export type Wanted = Pick<NewRun, "run" | "blueprint" | "tree" | "key" | "owner">;

/** A run that stands before another; `what` is one sentence that says what it has or waits for. */
export interface Ahead {
  readonly run: string;
  readonly what: string;
  readonly waits: boolean;
  /** Whether nobody executes it, so that it goes on only once somebody answers or stops it. */
  readonly parked?: true;
}

/** A run whose owner died with it; `waits` where it had come to nothing but waiting. */
export interface Gone {
  readonly run: string;
  readonly owner: ProcessIdentity;
  readonly waits: boolean;
}

/** Runs that wait for others, first come first served. Whoever waits and is gone stands before nobody. */
export interface Turns {
  /**
   * Live runs first, parked ones among them, then those that wait longer, in their order.
   * Empty: it is its turn, and stays so for one that has entered.
   */
  ahead(wanted: Wanted): readonly Ahead[];
  /**
   * Runs that have or had the tree or the key and are not over, of owners that
   * are gone: what those started may still be at work.
   */
  gone(wanted: Pick<Wanted, "run" | "tree" | "key">): readonly Gone[];
  /** Takes the last place. */
  enter(wanted: Wanted): Promise<void>;
  leave(run: string): Promise<void>;
}

/** A run to be that waits for its turn. */
export interface Queued {
  readonly run: string;
  readonly blueprint: string;
  /** The process that waits for it. */
  readonly owner: ProcessIdentity;
  /** Those that stand before it. */
  readonly ahead: readonly Ahead[];
}

/** What is known of a run that was removed. */
export interface RemovedRun {
  readonly run: string;
  /** As it was. */
  readonly status: RunStatus;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A store that is only read. */
export interface ReadableJournal extends JournalReader {
  /** By id or unambiguous prefix, of the last {@link limits.removedRunsRemembered}. */
  removed(run: string): RemovedRun | null;
  /** In their order. */
  queued(): readonly Queued[];
  close(): Promise<void>;
}

/** All sides of one store. Throws {@link StoreUnavailable} where it cannot be read or written. */
export interface Journal extends ReadableJournal, JournalWriter, Mailboxes, Turns {
  /** Commits what is still buffered. */
  close(): Promise<void>;
}

/**
 * The store cannot be read or written: nothing can be promised, so nothing goes on.
 * `message` is one sentence that says what and where; `hint` says what to do next.
 */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
