import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventVersion, type JournalEvent } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Conflict } from "../../ports/journal.ts";
import { chain, genesis } from "./chain.ts";
import { ended, finished, newRun, processOf, started, stopRequested, StoreFixture } from "./testing.ts";

const never = (error: unknown): void => {
  throw error;
};

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

const start = (run: string, more = {}) => [newRun(run, more), "name: loop", [started("a")], 10] as const;

function eventsOf(answer: readonly JournalEvent[] | Conflict): readonly JournalEvent[] {
  if ("conflict" in answer) throw new Error(answer.what);
  return answer;
}

describe("records", () => {
  test("are numbered from 1, chained, and read back as they were answered", async () => {
    const journal = store.open();
    const written = [
      ...eventsOf(await journal.create(...start("r1"))),
      ...eventsOf(await journal.append("r1", [ended("a"), started("b")], 20)),
    ];
    expect(written.map((event) => event.seq)).toEqual([1, 2, 3]);
    expect([...journal.read("r1")]).toEqual(written);
    for (const after of [1, 2, 3]) expect([...journal.read("r1", after)]).toEqual(written.slice(after));
    const [first] = written;
    const record = { seq: 1, events: 1, at: 10, version: 1, body: JSON.stringify([started("a")]) };
    expect(first?.hash).toBe(chain(genesis, "r1", record));
    expect(written[2]?.hash).toBe(written[1]?.hash); // committed together, so one record
  });

  test("of two runs interleave without touching each other's numbers", async () => {
    const journal = store.open();
    await Promise.all([journal.create(...start("r1")), journal.create(...start("r2"))]);
    await Promise.all(["r1", "r2", "r1"].map((run) => journal.append(run, [stopRequested], 20)));
    expect([...journal.read("r1")].map((event) => event.seq)).toEqual([1, 2, 3]);
    expect([...journal.read("r2")].map((event) => event.seq)).toEqual([1, 2]);
  });

  test("whose texts are long are read back whole, in the same order as the short ones among them", async () => {
    const journal = store.open();
    await journal.create(newRun("r1"), "", [stopRequested], 1);
    const lengths = [0.4, 0.7, 0, 0, 2, 0, 0.9].map((share) => Math.round(share * limits.eventBytes));
    for (const length of lengths)
      await journal.append("r1", [{ type: "run.stop_requested", by: "x".repeat(length) }], 1);
    const read = [...journal.read("r1", 1)].map(({ body }) => ("by" in body ? body.by.length : null));
    expect(read).toEqual(lengths);
  });

  test("of a newer version are refused, and those before it are read", async () => {
    const journal = store.open();
    const [first] = eventsOf(await journal.create(...start("r1")));
    await journal.append("r1", [stopRequested], 20);
    const record = { seq: 2, events: 1, at: 20, version: eventVersion + 1, body: JSON.stringify([stopRequested]) };
    const hash = Buffer.from(chain(first?.hash ?? "", "r1", record), "hex");
    const db = new DatabaseSync(join(store.home, "trammel.db"));
    db.prepare("UPDATE journal SET version = ?, hash = ? WHERE seq = 2").run(record.version, hash);
    db.close();
    const read: JournalEvent[] = [];
    expect(() => {
      for (const event of journal.read("r1")) read.push(event);
    }).toThrow(`records of version ${record.version}`);
    expect(read).toEqual([first]);
  });

  test("beyond one page are all read, in order", async () => {
    const journal = store.open();
    const count = limits.journalPageRecords * 2 + 1;
    await journal.create(newRun("r1"), "", [stopRequested], 1);
    await Promise.all(Array.from({ length: count - 1 }, () => journal.append("r1", [stopRequested], 1)));
    const read = [...journal.read("r1")];
    expect(read.map((event) => event.seq)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });

  test("of one turn share a commit; an append is on disk when its promise resolves", async () => {
    const journal = store.open();
    await journal.create(...start("r1"));
    await journal.create(...start("r2"));
    const before = new DatabaseSync(join(store.home, "trammel.db"));
    const version = (): unknown => before.prepare("PRAGMA data_version").get()?.["data_version"];
    const [was, count] = [Number(version()), before.prepare("SELECT count(*) AS n FROM journal").get()?.["n"]];
    const first = journal.append("r1", [ended("a")], 2);
    const second = journal.append("r2", [ended("a")], 2);
    await first;
    expect(before.prepare("SELECT count(*) AS n FROM journal").get()?.["n"]).toBe(Number(count) + 2);
    await second;
    expect(Number(version())).toBe(was + 1);
    before.close();
  });

  test("of telemetry ride in the next commit, before what comes after them", async () => {
    const journal = store.open();
    await journal.create(...start("r1"));
    const attempt = { node: "a", pass: 1, attempt: 1 };
    const told: string[] = [];
    const text = { type: "agent.progressed", ...attempt, event: { type: "text", text: "hm" } } as const;
    const telemetry = journal.append("r1", [text], 2).then(() => told.push("telemetry"));
    const promise = journal.append("r1", [ended("a")], 3).then(() => told.push("promise"));
    await Promise.all([telemetry, promise]);
    expect(told).toEqual(["telemetry", "promise"]);
    expect([...journal.read("r1")].map((event) => event.body.type)).toEqual([
      "node.started",
      "agent.progressed",
      "node.ended",
    ]);
  });

  test("of telemetry alone are committed without a promise after them, and by close", async () => {
    const journal = store.open();
    await journal.create(...start("r1"));
    const text = {
      type: "agent.progressed",
      node: "a",
      pass: 1,
      attempt: 1,
      event: { type: "text", text: "hm" },
    } as const;
    await journal.append("r1", [text], 2);
    void journal.append("r1", [text], 3);
    await journal.close();
    expect([...store.open(2).read("r1")]).toHaveLength(3);
  });
});

describe("runs", () => {
  test("that may go on are listed by themselves, however many newer ones are over", async () => {
    const journal = store.open();
    await journal.create(newRun("waits"), "", [], 1);
    for (const name of ["one", "two", "three"]) await journal.create(newRun(name), "", [finished()], 1);
    expect(journal.runs(2).map(({ run }) => run)).toEqual(["three", "two"]);
    expect(journal.runs(2, null, "live").map(({ run }) => run)).toEqual(["waits"]);
  });

  test("are listed newest first, found by prefix, and end with their last record", async () => {
    const journal = store.open();
    await journal.create(...start("ab1"));
    await journal.create(...start("ab2"));
    await journal.append("ab1", [ended("a"), finished()], 30);
    expect(journal.runs(10).map((row) => [row.run, row.status, row.endedAt])).toEqual([
      ["ab2", "running", null],
      ["ab1", "succeeded", 30],
    ]);
    expect(journal.find("ab2")?.run).toBe("ab2");
    expect(journal.find("ab")).toBeNull();
    expect(journal.find("")).toBeNull();
    expect(journal.definition("d1")).toBe("name: loop");
  });

  test("wait while nothing but a gate is open", async () => {
    const journal = store.open();
    await journal.create(newRun("r1"), "", [started("ask"), started("work")], 1);
    const attempt = { node: "ask", pass: 1, attempt: 1 };
    await journal.append(
      "r1",
      [{ type: "gate.opened", ...attempt, mode: "approval", prompt: "ship?", digest: "d" }],
      2,
    );
    expect(journal.find("r1")?.status).toBe("running");
    await journal.append("r1", [ended("work")], 3);
    expect(journal.find("r1")?.status).toBe("waiting");
    await journal.append("r1", [{ type: "gate.answered", ...attempt, by: "me", digest: "d", answer: true }], 4);
    expect(journal.find("r1")?.status).toBe("running");
  });

  test("whose owner is gone read interrupted, and take no record from another process", async () => {
    await store.open(1).create(...start("r1"));
    const other = store.open(2);
    expect(await other.append("r1", [ended("a")], 2)).toMatchObject({ conflict: "owner" });
    store.dead.add(1);
    expect(other.find("r1")?.status).toBe("interrupted");
    expect(await other.append("r1", [ended("a")], 2)).toMatchObject({ conflict: "owner" });
  });

  test("take nothing after their end", async () => {
    const journal = store.open();
    await journal.create(...start("r1"));
    await journal.append("r1", [finished()], 2);
    expect(await journal.append("r1", [ended("a")], 3)).toMatchObject({ conflict: "finished" });
    expect(await journal.takeOver("r1", processOf(1), processOf(1), 2)).toMatchObject({ conflict: "finished" });
  });
});

describe("passes", () => {
  test("are charged with their claim and counted over the runs of a task", async () => {
    const journal = store.open();
    await journal.create(newRun("r1", { taskId: "t" }), "", [started("fix", 1)], 1);
    await journal.create(newRun("r2", { taskId: "t" }), "", [started("fix", 2)], 1);
    await journal.create(newRun("r3", { taskId: "other" }), "", [started("fix", 1)], 1);
    expect(journal.passes("t", "loop")).toEqual({ fix: 2 });
    expect(journal.passes("other", "loop")).toEqual({ fix: 1 });
  });

  test("two processes cannot both charge the same pass, and the loser writes nothing", async () => {
    const [one, two] = [store.open(1), store.open(2)];
    await one.create(newRun("r1", { taskId: "t" }), "", [], 1);
    await two.create(newRun("r2", { taskId: "t", owner: processOf(2) }), "", [], 1);
    const answers = await Promise.all([
      one.append("r1", [stopRequested, started("fix", 1)], 2),
      two.append("r2", [stopRequested, started("fix", 1)], 2),
    ]);
    expect(answers.filter((answer) => "conflict" in answer)).toMatchObject([{ conflict: "passes" }]);
    expect([...one.read("r1"), ...one.read("r2")]).toHaveLength(2);
    expect(one.passes("t", "loop")).toEqual({ fix: 1 });
  });
});

describe("a working tree", () => {
  test("is one run's own while it lives; the refusal names it; a dead owner frees it", async () => {
    const [one, two] = [store.open(1), store.open(2)];
    await one.create(...start("r1", { tree: "/repo" }));
    const second = start("r2", { tree: "/repo", owner: processOf(2) });
    expect(await two.create(...second)).toMatchObject({ conflict: "taken", what: expect.stringContaining("r1") });
    expect(two.find("r2")).toBeNull();
    store.dead.add(1);
    expect(eventsOf(await two.create(...second))).toHaveLength(1);
    expect(await two.takeOver("r1", processOf(1), processOf(2), 1)).toMatchObject({ conflict: "taken" });
  });

  test("is free again when its run ends", async () => {
    const journal = store.open();
    await journal.create(...start("r1", { tree: "/repo" }));
    await journal.append("r1", [finished()], 2);
    expect(eventsOf(await journal.create(...start("r2", { tree: "/repo" })))).toHaveLength(1);
  });
});

describe("the mailbox", () => {
  test("reaches the owner from another process and is gone with the commit that takes it", async () => {
    const [one, two] = [store.open(1), store.open(2)];
    await one.create(...start("r1"));
    const message = new Promise<number>((done) => one.listen("r1", ({ id }) => done(id), never));
    await two.post("r1", stopRequested);
    await one.append("r1", [stopRequested], 2, [await message]);
    const later: unknown[] = [];
    one.listen("r1", (left) => later.push(left), never);
    expect(later).toEqual([]);
  });

  test("keeps what nobody took for the next owner, once", async () => {
    const one = store.open(1);
    await one.create(...start("r1"));
    await one.post("r1", stopRequested);
    const got: unknown[] = [];
    store.open(2).listen("r1", ({ body }) => got.push(body), never);
    expect(got).toEqual([stopRequested]);
  });
});

test("folder and files are the user's alone", async () => {
  const home = join(store.home, "deep", "er");
  const journal = store.open(1, { home });
  await journal.create(...start("r1"));
  const modes = [home, ...["", "-wal", "-shm"].map((end) => join(home, `trammel.db${end}`))].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
});

describe("remove", () => {
  test("takes runs that are over with all of theirs, and leaves what may go on", async () => {
    const journal = store.open();
    for (const run of ["done", "live", "halted"]) await journal.create(...start(run));
    await journal.append("done", [finished()], 20);
    await journal.append("halted", [{ ...finished(), status: "escalated" }], 20);
    expect(await journal.remove(["done", "live", "halted", "none"], 30)).toEqual(["done"]);
    expect(journal.runs(9).map(({ run }) => run)).toEqual(["halted", "live"]);
    expect([...journal.read("done")]).toEqual([]);
  });

  test("takes the runs inside along, at any depth", async () => {
    const journal = store.open();
    const inside = (run: string) => ({ parent: { run, node: "a", pass: 1, path: "a", blueprint: "loop" } });
    await journal.create(...start("outer"));
    await journal.create(...start("inner", inside("outer")));
    await journal.create(...start("inmost", inside("inner")));
    for (const run of ["inmost", "inner", "outer"]) await journal.append(run, [finished()], 20);
    expect(await journal.remove(["outer"], 30)).toEqual(["outer"]);
    expect(["outer", "inner", "inmost"].map((run) => journal.find(run))).toEqual([null, null, null]);
  });

  test("keeps the passes that a task has used", async () => {
    const journal = store.open();
    await journal.create(newRun("r1", { taskId: "T" }), "", [started("fix", 1)], 10);
    await journal.append("r1", [finished()], 20);
    expect(await journal.remove(["r1"], 30)).toEqual(["r1"]);
    expect(journal.passes("T", "loop")).toEqual({ fix: 1 });
  });
});
