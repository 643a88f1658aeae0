import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ended, newRun, processOf, started, StoreFixture } from "./testing.ts";

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

/** The store as a crash leaves it: two commits in the log, cut to `bytes`. */
async function crashed(): Promise<{ cut: (bytes: Buffer, name: string) => string; wal: Buffer; whole: number }> {
  const journal = store.open();
  await journal.create(newRun("r1"), "", [started("a")], 1);
  const whole = readFileSync(join(store.home, "trammel.db-wal")).length;
  await journal.append("r1", [ended("a"), started("b")], 2);
  const wal = readFileSync(join(store.home, "trammel.db-wal"));
  const cut = (bytes: Buffer, name: string): string => {
    const home = join(store.home, name);
    mkdirSync(home);
    copyFileSync(join(store.home, "trammel.db"), join(home, "trammel.db"));
    writeFileSync(join(home, "trammel.db-wal"), bytes);
    return home;
  };
  return { cut, wal, whole };
}

test("a commit cut short at any place is dropped whole and said; numbers go on and the next record is readable", async () => {
  const { cut, wal, whole } = await crashed();
  store.dead.add(1);
  // Every border of a frame and around it, and places in between.
  const frame = 4096 + 24;
  const places = new Set<number>();
  for (let at = whole; at < wal.length; at += frame)
    for (const near of [1, 8, 23, 24, 25, 1_000, 4_095, frame - 1]) places.add(Math.min(at + near, wal.length - 1));
  for (const at of places) {
    const home = cut(wal.subarray(0, at), `cut${at}`);
    store.notices.length = 0;
    const journal = store.open(2, { home });
    expect(
      [...journal.read("r1")].map((event) => event.body),
      `cut at ${at}`,
    ).toEqual([started("a")]);
    expect(store.notices, `cut at ${at}`).toEqual([expect.stringContaining("cut short by a crash and dropped")]);
    expect(await journal.takeOver("r1", processOf(1), processOf(2), 1)).toBeNull();
    expect(await journal.append("r1", [ended("a")], 3)).toMatchObject([{ seq: 2 }]);
    expect([...journal.read("r1")]).toHaveLength(2);
    await journal.close();
  }
});

test("a tail of zeros where the last commit was is dropped and said", async () => {
  const { cut, wal, whole } = await crashed();
  const zeroed = Buffer.from(wal);
  zeroed.fill(0, whole + 100);
  const journal = store.open(2, { home: cut(zeroed, "zeros") });
  expect([...journal.read("r1")]).toHaveLength(1);
  expect(store.notices).toHaveLength(1);
});

test("a log that ends with its last commit says nothing, whoever else has it open", async () => {
  const { cut, wal } = await crashed();
  store.open(3);
  const journal = store.open(2, { home: cut(wal, "whole") });
  expect([...journal.read("r1")]).toHaveLength(3);
  expect(store.notices).toEqual([]);
});

test.runIf(existsSync("/proc/locks"))(
  "a store that is open keeps its locks while the same process opens it again",
  () => {
    const held = (): readonly string[] =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(` ${process.pid} `))
        .map((line) => line.replace(/^\d+: /, ""))
        .toSorted();
    const before = held();
    store.open();
    const own = held().filter((line) => !before.includes(line));
    expect(own).not.toEqual([]);
    store.open(2);
    expect(held()).toEqual(expect.arrayContaining([...own]));
  },
);

test("a last record that fits nothing before it is dropped and said, and its number is not used again", async () => {
  const journal = store.open();
  await journal.create(newRun("r1"), "", [started("a")], 1);
  await journal.append("r1", [ended("a"), started("b")], 2);
  await journal.close();
  const db = new DatabaseSync(join(store.home, "trammel.db"));
  db.exec("UPDATE journal SET body = substr(body, 1, 20) WHERE seq = 2");
  db.close();
  store.dead.add(1);
  const next = store.open(2);
  expect([...next.read("r1")].map((event) => event.seq)).toEqual([1]);
  expect(store.notices).toEqual([expect.stringContaining("record 2 of run r1")]);
  expect(await next.takeOver("r1", processOf(1), processOf(2), 1)).toBeNull();
  expect(await next.append("r1", [ended("a")], 3)).toMatchObject([{ seq: 4 }]);
  expect([...next.read("r1")].map((event) => event.seq)).toEqual([1, 4]);
  expect([...next.read("r1", 3)].map((event) => event.seq)).toEqual([4]);
  expect(await next.append("r1", [started("b")], 4)).toMatchObject([{ seq: 5 }]);
  expect([...next.read("r1")].map((event) => event.seq)).toEqual([1, 4, 5]);
});
