import type { DatabaseSync, StatementSync } from "node:sqlite";
import { limits } from "../../model/limits.ts";

/**
 * Where the records of each run are in the journal. The journal is only ever appended to, so that a commit writes the
 * one page at its end; the places of records are written many at a time, and what is not placed yet is found by looking
 * through the end (the view `records` does both). Each method runs inside a transaction of the writer.
 */
export class Places {
  readonly #place: StatementSync;
  readonly #setPlaced: StatementSync;
  readonly #deleteRecords: StatementSync;
  readonly #deletePlaces: StatementSync;
  #unplaced = 0;

  constructor(db: DatabaseSync) {
    // One that is there already stands: of two records with one number nobody can say which is right but the chain.
    this.#place = db.prepare(`
      INSERT INTO places (run, seq, record)
      SELECT run, seq, id FROM journal WHERE id > (SELECT upto FROM placed) ORDER BY run, seq
      ON CONFLICT DO NOTHING`);
    this.#setPlaced = db.prepare("UPDATE placed SET upto = coalesce((SELECT max(id) FROM journal), 0)");
    this.#deleteRecords = db.prepare("DELETE FROM journal WHERE id IN (SELECT record FROM places WHERE run = ?)");
    this.#deletePlaces = db.prepare("DELETE FROM places WHERE run = ?");
  }

  /** A record was appended. */
  appended(): void {
    this.#unplaced += 1;
    if (this.#unplaced >= limits.unplacedRecords) this.place();
  }

  place(): void {
    this.#unplaced = 0;
    this.#place.run();
    this.#setPlaced.run();
  }

  /**
   * Takes all records of runs away. The numbers of the last ones may then be
   * given anew, so that the end begins anew too.
   */
  remove(runs: readonly number[]): void {
    this.place();
    for (const run of runs) {
      this.#deleteRecords.run(run);
      this.#deletePlaces.run(run);
    }
    this.#setPlaced.run();
  }
}
