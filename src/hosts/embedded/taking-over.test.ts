import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ended, newRun, processOf, started, stopRequested, StoreFixture } from "./testing.ts";

const escalated = {
  type: "run.finished",
  status: "escalated",
  walkedPast: [],
  usage: { inputTokens: 0, outputTokens: 0, turns: 0 },
} as const;

let store: StoreFixture;
beforeEach(() => {
  store = new StoreFixture();
});
afterEach(() => store.remove());

describe("taking over", () => {
  test("is refused while the owner lives, and has one winner after it", async () => {
    await store.open(1).create(newRun("r1"), "name: loop", [started("a")], 1);
    const [second, third] = [store.open(2), store.open(3)];
    expect(await second.takeOver("r1", processOf(1), processOf(2), 1)).toMatchObject({ conflict: "owner" });
    store.dead.add(1);
    const answers = await Promise.all([
      second.takeOver("r1", processOf(1), processOf(2), 1),
      third.takeOver("r1", processOf(1), processOf(3), 1),
    ]);
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
    expect(answers.find((answer) => answer !== null)).toMatchObject({ conflict: "owner" });
  });

  test("is refused to one who has not read all of it: what it would go on from is no longer so", async () => {
    const old = store.open(1);
    await old.create(newRun("r1"), "name: loop", [started("a")], 1);
    const [{ seq } = { seq: 0 }] = old.read("r1");
    await old.append("r1", [ended("a")], 2);
    store.dead.add(1);
    const next = store.open(2);
    expect(await next.takeOver("r1", processOf(1), processOf(2), seq)).toMatchObject({
      conflict: "owner",
      what: expect.stringContaining("has gone on"),
    });
    expect(next.find("r1")).toMatchObject({ owner: processOf(1), status: "interrupted" });
  });

  test("finds no message that came when the run had ended already", async () => {
    const old = store.open(1);
    await old.create(newRun("r1"), "name: loop", [started("a")], 1);
    await old.append("r1", [escalated], 2);
    const next = store.open(2);
    await next.post("r1", stopRequested);
    expect(await next.takeOver("r1", processOf(1), processOf(2), 2)).toBeNull();
    const heard: unknown[] = [];
    next.listen(
      "r1",
      (message) => heard.push(message),
      (error) => expect.fail(String(error)),
    )();
    expect(heard).toEqual([]);
  });

  test("goes on with the numbers and the chain, and shuts the old owner out at once", async () => {
    const old = store.open(1);
    await old.create(newRun("r1"), "name: loop", [started("a")], 1);
    await old.append("r1", [ended("a")], 2);
    store.dead.add(1);
    const next = store.open(2);
    expect(await next.takeOver("r1", processOf(1), processOf(2), 2)).toBeNull();
    await next.append("r1", [started("b")], 3);
    expect(await old.append("r1", [started("late")], 4)).toMatchObject({ conflict: "owner" });
    expect([...next.read("r1")].map((event) => [event.seq, event.body.type])).toEqual([
      [1, "node.started"],
      [2, "node.ended"],
      [3, "node.started"],
    ]);
  });

  test("is taken back as long as nothing is recorded after it", async () => {
    const old = store.open(1);
    await old.create(newRun("r1"), "name: loop", [started("a")], 1);
    await old.append("r1", [escalated], 2);
    const before = old.find("r1");
    const [second, third] = [store.open(2), store.open(3)];
    await second.giveBack("r1");
    expect(await second.takeOver("r1", processOf(1), processOf(2), 2)).toBeNull();
    expect(await second.takeOver("r1", processOf(2), processOf(2), 2)).toBeNull();
    expect(third.find("r1")).toMatchObject({ status: "running", owner: processOf(2) });
    await third.giveBack("r1");
    expect(third.find("r1")).toMatchObject({ status: "running", owner: processOf(2) });
    await second.giveBack("r1");
    expect(third.find("r1")).toEqual(before);
    expect(await second.append("r1", [started("b")], 3)).toMatchObject({ conflict: "finished" });
    expect(await third.takeOver("r1", processOf(1), processOf(3), 2)).toBeNull();
    await third.append("r1", [started("b")], 3);
    await third.giveBack("r1");
    expect(second.find("r1")).toMatchObject({ status: "running", owner: processOf(3) });
  });
});
