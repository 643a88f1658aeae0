import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Sharers } from "../../../test/support/sharers.ts";
import { limits } from "../../model/limits.ts";
import { isAlive, self } from "../../runtime/processes/identity.ts";
import { openStore } from "./open.ts";
import { migrations } from "./schema.ts";

const rounds = 40;
const owners = { self: self(), isAlive };
let sharers: Sharers;
const folder = mkdtempSync(join(tmpdir(), "trammel-open-"));

beforeAll(() => {
  sharers = new Sharers(3);
});

afterAll(() => {
  sharers.end();
  rmSync(folder, { recursive: true, force: true });
});

/** What each says that is told to open one store at the same moment. */
function openedAtOnce(home: string): Promise<readonly unknown[]> {
  const task = { do: "open", home } as const;
  return sharers.atOnce(task, task, task);
}

function versionOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const version = db.prepare("PRAGMA user_version").get()?.["user_version"];
  db.close();
  return version;
}

test("a store that several make at the same moment opens to each of them", async () => {
  for (let n = 0; n < rounds; n += 1)
    expect(await openedAtOnce(join(folder, `new-${n}`))).toEqual(["opened", "opened", "opened"]);
});

test("an older store that several open at the same moment is migrated once, and its copy is whole", async () => {
  const older = migrations.slice(0, -1);
  for (let n = 0; n < rounds; n += 1) {
    const home = join(folder, `old-${n}`);
    const { reading, writing } = openStore(home, older, owners);
    reading.close();
    writing.close();
    expect(await openedAtOnce(home)).toEqual(["opened", "opened", "opened"]);
    expect(readdirSync(home).sort()).toEqual(["trammel.db", `trammel.db.v${older.length}`]);
    expect(versionOf(join(home, "trammel.db"))).toBe(migrations.length);
    expect(versionOf(join(home, `trammel.db.v${older.length}`))).toBe(older.length);
  }
});

test("a copy whose maker was killed is gone once the store is opened, and none of a process that lives", () => {
  const home = mkdtempSync(join(folder, "killed-"));
  const { pid, startTime } = self();
  const copies = [`v1.${pid}.${startTime}`, `v2.${pid}.1`, `v2.${pid}.1-journal`, "v3", "v3.kept"];
  for (const copy of copies) writeFileSync(join(home, `trammel.db.${copy}`), "");
  const { reading, writing } = openStore(home, migrations, owners);
  reading.close();
  writing.close();
  const left = [`trammel.db.v1.${pid}.${startTime}`, "trammel.db.v3", "trammel.db.v3.kept"];
  expect(readdirSync(home).sort()).toEqual(["trammel.db", ...left]);
});

test("a store that another holds for good is given up after the time that a busy one is waited for", () => {
  const home = mkdtempSync(join(folder, "held-"));
  const holder = new DatabaseSync(join(home, "trammel.db"));
  holder.exec("CREATE TABLE held (a); BEGIN EXCLUSIVE");
  const began = performance.now();
  try {
    expect(() => openStore(home, migrations, owners)).toThrow("is held by another process");
  } finally {
    holder.close();
  }
  expect(performance.now() - began).toBeLessThan(2 * limits.storeBusyMs);
}, 30_000);
