import type { SQLOutputValue } from "node:sqlite";
import type { EventBody, JournalEvent, ParentLink } from "../../model/events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { RunStatus } from "../../model/outcome.ts";
import { limits } from "../../model/limits.ts";
import type { JournalRecord, RunRow } from "../../ports/journal.ts";

export type Row = Record<string, SQLOutputValue>;

export const runColumns =
  "id, run, blueprint, task_id, task, status, reason, started_at, ended_at, cwd, definition, tree, owner_pid, owner_start, owner_boot, link, key";

/** The hash as the text that it is chained by. */
export const hashColumn = "lower(hex(hash))";

export const recordColumns = `seq, events, at, version, ${hashColumn}, body`;

/** A row of `runs` as it is stored: a live status may belong to an owner that is gone. */
export function runOf(row: Row): RunRow {
  return {
    run: textOf(row, "run"),
    blueprint: textOf(row, "blueprint"),
    taskId: textOf(row, "task_id"),
    task: textOf(row, "task"),
    // Written by this code only, from the same union.
    status: textOf(row, "status") as RunStatus,
    reason: textOrNull(row, "reason"),
    startedAt: Number(row["started_at"]),
    endedAt: row["ended_at"] === null ? null : Number(row["ended_at"]),
    cwd: textOf(row, "cwd"),
    owner: ownerOf(row),
    definition: textOf(row, "definition"),
    tree: textOrNull(row, "tree"),
    key: textOrNull(row, "key"),
    ...parentOf(row),
  };
}

function parentOf(row: Row): Pick<RunRow, "parent"> {
  const link = textOrNull(row, "link");
  // Written by this code only.
  return link === null ? {} : { parent: JSON.parse(link) as ParentLink };
}

export function ownerOf(row: Row): ProcessIdentity {
  return { pid: Number(row["owner_pid"]), startTime: textOf(row, "owner_start"), bootId: textOf(row, "owner_boot") };
}

/** A row of `recordColumns`, read as an array: half the cost of an object where there are thousands. */
export type RecordRow = readonly [number, number, number, number, string, string];

export function recordOf([seq, events, at, version, hash, body]: RecordRow): JournalRecord {
  return { seq, events, at, version, hash, body };
}

/** The events of records. One whose hash was right holds what this code wrote. */
export function eventsOf(run: string, records: readonly JournalRecord[]): readonly JournalEvent[] {
  const parsed = parsedTogether(records.map(({ body }) => body)) as readonly (readonly EventBody[])[];
  return records.flatMap(({ seq, at, hash }, i) =>
    (parsed[i] ?? []).map((body, k): JournalEvent => ({ run, seq: seq + k, at, hash, body })),
  );
}

/** In one go where they are short: what has one form is parsed quicker among its like. */
function parsedTogether(texts: readonly string[]): unknown[] {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters > limits.journalParsedCharacters) return texts.map((text): unknown => JSON.parse(text));
  return JSON.parse(`[${texts.join(",")}]`) as unknown[];
}

/** Empty where it is null. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : "";
}

export function textOrNull(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === "string" ? value : null;
}
