import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { limits } from "../../model/limits.ts";
import { systemCode } from "../../model/thrown.ts";
import { StoreUnavailable } from "../../ports/journal.ts";
import { bringUp, checkVersion, type Migration } from "./schema.ts";
import { explain, isForbidden } from "./unavailable.ts";

export interface ReadConnection {
  readonly path: string;
  readonly db: DatabaseSync;
}

/**
 * Opens a store in which nothing may be written. `why` is what opening it to
 * write met with, thrown where that was something else.
 */
export function openToRead(home: string, steps: readonly Migration[], why: unknown): ReadConnection {
  const path = join(home, "trammel.db");
  if (!isForbidden(why) || sizeOf(path) === null) throw why;
  const db = connect(path);
  try {
    checkVersion(db, path, steps);
    db.exec("PRAGMA query_only = ON");
    return { path, db };
  } catch (error) {
    db.close();
    throw explain(error, path);
  }
}

/** What is read where no store was made yet: a look leaves no trace. Null where something is in its place. */
export function openNothing(home: string, steps: readonly Migration[]): ReadConnection | null {
  const path = join(home, "trammel.db");
  if (!isAbsent(path) || leadsNowhere(home)) return null;
  const db = new DatabaseSync(":memory:");
  bringUp(db, path, steps, () => undefined);
  db.exec("PRAGMA query_only = ON");
  return { path, db };
}

/** A link to what is gone, such as a disk, in any part of the way is no sign that nothing was kept. */
function leadsNowhere(folder: string): boolean {
  if (!isAbsent(folder)) return !existsSync(folder);
  return dirname(folder) !== folder && leadsNowhere(dirname(folder));
}

function isAbsent(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return systemCode(error) === "ENOENT";
  }
}

/**
 * With the log of a store in use, its index has to be there to be read. A store that was
 * closed in order has no log, and nobody can write to it meanwhile: then SQLite is told that
 * it does not change (https://sqlite.org/wal.html#readonly).
 */
function connect(path: string): DatabaseSync {
  const hasIndex = sizeOf(`${path}-shm`) !== null;
  const isClosed = !hasIndex && (sizeOf(`${path}-wal`) ?? 0) === 0;
  const options = { readOnly: true, timeout: limits.storeBusyMs };
  try {
    if (isClosed) return new DatabaseSync(unchanging(path), options);
    const db = new DatabaseSync(path, options);
    db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
    return db;
  } catch (error) {
    if (isClosed || hasIndex) throw explain(error, path);
    throw new StoreUnavailable(
      `the store ${path} was left by a crash and may not be written, so that what its log holds cannot be read`,
      "run any command as a user who may write there, or copy the folder to where you may and set TRAMMEL_HOME to it",
      error,
    );
  }
}

function unchanging(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}

/** Null where there is no such file, or none that this user may look at. */
function sizeOf(path: string): number | null {
  try {
    return statSync(path).size;
  } catch {
    return null;
  }
}
