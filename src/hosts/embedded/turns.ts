import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { Ahead, Conflict, Gone, Queued, Wanted } from "../../ports/journal.ts";
import { ownerOf, type Row, textOf, textOrNull } from "./rows.ts";

type IsAlive = (process: ProcessIdentity) => boolean;

type Claim = Pick<Wanted, "run" | "tree" | "key">;

/**
 * Who has or waits for a working tree or a key: whoever executes a run that named it, and a parked run, though nobody
 * does. Writes happen inside a transaction of the writer.
 */
export class TurnTable {
  readonly #isAlive: IsAlive;
  readonly #live: StatementSync;
  readonly #waiting: StatementSync;
  readonly #place: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #all: StatementSync;

  constructor(db: DatabaseSync, isAlive: IsAlive) {
    this.#isAlive = isAlive;
    const columns = "run, blueprint, tree, key, owner_pid, owner_start, owner_boot";
    // Two queries for two indices.
    this.#live = db.prepare(`
      SELECT id, status, ${columns} FROM runs WHERE tree = ?1 AND ended_at IS NULL
      UNION SELECT id, status, ${columns} FROM runs WHERE key = ?2 AND ended_at IS NULL ORDER BY id`);
    this.#waiting = db.prepare(`SELECT ${columns} FROM turns WHERE (tree = ? OR key = ?) AND id < ? ORDER BY id`);
    this.#place = db.prepare("SELECT id FROM turns WHERE run = ?");
    this.#insert = db.prepare(`INSERT INTO turns (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    this.#delete = db.prepare("DELETE FROM turns WHERE run = ?");
    this.#all = db.prepare(`SELECT ${columns} FROM turns ORDER BY id`);
  }

  *ahead({ run, tree, key }: Claim): Generator<Ahead> {
    if (tree === null && key === null) return;
    for (const row of this.#live.all(tree, key))
      if (this.#counts(row, run) || (isParked(row) && row["run"] !== run))
        yield aheadOf(row, tree, this.#standing(row));
    const place = Number(this.#place.get(run)?.["id"] ?? Number.MAX_SAFE_INTEGER);
    for (const row of this.#waiting.all(tree, key, place))
      if (this.#counts(row, run)) yield aheadOf(row, tree, "waits");
  }

  #standing(row: Row): Standing {
    return isParked(row) && !this.#isAlive(ownerOf(row)) ? "parked" : "works";
  }

  gone({ run, tree, key }: Claim): readonly Gone[] {
    if (tree === null && key === null) return [];
    const dead = this.#live.all(tree, key).filter((row) => row["run"] !== run && !this.#isAlive(ownerOf(row)));
    return dead.map((row) => ({ run: textOf(row, "run"), owner: ownerOf(row), waits: isParked(row) }));
  }

  /** Whose process is gone waits no more. */
  queued(): readonly Queued[] {
    const waiting = this.#all.all().filter((row) => this.#isAlive(ownerOf(row)));
    return waiting.map((row) => {
      const claim = { run: textOf(row, "run"), tree: textOrNull(row, "tree"), key: textOrNull(row, "key") };
      return {
        run: claim.run,
        blueprint: textOf(row, "blueprint"),
        owner: ownerOf(row),
        ahead: [...this.ahead(claim)],
      };
    });
  }

  /** Why a run cannot have what it wants now. */
  conflict(claim: Claim): Conflict | null {
    const [first] = this.ahead(claim);
    return first === undefined ? null : takenBy(first);
  }

  /**
   * Why a parked run cannot go on with what it has: older stores let others
   * begin beside it. Those that wait do so for it.
   */
  conflictOfParked(claim: Claim): Conflict | null {
    const { run, tree, key } = claim;
    const other = this.#live.all(tree, key).find((row) => this.#counts(row, run));
    return other === undefined ? null : takenBy(aheadOf(other, tree, "works"));
  }

  enter({ run, blueprint, tree, key, owner }: Wanted): void {
    for (const row of this.#all.all()) if (!this.#isAlive(ownerOf(row))) this.#delete.run(row["run"] ?? null);
    this.#insert.run(run, blueprint, tree, key, owner.pid, owner.startTime, owner.bootId);
  }

  leave(run: string): void {
    this.#delete.run(run);
  }

  #counts(row: Row, except: string): boolean {
    return row["run"] !== except && this.#isAlive(ownerOf(row));
  }
}

/** How one that is before another has what both want; `parked` where nobody executes it. */
type Standing = "works" | "parked" | "waits";

function isParked(row: Row): boolean {
  return row["status"] === "waiting";
}

function takenBy({ run, what, parked }: Ahead): Conflict {
  return { conflict: "taken", what, holder: run, ...(parked === true ? { parked } : {}) };
}

function aheadOf(row: Row, tree: string | null, standing: Standing): Ahead {
  const run = textOf(row, "run");
  const words = tree !== null && row["tree"] === tree ? ofTree : ofKey;
  const place = words === ofTree ? tree : `the key ${JSON.stringify(textOf(row, "key"))}`;
  const what = `run ${run} (${textOf(row, "blueprint")}) ${words[standing]} ${place}`;
  return { run, what, waits: standing === "waits", ...(standing === "parked" ? { parked: true } : {}) };
}

const ofTree = { works: "is working in", parked: "is parked in", waits: "waits for" } as const;
const ofKey = { works: "has", parked: "is parked and has", waits: "waits for" } as const;
