import {
  mkdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  statSync,
  existsSync,
  symlinkSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SmallDisk } from "../../../test/support/small-disk.ts";
import { limits } from "../../model/limits.ts";
import { StoreUnavailable } from "../../ports/journal.ts";
import { ManualClock } from "../../runtime/time/clock.ts";
import { migrations } from "./schema.ts";
import { ended, newRun, started, stopRequested, StoreFixture } from "./testing.ts";

let store: StoreFixture;
let path: string;
beforeEach(() => {
  store = new StoreFixture();
  path = join(store.home, "trammel.db");
});
afterEach(() => store.remove());

function refusal(open: () => unknown): StoreUnavailable {
  try {
    open();
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
  throw new Error("the store opened");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "no error";
}

async function written(): Promise<void> {
  const journal = store.open();
  await journal.create(newRun("r1"), "", [started("a")], 1);
  await journal.append("r1", [ended("a")], 2);
  await journal.close();
}

describe("a store is unavailable, says why and what to do, and is left as it is", () => {
  test("when its file is no database", () => {
    writeFileSync(path, "not a database at all\n".repeat(500));
    const error = refusal(() => store.open());
    expect(error.message).toContain(`${path} is damaged`);
    expect(error.hint).toMatch(/backup/);
    expect(readFileSync(path, "utf8")).toMatch(/^not a database/);
  });

  test("when it belongs to another program", () => {
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE theirs (a)");
    other.close();
    expect(refusal(() => store.open()).message).toContain("another SQLite database");
    const again = new DatabaseSync(path);
    expect(again.prepare("SELECT name FROM sqlite_schema").all()).toMatchObject([{ name: "theirs" }]);
    again.close();
  });

  test("when a newer version wrote it", async () => {
    await written();
    const newer = new DatabaseSync(path);
    newer.exec("PRAGMA user_version = 99");
    newer.close();
    expect(refusal(() => store.open()).message).toContain(
      `has version 99, and this Trammel reads up to ${migrations.length}`,
    );
  });

  test.each([
    ["DROP TABLE journal", "no such table: journal"],
    ["ALTER TABLE runs DROP COLUMN reason", "no such column: reason"],
    ["PRAGMA user_version = 0", "another SQLite database"],
    ["PRAGMA user_version = -1", "its version is -1"],
  ])("when its tables are not those of its version: %s", async (change, said) => {
    await written();
    const db = new DatabaseSync(path);
    db.exec(change);
    db.close();
    const before = readFileSync(path);
    expect(refusal(() => store.open()).message).toContain(said);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("when its folder is a file", () => {
    const file = join(store.home, "file");
    writeFileSync(file, "");
    expect(refusal(() => store.open(1, { home: join(file, "sub") })).message).toMatch(
      /cannot be opened for writing: part of the path is a file/,
    );
  });

  test.runIf(existsSync("/proc/self"))("when no folder can be made there", () => {
    expect(refusal(() => store.open(1, { home: "/proc/self/none/home" })).message).toMatch(
      /cannot be opened for writing: its folder cannot be made there/,
    );
  });

  test("when it was removed or replaced while it was open", async () => {
    const journal = store.open();
    await journal.create(newRun("r1"), "", [started("a")], 1);
    await new Promise(setImmediate);
    renameSync(path, `${path}.away`);
    await expect(journal.append("r1", [ended("a")], 2)).rejects.toThrow("was removed or replaced while it was open");
    writeFileSync(path, "");
    await expect(journal.append("r1", [ended("a")], 2)).rejects.toThrow("was removed or replaced while it was open");
    rmSync(path);
    renameSync(`${path}.away`, path);
    expect(await journal.append("r1", [ended("a")], 2)).toMatchObject([{ seq: 2 }]);
  });

  test("when a link that leads to nothing is in its place", () => {
    symlinkSync("nowhere/at/all", join(store.home, "link"));
    expect(refusal(() => store.open(1, { home: join(store.home, "link") })).message).toMatch(
      /cannot be opened for writing: its folder cannot be made there/,
    );
  });

  test("when a folder is in its place", () => {
    mkdirSync(path);
    expect(refusal(() => store.open()).message).toContain("a folder is in its place");
  });

  test("when its pages are gone: a list of runs is never empty for it", async () => {
    await written();
    truncateSync(path, 4096 * 2);
    expect(refusal(() => store.open().runs(10)).message).toContain("is damaged");
  });

  test("when a record in the middle was changed", async () => {
    await written();
    const db = new DatabaseSync(path);
    db.exec(`UPDATE journal SET body = replace(body, '"a"', '"b"') WHERE seq = 1`);
    db.close();
    const journal = store.open();
    expect(refusal(() => [...journal.read("r1")]).message).toContain("record 1 of run r1 is not what was written");
  });

  test("when another process holds it for too long, and the record that could not be written is not there", async () => {
    const clock = new ManualClock();
    const journal = store.open(1, { clock });
    await journal.create(newRun("r1"), "", [started("a")], 1);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let error: unknown;
    void journal.append("r1", [ended("a")], 2).catch((reason: unknown) => {
      error = reason;
    });
    while (error === undefined) {
      await new Promise(setImmediate);
      clock.advance(limits.storeRetryMs);
    }
    expect(clock.now()).toBeGreaterThanOrEqual(limits.storeBusyMs);
    other.exec("ROLLBACK");
    other.close();
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(messageOf(error)).toContain("held by another process");
    expect([...journal.read("r1")]).toHaveLength(1);
    expect(await journal.append("r1", [ended("a")], 3)).toMatchObject([{ seq: 2 }]);
  });
});

test("who listens for messages is told, once, when they can no longer be read", async () => {
  const clock = new ManualClock();
  const journal = store.open(1, { clock });
  await journal.create(newRun("r1"), "", [started("a")], 1);
  const failures: unknown[] = [];
  journal.listen(
    "r1",
    () => undefined,
    (error) => failures.push(error),
  );
  clock.advance(limits.mailboxPollMs);
  const other = new DatabaseSync(path);
  other.exec("INSERT INTO mailbox (run, body) VALUES ('r1', '{}'); PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  truncateSync(path, 4096);
  clock.advance(limits.mailboxPollMs * 3);
  expect(failures.map(messageOf)).toEqual([expect.stringContaining(`${path} is damaged`)]);
  expect(failures[0]).toBeInstanceOf(StoreUnavailable);
});

test("a full disk refuses the record and keeps what stands; with space again the run goes on", async () => {
  using disk = new SmallDisk(join(store.home, "disk"), "1m");
  const journal = store.open(1, { home: disk.folder });
  await journal.create(newRun("r1", { taskId: "t" }), "", [started("fix", 1)], 1);
  const big = { ...stopRequested, by: "x".repeat(100_000) };
  let error: unknown;
  let count = 1;
  for (; error === undefined && count < 100; count += 1)
    await journal.append("r1", [big], 2).catch((reason: unknown) => {
      error = reason;
      count -= 1;
    });
  expect(error).toBeInstanceOf(StoreUnavailable);
  expect(messageOf(error)).toContain("no space is left");
  expect([...journal.read("r1")]).toHaveLength(count);
  expect(journal.passes("t", "loop")).toEqual({ fix: 1 });
  disk.grow("8m");
  expect(await journal.append("r1", [ended("fix")], 3)).toMatchObject([{ seq: count + 1 }]);
  await journal.close();
});

describe("an older store", () => {
  const next = (db: DatabaseSync): void => db.exec("ALTER TABLE runs ADD COLUMN colour TEXT");

  test("is migrated in one transaction, with a copy kept for the user alone", async () => {
    await written();
    const journal = store.open(1, { migrations: [...migrations, next] });
    expect([...journal.read("r1")]).toHaveLength(2);
    const copy = new DatabaseSync(`${path}.v${migrations.length}`, { readOnly: true });
    expect(copy.prepare("PRAGMA user_version").get()).toMatchObject({ user_version: migrations.length });
    expect(copy.prepare("SELECT count(*) AS n FROM journal").get()).toMatchObject({ n: 2 });
    copy.close();
    expect(statSync(`${path}.v${migrations.length}`).mode & 0o777).toBe(0o600);
  });

  test("stays as it is when its migration fails", async () => {
    await written();
    const failing = (db: DatabaseSync): void => {
      next(db);
      throw new Error("half way");
    };
    expect(() => store.open(1, { migrations: [...migrations, failing] })).toThrow("half way");
    expect([...store.open().read("r1")]).toHaveLength(2);
    expect(existsSync(`${path}.v${migrations.length}`)).toBe(true);
  });
});
