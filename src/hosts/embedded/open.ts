import { closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { limits } from "../../model/limits.ts";
import { bringUp, type Migration } from "./schema.ts";
import { tornTail } from "./torn.ts";
import { explainOpening } from "./unavailable.ts";

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
export function openStore(home: string, steps: readonly Migration[]): Connections {
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
    writing.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    bringUp(writing, path, steps, (version) => keepCopy(writing, path, version));
    const notice = leftOver ? tornTail(writing, path) : null;
    writing.exec("PRAGMA busy_timeout = 0");
    const reading = connect();
    reading.exec("PRAGMA query_only = ON");
    return { path, writing, reading, notice };
  } catch (error) {
    for (const db of opened) if (db.isOpen) db.close();
    throw explainOpening(error, path);
  }
}

/** SQLite gives its other files the mode of this one. */
function reserve(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600));
}

function keepCopy(db: DatabaseSync, path: string, version: number): void {
  const copy = `${path}.v${version}`;
  if (existsSync(copy)) return;
  closeSync(openSync(copy, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  db.prepare("VACUUM INTO ?").run(copy);
}
