import type { EventBody, JournalEvent, ProcessIdentity } from "../model/events.ts";
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
  /** Content hash; the definition itself is kept once per hash. */
  readonly definition: string;
}

/** Another writer got there first; `what` says who or what stands now. */
export interface Conflict {
  readonly conflict: "owner" | "passes" | "finished";
  readonly what: string;
}

/**
 * The durable side of a run. Events of one `append` are committed together or not at all; appends of one event-loop turn share a commit.
 * `append` resolves once the commit is on disk (synchronous=FULL where a promise is among them).
 */
export interface Journal {
  /** Creates the run with its first events. `document` is the definition as text, kept under its hash. */
  create(
    row: Omit<RunRow, "status" | "reason" | "endedAt">,
    document: string,
    events: readonly EventBody[],
    at: number,
  ): Promise<void>;
  /** Refused with `passes` where a charge in `events` no longer fits what the store counts, with `owner` where another process owns the run. */
  append(run: string, events: readonly EventBody[], at: number): Promise<null | Conflict>;
  /** In order, from `after` (exclusive) on. */
  read(run: string, after?: number): Iterable<JournalEvent>;
  runs(limit: number): readonly RunRow[];
  /** By id or unambiguous prefix. */
  find(run: string): RunRow | null;
  definition(hash: string): string | null;
  /** Passes charged to (task, blueprint), by node. */
  passes(taskId: string, blueprint: string): Readonly<Record<string, number>>;
  /** Compare-and-set: takes a run over from an owner that is gone. */
  takeOver(run: string, from: ProcessIdentity, to: ProcessIdentity): null | Conflict;
  /** Puts a message for the owner of a run (stop, answer); the owner takes each exactly once. */
  post(run: string, message: EventBody): void;
  take(run: string): readonly EventBody[];
  close(): void;
}
