import { afterEach, beforeEach, expect, test } from "vitest";
import { newRun, processOf, started, StoreFixture } from "./testing.ts";

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

test("owners of two boots are told apart in one list, though they share a pid and a start", async () => {
  const owner = processOf(1);
  const journal = store.open(1, { isAlive: ({ bootId }) => bootId === owner.bootId });
  const boots = { r1: "before", r2: owner.bootId, r3: "before" };
  for (const [run, bootId] of Object.entries(boots))
    await journal.create(newRun(run, { owner: { ...owner, bootId } }), "", [started("a")], 1);
  expect(journal.runs(3).map(({ run, status }) => `${run} ${status}`)).toEqual([
    "r3 interrupted",
    "r2 running",
    "r1 interrupted",
  ]);
});
