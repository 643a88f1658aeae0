import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { limits } from "../../model/limits.ts";
import { systemCode } from "../../model/thrown.ts";
import { keepCopy, type Owners, sweepCopies } from "./copies.ts";
import { bringUp, type Migration } from "./schema.ts";
import { tornTail } from "./torn.ts";
import { explainOpening, isBusy } from "./unavailable.ts";

export interface Connections {
  readonly path: string;
  /** Fails at once when another process writes; the writer backs off by itself. */
  readonly writing: DatabaseSync;
  /** Waits where it must; never holds a transaction open over a turn. */
  readonly reading: DatabaseSync;
  /** Said to the user: what a crash left and opening dropped. */
  readonly notice: string | null;
}

/** Opens, creates or migrates the store in `home`. Throws StoreUnavailable, and then has changed nothing. */
export function openStore(home: string, steps: readonly Migration[], owners: Owners): Connections {
  const path = join(home, "trammel.db");
  const opened: DatabaseSync[] = [];
  const connect = (): DatabaseSync => {
    const db = new DatabaseSync(path, { timeout: limits.storeBusyMs });
    opened.push(db);
    return db;
  };
  try {
    reserve(path);
    const leftOver = existsSync(`${path}-wal`);
    const writing = connect();
    keepLog(writing);
    writing.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${limits.storeLogPages}`);
    bringUp(writing, path, steps, (version) => keepCopy(writing, path, version, owners));
    sweepCopies(path, owners);
    const reading = connect();
    reading.exec("PRAGMA query_only = ON");
    const notice = leftOver ? tornTail(writing, reading, path) : null;
    writing.exec("PRAGMA busy_timeout = 0");
    return { path, writing, reading, notice };
  } catch (error) {
    for (const db of opened) if (db.isOpen) db.close();
    throw explainOpening(error, path);
  }
}

/**
 * Makes the file where there is none; SQLite gives its other files the mode of this one. One
 * that is there is never opened: to close it would drop the locks that another connection of
 * this process has on it (https://sqlite.org/howtocorrupt.html).
 */
function reserve(path: string): void {
  makeFolder(dirname(path));
  if (existsSync(path)) {
    accessSync(path, constants.R_OK | constants.W_OK);
    // SQLite has no word for a folder; opening one fails with the system's.
    if (!statSync(path).isDirectory()) return;
    openSync(path, constants.O_RDWR);
  }
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (error) {
    // Another process was quicker, or a link that leads to nothing is in its place, which SQLite speaks of.
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

/**
 * Of those who make one store at the same moment, SQLite lets one turn its log on and refuses the others at once,
 * whatever their time-out is, since each holds what another waits for (https://sqlite.org/c3ref/busy_handler.html).
 */
function keepLog(db: DatabaseSync): void {
  // By the clock: where it does not refuse at once, each try takes the whole time-out.
  const began = performance.now();
  for (;;) {
    try {
      return db.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (!isBusy(error) || performance.now() - began >= limits.storeBusyMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, limits.storeRetryMs);
  }
}

/**
 * With the folders above it. Not by `recursive`, which never ends where a file system such as /proc makes no folders.
 */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST" && statSync(folder).isDirectory()) return;
    if (code !== "ENOENT" || dirname(folder) === folder || existsSync(dirname(folder))) throw error;
    makeFolder(dirname(folder));
    makeFolder(folder);
  }
}
