import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Wanted } from "../../ports/journal.ts";
import { migrations } from "./schema.ts";
import { finished, gateOpened, newRun, processOf, started, StoreFixture } from "./testing.ts";

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

const create = (run: string, more = {}) => [newRun(run, more), "name: loop", [started("a")], 10] as const;

function wanted(run: string, pid: number, more: Partial<Wanted> = {}): Wanted {
  return { run, blueprint: "loop", owner: processOf(pid), tree: null, key: "k", ...more };
}

describe("a key", () => {
  test("is one live run's own; another key and no key stand beside it", async () => {
    const [one, two] = [store.open(1), store.open(2)];
    await one.create(...create("r1", { key: "k" }));
    const second = { key: "k", owner: processOf(2) };
    expect(await two.create(...create("r2", second))).toEqual({
      conflict: "taken",
      what: 'run r1 (loop) has the key "k"',
      holder: "r1",
    });
    expect(await two.create(...create("r3", { ...second, key: "other" }))).toHaveLength(1);
    expect(await two.create(...create("r4", { ...second, key: null }))).toHaveLength(1);
    await one.append("r1", [finished()], 2);
    expect(await two.create(...create("r2", second))).toHaveLength(1);
  });

  test("of a run whose owner is gone is free, and cannot be taken back while another has it", async () => {
    const [one, two] = [store.open(1), store.open(2)];
    await one.create(...create("r1", { key: "k" }));
    store.dead.add(1);
    expect(await two.create(...create("r2", { key: "k", owner: processOf(2) }))).toHaveLength(1);
    expect(await two.takeOver("r1", processOf(1), processOf(2), 1)).toMatchObject({ holder: "r2" });
  });
});

describe("a parked run", () => {
  const parked = async (run: string, pid: number) => {
    const store1 = store.open(pid);
    await store1.create(...create(run, { key: "k", tree: "/repo", owner: processOf(pid) }));
    await store1.append(run, [gateOpened("a")], 11);
    store.dead.add(pid);
  };

  test("keeps its key and its tree, though its process is gone; whoever waits for them does so after it", async () => {
    await parked("r1", 1);
    const two = store.open(2);
    const second = { owner: processOf(2) };
    expect(await two.create(...create("r2", { ...second, key: "k" }))).toEqual({
      conflict: "taken",
      what: 'run r1 (loop) is parked and has the key "k"',
      holder: "r1",
      parked: true,
    });
    expect(await two.create(...create("r2", { ...second, tree: "/repo" }))).toMatchObject({
      what: "run r1 (loop) is parked in /repo",
    });
    await two.enter(wanted("r3", 2));
    expect(two.ahead(wanted("r3", 2))).toMatchObject([{ run: "r1", waits: false, parked: true }]);
    const four = store.open(4);
    expect(await four.takeOver("r1", processOf(1), processOf(4), 2)).toBeNull();
    expect(two.ahead(wanted("r3", 2))).toEqual([{ run: "r1", waits: false, what: 'run r1 (loop) has the key "k"' }]);
    await four.append("r1", [finished()], 12);
    expect(two.ahead(wanted("r3", 2))).toEqual([]);
  });

  test("is never taken over beside one that works, but to be stopped", async () => {
    await parked("r1", 1);
    const db = new DatabaseSync(join(store.home, "trammel.db"));
    db.exec("UPDATE runs SET tree = NULL, key = NULL"); // as older stores let it be
    const two = store.open(2);
    await two.create(...create("r2", { key: "k", owner: processOf(2) }));
    db.exec("UPDATE runs SET key = 'k'");
    db.close();
    const three = store.open(3);
    const taking = [processOf(1), processOf(3), 2] as const;
    expect(await three.takeOver("r1", ...taking)).toMatchObject({ conflict: "taken", holder: "r2" });
    expect(await three.takeOver("r1", ...taking, { onlyStopped: true })).toBeNull();
  });
});

describe("a turn", () => {
  test("comes in the order of those that wait, and to nobody else before them", async () => {
    const [one, two, three] = [store.open(1), store.open(2), store.open(3)];
    await one.create(...create("r1", { key: "k" }));
    await two.enter(wanted("r2", 2));
    await three.enter(wanted("r3", 3));
    expect(three.ahead(wanted("r3", 3))).toEqual([
      { run: "r1", waits: false, what: 'run r1 (loop) has the key "k"' },
      { run: "r2", waits: true, what: 'run r2 (loop) waits for the key "k"' },
    ]);
    await one.append("r1", [finished()], 2);
    expect(two.ahead(wanted("r2", 2))).toEqual([]);
    for (const [journal, run, pid] of [
      [one, "r4", 1],
      [three, "r3", 3],
    ] as const)
      expect(await journal.create(...create(run, { key: "k", owner: processOf(pid) }))).toMatchObject({ holder: "r2" });
    expect(await two.create(...create("r2", { key: "k", owner: processOf(2) }))).toHaveLength(1);
    expect(three.ahead(wanted("r3", 3)).map(({ run }) => run)).toEqual(["r2"]);
  });

  test("is not lost with a process that dies while it waits, or leaves", async () => {
    const [one, three, four] = [store.open(1), store.open(3), store.open(4)];
    await one.enter(wanted("r1", 1));
    await store.open(2).enter(wanted("r2", 2));
    await three.enter(wanted("r3", 3));
    store.dead.add(2);
    expect(three.ahead(wanted("r3", 3)).map(({ run }) => run)).toEqual(["r1"]);
    await one.leave("r1");
    expect(three.ahead(wanted("r3", 3))).toEqual([]);
    await four.enter(wanted("r4", 4));
    const db = new DatabaseSync(join(store.home, "trammel.db"));
    expect(db.prepare("SELECT run FROM turns ORDER BY id").all()).toEqual([{ run: "r3" }, { run: "r4" }]);
    db.close();
  });

  test("of one that wants a tree and a key waits for both", async () => {
    const [one, two, three] = [store.open(1), store.open(2), store.open(3)];
    await one.create(...create("r1", { tree: "/repo" }));
    await two.create(...create("r2", { key: "k", owner: processOf(2) }));
    const both = wanted("r3", 3, { tree: "/repo" });
    await three.enter(both);
    expect(three.ahead(both).map(({ run }) => run)).toEqual(["r1", "r2"]);
  });

  test("never comes to two that want the same, nor to none while somebody waits", async () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom("a", "b"), dies: fc.boolean() }), {
      minLength: 2,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (waiting) => {
        const own = new StoreFixture();
        const all = waiting.map(({ key, dies }, i) => ({ ...wanted(`w${i}`, i + 10, { key }), dies }));
        const journal = own.open(1);
        for (const one of all) await journal.enter(one);
        for (const { dies, owner } of all) if (dies) own.dead.add(owner.pid);
        const next = all.filter((one) => !one.dies && journal.ahead(one).length === 0);
        const alive = all.filter(({ dies }) => !dies);
        expect(next.map(({ run }) => run).toSorted()).toEqual(
          ["a", "b"].flatMap((key) => alive.find((one) => one.key === key)?.run ?? []).toSorted(),
        );
        await own.remove();
      }),
      { numRuns: 15 },
    );
  });
});

test("a store of the first version gets keys and turns, and keeps its runs", async () => {
  const path = join(store.home, "trammel.db");
  const db = new DatabaseSync(path);
  migrations[0]?.(db);
  db.exec(`
    PRAGMA user_version = 1;
    INSERT INTO runs (run, blueprint, task_id, task, status, started_at, cwd, definition, tree, owner_pid, owner_start, owner_boot)
    VALUES ('old', 'loop', 'old', 't', 'running', 1, '/', 'd', '/repo', 1, '100', 'boot')`);
  db.close();
  const journal = store.open(2);
  expect(journal.find("old")).toMatchObject({ tree: "/repo", key: null });
  expect(journal.ahead(wanted("r2", 2, { tree: "/repo" }))).toMatchObject([{ run: "old", waits: false }]);
  const copy = new DatabaseSync(`${path}.v1`, { readOnly: true });
  expect(copy.prepare("SELECT run FROM runs").all()).toEqual([{ run: "old" }]);
  copy.close();
});
