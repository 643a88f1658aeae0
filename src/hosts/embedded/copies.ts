import { closeSync, constants, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { basename, dirname, join } from "node:path";
import type { LedgerPorts } from "./ledger.ts";
import { versionOf } from "./schema.ts";

export type Owners = Pick<LedgerPorts, "self" | "isAlive">;

/**
 * Keeps the store as it is before it is migrated. Under its name a copy is whole, whoever else makes one or dies while
 * at it.
 */
export function keepCopy(db: DatabaseSync, path: string, version: number, { self }: Owners): void {
  const copy = `${path}.v${version}`;
  if (existsSync(copy)) return;
  const unfinished = `${copy}.${self.pid}.${self.startTime}`;
  rmSync(unfinished, { force: true });
  try {
    closeSync(openSync(unfinished, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
    db.prepare("VACUUM INTO ?").run(unfinished);
    // Else another has migrated it since, and kept what it was.
    if (versionOf(db) === version) renameSync(unfinished, copy);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** With what SQLite keeps beside it while it writes. */
const unfinished = /\.v\d+\.(?<pid>\d+)\.(?<startTime>\w+)(?:-\w+)?$/;

/** Removes copies whose makers were killed while at it; the store opens where that cannot be. */
export function sweepCopies(path: string, owners: Owners): void {
  try {
    for (const name of readdirSync(dirname(path)))
      if (name.startsWith(basename(path)) && isLeft(name, owners)) rmSync(join(dirname(path), name), { force: true });
  } catch {
    return;
  }
}

function isLeft(name: string, { self, isAlive }: Owners): boolean {
  const { pid, startTime } = unfinished.exec(name)?.groups ?? {};
  if (pid === undefined || startTime === undefined) return false;
  return !isAlive({ pid: Number(pid), startTime, bootId: self.bootId });
}
