import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { eventVersion, type JournalEvent } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import { StoreUnavailable } from "../../ports/journal.ts";
import type { JournalRecord, RemovedRun, RunRow } from "../../ports/journal.ts";
import { chain, genesis, textHash } from "./chain.ts";
import { eventsOf, hashColumn, recordColumns, recordOf, runColumns, runOf, type RecordRow } from "./rows.ts";
import { findRemoved } from "./removed.ts";
import { damaged, explain } from "./unavailable.ts";

export interface Tail {
  /** Number of the last event, even of a torn record: numbers are never used twice. */
  readonly seq: number;
  /** Number of the last event of a whole record: the last that can be read. */
  readonly readable: number;
  /** Hash of the last whole record. */
  readonly hash: string;
}

/**
 * Follows the chain of a run. One record that fits nothing may have been cut
 * short by a crash: the next was then chained past it.
 */
class Links {
  readonly run: string;
  hash: string;
  /** Number of the record that did not fit. */
  broken: number | null = null;

  constructor(run: string, hash: string) {
    this.run = run;
    this.hash = hash;
  }

  take(record: JournalRecord): boolean {
    const fits = chain(this.hash, this.run, record) === record.hash;
    this.broken = fits ? null : record.seq;
    if (fits) this.hash = record.hash;
    return fits;
  }
}

/** Everything that is read about runs. Each record is checked against the chain as it is read. */
export class Reader {
  readonly #path: string;
  readonly #torn: (what: string) => void;
  readonly #runId: StatementSync;
  readonly #placed: StatementSync;
  readonly #records: StatementSync;
  readonly #holding: StatementSync;
  readonly #last: StatementSync;
  readonly #runs: StatementSync;
  readonly #children: StatementSync;
  readonly #liveRuns: StatementSync;
  readonly #liveChildren: StatementSync;
  readonly #byPrefix: StatementSync;
  readonly #definition: StatementSync;
  readonly #passes: StatementSync;
  readonly #findRemoved: ReturnType<typeof findRemoved>;

  constructor(db: DatabaseSync, path: string, torn: (what: string) => void) {
    this.#path = path;
    this.#torn = torn;
    this.#runId = db.prepare("SELECT id FROM runs WHERE run = ?");
    this.#placed = db.prepare(`
      SELECT places.seq, events, at, version, ${hashColumn}, body FROM places CROSS JOIN journal ON journal.id = places.record
      WHERE places.run = ? AND places.seq > ? ORDER BY places.seq LIMIT ?`);
    this.#records = db.prepare(`SELECT ${recordColumns} FROM records WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?`);
    this.#holding = db.prepare("SELECT seq FROM records WHERE run = ? AND seq <= ? ORDER BY seq DESC LIMIT 1");
    this.#last = db.prepare(
      `SELECT ${recordColumns} FROM records WHERE run = ? AND seq <= ? ORDER BY seq DESC LIMIT ?`,
    );
    for (const statement of [this.#placed, this.#records, this.#last]) statement.setReturnArrays(true);
    this.#runs = db.prepare(`SELECT ${runColumns} FROM runs WHERE parent IS NULL ORDER BY id DESC LIMIT ?`);
    this.#children = db.prepare(`SELECT ${runColumns} FROM runs WHERE parent = ? ORDER BY id DESC LIMIT ?`);
    const live = (where: string): StatementSync =>
      db.prepare(`SELECT ${runColumns} FROM runs WHERE ${where} AND ended_at IS NULL ORDER BY id DESC LIMIT ?`);
    this.#liveRuns = live("parent IS NULL");
    this.#liveChildren = live("parent = ?");
    this.#byPrefix = db.prepare(`SELECT ${runColumns} FROM runs WHERE run >= ? AND run < ? ORDER BY run LIMIT 2`);
    this.#definition = db.prepare("SELECT document, sha256 FROM definitions WHERE hash = ?");
    this.#findRemoved = findRemoved(db);
    this.#passes = db.prepare("SELECT node, passes FROM passes WHERE task_id = ? AND blueprint = ?");
  }

  *read(run: string, after: number): Iterable<JournalEvent> {
    for (const records of this.#chained(run, after)) {
      const newer = records.findIndex(({ version }) => version > eventVersion);
      const known = newer < 0 ? records : records.slice(0, newer);
      for (const event of eventsOf(run, known)) if (event.seq > after) yield event;
      if (newer >= 0) throw this.#newer(run, records[newer]?.version ?? 0);
    }
  }

  *records(run: string): Iterable<JournalRecord> {
    for (const records of this.#chained(run, 0)) yield* records;
  }

  /**
   * Throws StoreUnavailable. In pages: an open cursor would hold back checkpoints,
   * and a second reader of its statement would reset it.
   */
  *#chained(run: string, after: number): Iterable<readonly JournalRecord[]> {
    try {
      const id = this.#runId.get(run)?.["id"];
      if (id === undefined) return;
      const first = Number(this.#holding.get(id, after + 1)?.["seq"] ?? 1);
      const links = new Links(run, this.#whole(Number(id), run, first - 1).hash);
      for (let rows = this.#page(id, first - 1); rows.length > 0;) {
        yield this.#linked(rows, links);
        rows = rows.length < limits.journalPageRecords ? [] : this.#page(id, rows.at(-1)?.[0] ?? 0);
      }
      if (links.broken !== null) this.#torn(tornText(run, links.broken));
    } catch (error) {
      throw explain(error, this.#path);
    }
  }

  /** Where the next record of a run goes. */
  tail(id: number, run: string): Tail {
    return this.#whole(id, run, Number.MAX_SAFE_INTEGER);
  }

  #linked(rows: readonly RecordRow[], links: Links): JournalRecord[] {
    const { run } = links;
    const records: JournalRecord[] = [];
    for (const row of rows) {
      const record = recordOf(row);
      const was = links.broken;
      if (!links.take(record)) {
        if (was !== null) throw this.#damaged(run, was);
        continue;
      }
      if (was !== null) this.#torn(tornText(run, was));
      records.push(record);
    }
    return records;
  }

  /**
   * The last whole record up to a number. One that was cut short fits none of
   * those before it, and the next was chained past it.
   */
  #whole(id: number, run: string, upTo: number): Tail {
    const records = upTo === 0 ? [] : rowsOf(this.#last.all(id, upTo, limits.tornRecords)).map(recordOf);
    const hashes = records.map(({ hash }) => hash);
    if (records.length < limits.tornRecords) hashes.push(genesis);
    const [last] = records;
    const seq = last === undefined ? 0 : last.seq + last.events - 1;
    for (const [i, record] of records.entries()) {
      const fits = hashes.some((hash, j) => j > i && chain(hash, run, record) === record.hash);
      if (fits) return { seq, readable: record.seq + record.events - 1, hash: record.hash };
      this.#torn(tornText(run, record.seq));
    }
    if (records.length < limits.tornRecords) return { seq, readable: 0, hash: genesis };
    throw this.#damaged(run, seq);
  }

  #page(id: SQLOutputValue, after: number): readonly RecordRow[] {
    const placed = rowsOf(this.#placed.all(id, after, limits.journalPageRecords));
    if (placed.length === limits.journalPageRecords) return placed;
    // Some may have been placed meanwhile: what is left is looked for on both sides at once, which costs more a record.
    const left = limits.journalPageRecords - placed.length;
    return [...placed, ...rowsOf(this.#records.all(id, placed.at(-1)?.[0] ?? after, left))];
  }

  #damaged(run: string, seq: number): StoreUnavailable {
    return damaged(this.#path, `record ${seq} of run ${run} is not what was written`);
  }

  runs(limit: number, inside: string | null, which: "all" | "live" = "all"): readonly RunRow[] {
    const [runs, children] = which === "live" ? [this.#liveRuns, this.#liveChildren] : [this.#runs, this.#children];
    const rows = inside === null ? runs.all(limit) : children.all(inside, limit);
    return rows.map(runOf);
  }

  find(prefix: string): RunRow | null {
    const rows = this.#byPrefix.all(prefix, `${prefix}\u{10ffff}`).map(runOf);
    return rows.find((row) => row.run === prefix) ?? (rows.length === 1 ? (rows[0] ?? null) : null);
  }

  definition(hash: string): string | null {
    const { document, sha256 } = this.#definition.get(hash) ?? {};
    if (typeof document !== "string") return null;
    if (sha256 instanceof Uint8Array && textHash(document).equals(sha256)) return document;
    throw damaged(this.#path, `definition ${hash.slice(0, 12)} is not what was written`);
  }

  removed(run: string): RemovedRun | null {
    return this.#findRemoved(run);
  }

  passes(taskId: string, blueprint: string): Readonly<Record<string, number>> {
    const rows = this.#passes.all(taskId, blueprint);
    return Object.fromEntries(rows.map((row) => [String(row["node"]), Number(row["passes"])]));
  }

  #newer(run: string, version: number): StoreUnavailable {
    return new StoreUnavailable(
      `run ${run} holds records of version ${version}, and this Trammel reads up to ${eventVersion}`,
      "use the newer Trammel that wrote it",
    );
  }
}

/**
 * With setReturnArrays a row is an array of the columns asked for, whose types the
 * STRICT table keeps; the declared type does not know.
 */
function rowsOf(rows: unknown): readonly RecordRow[] {
  return rows as readonly RecordRow[];
}

function tornText(run: string, seq: number): string {
  return `record ${seq} of run ${run} was cut short and is dropped; everything before it stands`;
}
