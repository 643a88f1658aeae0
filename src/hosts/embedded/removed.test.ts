import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import type { EmbeddedJournal } from "./journal.ts";
import { finished, newRun, started, StoreFixture } from "./testing.ts";

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

async function over(journal: EmbeddedJournal, run: string, more: Parameters<typeof newRun>[1] = {}): Promise<void> {
  await journal.create(newRun(run, more), "name: loop", [started("a")], 10);
  await journal.append(run, [finished()], 20);
}

test("of a removed run and those inside it is known that they were there, and when they went", async () => {
  const journal = store.open();
  await over(journal, "run-1");
  await over(journal, "run-2", { parent: { run: "run-1", node: "a", pass: 1, path: "a", blueprint: "loop" } });
  await over(journal, "kept");
  await journal.remove(["run-1", "nothing"], 30);
  const gone = { status: "succeeded", at: 30 };
  expect(journal.removed("run-1")).toEqual({ run: "run-1", ...gone });
  expect(store.open(2).removed("run-2")).toEqual({ run: "run-2", ...gone });
  expect(["run-", "kept", "nothing"].map((run) => journal.removed(run))).toEqual([null, null, null]);
});

test("the oldest are forgotten", async () => {
  const journal = store.open();
  await over(journal, "old");
  await over(journal, "new");
  await journal.remove(["old"], 30);
  const db = new DatabaseSync(join(store.home, "trammel.db"));
  const insert = db.prepare("INSERT INTO removed (id, run, status, at) VALUES (?, 'between', 'failed', 31)");
  insert.run(limits.removedRunsRemembered);
  db.close();
  expect(journal.removed("old")).not.toBeNull();
  await journal.remove(["new"], 32);
  expect(["old", "between", "new"].map((run) => journal.removed(run)?.at)).toEqual([undefined, 31, 32]);
});
