import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreUnavailable } from "../../ports/journal.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { systemIds } from "../../runtime/ids.ts";
import { isSame } from "../../runtime/processes/identity.ts";
import { openReader } from "./journal.ts";
import { ended, newRun, processOf, started, StoreFixture } from "./testing.ts";

let store: StoreFixture;
let disk: string;
beforeEach(() => {
  store = new StoreFixture();
  disk = mkdtempSync(join(tmpdir(), "trammel-read-only-"));
});
afterEach(async () => {
  asRoot("umount", "-l", disk);
  rmSync(disk, { recursive: true, force: true });
  await store.remove();
});

function asRoot(...command: readonly string[]): void {
  const [program = "", ...rest] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  spawnSync(program, rest);
}

/** The folder once more, at a place where nothing in it may be written. */
function readOnly(folder: string): string {
  asRoot("mount", "--bind", folder, disk);
  asRoot("mount", "-o", "remount,bind,ro", disk);
  return disk;
}

function read(home: string) {
  const clock = systemClock;
  const parts = { clock, ids: systemIds(clock), self: processOf(9), isAlive: () => true, isSame };
  return openReader({ home, ...parts, notice: (what) => store.notices.push(what) });
}

function refusal(home: string): string {
  try {
    void read(home).close();
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.message;
    throw error;
  }
  throw new Error("the store opened");
}

test("a store that was closed is read where nothing may be written", async () => {
  const journal = store.open();
  await journal.create(newRun("r1"), "name: loop", [started("a")], 1);
  await journal.close();
  const reader = read(readOnly(store.home));
  expect([...reader.read("r1")]).toHaveLength(1);
  expect([reader.runs(9).length, reader.find("r1")?.run, reader.definition("d1")]).toEqual([1, "r1", "name: loop"]);
  await reader.close();
});

test("a store in use is read as it stands, and goes on", async () => {
  const journal = store.open();
  await journal.create(newRun("r1"), "", [started("a")], 1);
  const reader = read(readOnly(store.home));
  expect([...reader.read("r1")]).toHaveLength(1);
  await journal.append("r1", [ended("a")], 2);
  expect([...reader.read("r1")]).toHaveLength(2);
  await reader.close();
});

test("what a crash left in the log is not passed over in silence", async () => {
  const journal = store.open();
  await journal.create(newRun("r1"), "", [started("a")], 1);
  const crashed = join(store.home, "crashed");
  mkdirSync(crashed);
  for (const name of ["trammel.db", "trammel.db-wal"]) copyFileSync(join(store.home, name), join(crashed, name));
  expect(refusal(readOnly(crashed))).toMatch(/left by a crash and may not be written/);
});

test("an older store is not read as if it were of this version, and another database not at all", async () => {
  await store.open().close();
  const path = join(store.home, "trammel.db");
  const change = (sql: string): void => {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };
  change("PRAGMA user_version = 1");
  readOnly(store.home);
  expect(refusal(disk)).toMatch(/has version 1, and may not be written to bring it to version/);
  change("PRAGMA user_version = 99");
  expect(refusal(disk)).toMatch(/has version 99, and this Trammel reads up to/);
  change("PRAGMA application_id = 7");
  expect(refusal(disk)).toMatch(/is not a store of Trammel but another SQLite database/);
});

test("where no store was made nothing is read, and none is made", async () => {
  const homes = [store.home, join(store.home, "not", "there")];
  for (const home of homes) {
    const reader = read(home);
    expect([reader.runs(9), reader.queued(), reader.find("r1"), reader.removed("r1")]).toEqual([[], [], null, null]);
    await reader.close();
  }
  expect(readdirSync(store.home)).toEqual([]);
});

test.each(["link", "link/trammel", "link/share/trammel"])(
  "where the way to a home, %s, is a link to what is gone, that is not taken for one without a store",
  (way) => {
    symlinkSync(join(store.home, "gone"), join(store.home, "link"));
    expect(refusal(join(store.home, way))).toMatch(/cannot be opened/);
  },
);

test("a store in a folder that may not even be entered is unavailable", async () => {
  await store.open().close();
  chmodSync(store.home, 0o700);
  const script = `import { openReader } from ${JSON.stringify(join(import.meta.dirname, "journal.ts"))};
    try { openReader({ home: ${JSON.stringify(store.home)}, notice: () => {} }); } catch (error) { console.log(error.name, error.message); }`;
  const asNobody =
    process.getuid?.() === 0
      ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
      : ["sudo", "-n", "-u", "nobody"];
  const [program, ...rest] = [...asNobody, process.execPath, "--input-type=module-typescript", "--eval", script];
  const { stdout } = spawnSync(program, rest, { encoding: "utf8" });
  expect(stdout).toMatch(/^StoreUnavailable the store .* cannot be opened for writing: permission denied\n$/);
});
