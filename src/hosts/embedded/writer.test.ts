import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemIds } from "../../runtime/ids.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { Writer } from "./writer.ts";

/** What SQLite does at a commit: FULL waits for the disk, NORMAL does not. */
const [normal, full] = [1, 2];

let folder: string;
let db: DatabaseSync;
let writer: Writer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-writer-"));
  const path = join(folder, "store.db");
  db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const ports = { clock: systemClock, ids: systemIds(systemClock) };
  writer = new Writer(db, path, { othersWrote: () => undefined, rolledBack: () => undefined }, ports);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const synchronous = (): unknown => db.prepare("PRAGMA synchronous").get()?.["synchronous"];

test("what is promised is committed to the disk, and what is not does not wait for it", async () => {
  expect(await writer.submit("soon", synchronous)).toBe(normal);
  expect(await writer.submit("promise", synchronous)).toBe(full);
  expect(await writer.submit("later", synchronous)).toBe(normal);
  expect(await writer.submit("promise", synchronous)).toBe(full);
});

test("what shares a commit with a promise is on the disk too", async () => {
  const together = [writer.submit("later", synchronous), writer.submit("promise", synchronous)];
  expect(await Promise.all(together)).toEqual([full, full]);
});
