import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { chain, genesis } from "./chain.ts";
import type { EmbeddedJournal } from "./journal.ts";
import { addPlaces, migrations } from "./schema.ts";
import { ended, finished, newRun, processOf, started, stopRequested, StoreFixture } from "./testing.ts";

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

function query(sql: string): unknown {
  const db = new DatabaseSync(join(store.home, "trammel.db"));
  const rows = db.prepare(sql).all();
  db.close();
  return rows.map((row) => Object.values(row));
}

const numbers = (journal: EmbeddedJournal, run: string, after?: number): number[] =>
  [...journal.read(run, after)].map(({ seq }) => seq);

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

test("records are placed many at a time, and read alike on both sides of the line", async () => {
  const journal = store.open();
  const runs = ["r1", "r2", "r3"];
  for (const run of runs) await journal.create(newRun(run), "", [started("a")], 1);
  const each = Math.ceil((limits.unplacedRecords * 1.5) / runs.length);
  for (let n = 1; n < each; n += 1) await Promise.all(runs.map((run) => journal.append(run, [stopRequested], n)));
  const total = each * runs.length;
  const placed = Math.floor(total / limits.unplacedRecords) * limits.unplacedRecords;
  expect(query("SELECT count(*), max(record) FROM places UNION ALL SELECT -1, upto FROM placed")).toEqual([
    [placed, placed],
    [-1, placed],
  ]);
  for (const run of runs) {
    expect(numbers(journal, run)).toEqual(upTo(each));
    for (const after of [1, each / 2, each - 1]) expect(numbers(journal, run, after)).toEqual(upTo(each).slice(after));
  }
});

test("an owner that is gone is followed by one that goes on after its last record, placed or not", async () => {
  const first = store.open(1);
  await first.create(newRun("r1"), "", [started("a")], 1);
  for (let n = 0; n < limits.unplacedRecords + 3; n += 1) await first.append("r1", [stopRequested], 2);
  store.dead.add(1);
  const second = store.open(2);
  const last = limits.unplacedRecords + 4;
  expect(await second.takeOver("r1", processOf(1), processOf(2), last)).toBeNull();
  await second.append("r1", [ended("a")], 3);
  expect(numbers(second, "r1", last)).toEqual([last + 1]);
});

test("what comes after runs were removed is found, though it has the numbers that they had", async () => {
  const journal = store.open();
  await journal.create(newRun("r1"), "", [started("a")], 1);
  await journal.append("r1", [ended("a")], 2);
  await journal.create(newRun("old"), "", [started("a")], 3);
  for (let n = 0; n < limits.unplacedRecords; n += 1) await journal.append("old", [stopRequested], 4);
  await journal.append("old", [finished()], 5);
  expect(await journal.remove(["old"], 30)).toEqual(["old"]);
  await journal.create(newRun("new"), "", [started("a")], 6);
  await journal.append("r1", [stopRequested], 7);
  expect([numbers(journal, "r1"), numbers(journal, "new"), numbers(journal, "old")]).toEqual([upTo(3), [1], []]);
  expect(query("SELECT run, count(*) FROM records GROUP BY run ORDER BY run")).toEqual([
    [1, 3],
    [2, 1],
  ]);
});

test("a store from before has a place for each of its records", async () => {
  const older = migrations.slice(0, migrations.indexOf(addPlaces));
  const db = new DatabaseSync(join(store.home, "trammel.db"));
  for (const step of older) step(db);
  db.exec(`
    PRAGMA user_version = ${older.length};
    INSERT INTO runs (run, blueprint, task_id, task, status, started_at, cwd, definition, owner_pid, owner_start, owner_boot)
    VALUES ('r1', 'loop', 'r1', 't', 'running', 1, '/', 'd', 1, '100', 'boot')`);
  const insert = db.prepare(
    "INSERT INTO journal (run, seq, events, at, version, hash, body) VALUES (1, ?, 1, 1, 1, ?, ?)",
  );
  let hash = genesis;
  for (const seq of [1, 2, 3]) {
    const body = JSON.stringify([stopRequested]);
    hash = chain(hash, "r1", { seq, events: 1, at: 1, version: 1, body });
    insert.run(seq, Buffer.from(hash, "hex"), body);
  }
  db.close();
  const journal = store.open(1);
  await journal.append("r1", [stopRequested], 2);
  expect(numbers(journal, "r1")).toEqual(upTo(4));
  expect(query("SELECT run, seq, record FROM places")).toEqual([
    [1, 1, 1],
    [1, 2, 2],
    [1, 3, 3],
  ]);
});

test("records of one page are read however long they are", async () => {
  const journal = store.open();
  const by = "x".repeat(limits.journalParsedCharacters / 5);
  await journal.create(newRun("r1"), "", [stopRequested], 1);
  for (let n = 0; n < 6; n += 1)
    await journal.append("r1", [{ type: "run.stop_requested", by: `${n}${by}` }, ended("a")], 1);
  const read = [...journal.read("r1", 1)].map(({ seq, body }) => [seq, "by" in body ? body.by[0] : body.type]);
  const pairs = Array.from({ length: 6 }, (_, n) => [
    [2 * n + 2, String(n)],
    [2 * n + 3, "node.ended"],
  ]);
  expect(read).toEqual(pairs.flat());
});
