import type { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../ports/journal.ts";
import { textHash } from "./chain.ts";
import { damaged } from "./unavailable.ts";

/** "TRAM": tells a store from any other SQLite file. */
const applicationId = 0x5452_414d;

/** Brings a store from the version of its index + 1 to the next; runs inside one transaction with a copy kept. */
export type Migration = (db: DatabaseSync) => void;

/** Index 0 creates version 1 from nothing. A released entry never changes: a new shape is a new entry. */
export const migrations: readonly Migration[] = [
  createVersion1,
  addParents,
  addTurns,
  addTextHashes,
  addPlaces,
  addRemoved,
];

function createVersion1(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE definitions (hash TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;

    CREATE TABLE runs (
      id INTEGER PRIMARY KEY,
      run TEXT NOT NULL UNIQUE,
      blueprint TEXT NOT NULL,
      task_id TEXT NOT NULL,
      task TEXT NOT NULL,
      status TEXT NOT NULL,
      reason TEXT,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      cwd TEXT NOT NULL,
      definition TEXT NOT NULL,
      tree TEXT,
      owner_pid INTEGER NOT NULL,
      owner_start TEXT NOT NULL,
      owner_boot TEXT NOT NULL
    ) STRICT;
    CREATE INDEX live_trees ON runs (tree) WHERE tree IS NOT NULL AND ended_at IS NULL;

    -- Appended to only. A record holds the events of one append as a JSON list, numbered from seq on.
    -- hash = SHA-256 over the hash of the record before it in the run, and this record.
    CREATE TABLE journal (
      id INTEGER PRIMARY KEY,
      run INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      events INTEGER NOT NULL,
      at INTEGER NOT NULL,
      version INTEGER NOT NULL,
      hash BLOB NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX journal_by_run ON journal (run, seq);

    CREATE TABLE passes (
      task_id TEXT NOT NULL,
      blueprint TEXT NOT NULL,
      node TEXT NOT NULL,
      passes INTEGER NOT NULL,
      PRIMARY KEY (task_id, blueprint, node)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE mailbox (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, body TEXT NOT NULL) STRICT;
    PRAGMA application_id = ${applicationId};
  `);
}

/** Runs inside runs: the link as JSON, and the run that it names. */
function addParents(db: DatabaseSync): void {
  db.exec(`
    ALTER TABLE runs ADD COLUMN parent TEXT;
    ALTER TABLE runs ADD COLUMN link TEXT;
    CREATE INDEX children ON runs (parent) WHERE parent IS NOT NULL;
    CREATE INDEX top_runs ON runs (id) WHERE parent IS NULL;
  `);
}

/** So that a definition is known to be what was written: its content hash is of what it means, not of its text. */
function addTextHashes(db: DatabaseSync): void {
  db.exec("ALTER TABLE definitions ADD COLUMN sha256 BLOB");
  const set = db.prepare("UPDATE definitions SET sha256 = ? WHERE hash = ?");
  for (const { hash, document } of db.prepare("SELECT hash, document FROM definitions").all())
    set.run(textHash(String(document)), String(hash));
}

/** What runs have to themselves beside a tree, and those to be that wait for it. */
function addTurns(db: DatabaseSync): void {
  db.exec(`
    ALTER TABLE runs ADD COLUMN key TEXT;
    CREATE INDEX live_keys ON runs (key) WHERE key IS NOT NULL AND ended_at IS NULL;

    -- In the order of their numbers; one whose process is gone waits no more.
    CREATE TABLE turns (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      run TEXT NOT NULL UNIQUE,
      blueprint TEXT NOT NULL,
      tree TEXT,
      key TEXT,
      owner_pid INTEGER NOT NULL,
      owner_start TEXT NOT NULL,
      owner_boot TEXT NOT NULL
    ) STRICT;
  `);
}

/** In place of an index that every commit writes: see `Places`. */
export function addPlaces(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE places (
      run INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      record INTEGER NOT NULL,
      PRIMARY KEY (run, seq)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO places (run, seq, record) SELECT run, seq, id FROM journal;

    -- One row: records up to this id have their place.
    CREATE TABLE placed (upto INTEGER NOT NULL) STRICT;
    INSERT INTO placed (upto) SELECT coalesce(max(id), 0) FROM journal;
    DROP INDEX journal_by_run;

    CREATE VIEW records AS
      SELECT places.run AS run, places.seq AS seq, events, at, version, hash, body
      FROM places CROSS JOIN journal ON journal.id = places.record
      UNION ALL
      SELECT run, seq, events, at, version, hash, body FROM journal WHERE id > (SELECT upto FROM placed);
  `);
}

/** What is left of runs that were pruned. */
function addRemoved(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE removed (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      run TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
  `);
}

/**
 * Creates or migrates. Everything happens in one transaction, so that of two processes one does it and the other finds
 * it done. A store of a newer version is refused untouched. `keepCopy` is called before an older store is changed.
 */
export function bringUp(
  db: DatabaseSync,
  path: string,
  steps: readonly Migration[],
  keepCopy: (version: number) => void,
): void {
  const found = versionOf(db);
  if (found === steps.length) return refuseStranger(db, path);
  if (found < 0) throw damaged(path, `its version is ${found}`);
  if (found > steps.length) throw newer(path, found, steps.length);
  if (found > 0) {
    refuseStranger(db, path);
    keepCopy(found);
  }
  db.exec("BEGIN IMMEDIATE");
  try {
    const now = versionOf(db);
    if (now === 0 && hasTables(db)) throw stranger(path);
    for (const step of steps.slice(now)) step(db);
    db.exec(`PRAGMA user_version = ${Math.max(now, steps.length)}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Whether a store that may not be written is one of this version; throws StoreUnavailable. */
export function checkVersion(db: DatabaseSync, path: string, steps: readonly Migration[]): void {
  refuseStranger(db, path);
  const found = versionOf(db);
  if (found > steps.length) throw newer(path, found, steps.length);
  if (found < steps.length)
    throw new StoreUnavailable(
      `the store ${path} has version ${found}, and may not be written to bring it to version ${steps.length}`,
      "run any command as a user who may write there, or copy the folder to where you may and set TRAMMEL_HOME to it",
    );
}

function refuseStranger(db: DatabaseSync, path: string): void {
  if (pragma(db, "application_id") !== applicationId) throw stranger(path);
}

export function versionOf(db: DatabaseSync): number {
  return pragma(db, "user_version");
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

function stranger(path: string): StoreUnavailable {
  return new StoreUnavailable(
    `${path} is not a store of Trammel but another SQLite database`,
    "set TRAMMEL_HOME to another folder",
  );
}

function newer(path: string, found: number, known: number): StoreUnavailable {
  return new StoreUnavailable(
    `the store ${path} has version ${found}, and this Trammel reads up to ${known}`,
    "use the newer Trammel that wrote it, or set TRAMMEL_HOME to another folder",
  );
}
