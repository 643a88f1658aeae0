import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

function database(home: string): DatabaseSync {
  return new DatabaseSync(join(home, "trammel.db"), { readOnly: true });
}

/** Bytes of everything the journal holds: what a floor must write to be worth comparing. */
export function journalBytes(home: string): number {
  const db = database(home);
  const row = db.prepare("SELECT sum(length(body) + length(hash) + 32) AS bytes FROM journal").get();
  db.close();
  return Number(row?.["bytes"]);
}

/** Reads every row of the journal; returns how many there are. */
export function readRows(home: string): number {
  const db = database(home);
  const rows = db.prepare("SELECT * FROM journal ORDER BY id").all();
  db.close();
  return rows.length;
}
