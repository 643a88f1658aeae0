import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { RunStatus } from "../../model/outcome.ts";
import { limits } from "../../model/limits.ts";
import type { RemovedRun } from "../../ports/journal.ts";
import { textOf } from "./rows.ts";

/** What is left of runs that were removed, so that who asks for one is told so; the oldest are forgotten. */
export class Removed {
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare("INSERT OR REPLACE INTO removed (run, status, at) VALUES (?, ?, ?)");
    this.#forget = db.prepare("DELETE FROM removed WHERE id <= (SELECT max(id) FROM removed) - ?");
  }

  add(run: string, status: RunStatus, at: number): void {
    this.#insert.run(run, status, at);
  }

  bound(): void {
    this.#forget.run(limits.removedRunsRemembered);
  }
}

/** By id or unambiguous prefix. */
export function findRemoved(db: DatabaseSync): (run: string) => RemovedRun | null {
  const select = db.prepare("SELECT run, status, at FROM removed WHERE run >= ? AND run < ? ORDER BY run LIMIT 2");
  return (run) => {
    const rows = select.all(run, `${run}\u{10ffff}`);
    const row = rows.find((one) => one["run"] === run) ?? (rows.length === 1 ? rows[0] : undefined);
    // The status was copied from `runs`.
    return row === undefined
      ? null
      : { run: textOf(row, "run"), status: textOf(row, "status") as RunStatus, at: Number(row["at"]) };
  };
}
