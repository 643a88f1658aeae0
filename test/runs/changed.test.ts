import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Blueprint } from "../../src/model/blueprint.ts";
import { blueprint, chainOf, gate, plain } from "./blueprints.ts";
import { again, request, success, until, World, type Act } from "./harness.ts";
import { calling, callees } from "./inside.ts";

/** What a changed blueprint makes of what was done by the one before it. */
let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

/** Dies in the last of `before`, and asks to go on with `now`. */
async function goOnWith(now: Blueprint, before = chainOf(["a", "charge", "ship"])) {
  const run = await world.diedIn([...before.nodes.keys()].at(-1) ?? "", before);
  const changed = { blueprint: now, contentHash: "other", acceptChanges: true };
  return { run, answer: await world.engine(world.hangingIn(), 2).resume(again(run, changed), world.observer) };
}

describe("is refused, and nothing is done once more, where", () => {
  test.each([
    ["a node comes before what was done", chainOf(["a", "lint", "charge", "ship"]), "charge"],
    ["what was done comes later", chainOf(["a", "ship", "charge"]), "charge"],
    [
      "what was done has another name",
      blueprint(
        [plain("a"), plain("pay", { was: "charge" }), plain("ship")],
        [
          { from: "a", to: "pay" },
          { from: "pay", to: "ship" },
        ],
      ),
      "charge",
    ],
  ])("%s", async (_, now, node) => {
    const { run, answer } = await goOnWith(now);
    expect(answer).toMatchObject({
      refused: "changed",
      message: `the changed blueprint cannot go on with run ${run}: ${node} has begun there, would not have by now, and would be done once more`,
      hint: "put the old version back, or begin anew with the changed one: trammel run",
    });
    expect(world.calls).toEqual(["a", "charge", "ship"]);
    // It is as it was.
    expect(world.journal(3).find(run)).toMatchObject({ status: "interrupted" });
  });

  test("what nobody knows the outcome of is gone", async () => {
    const { run, answer } = await goOnWith(chainOf(["a", "charge", "other"]));
    expect(answer).toMatchObject({
      refused: "changed",
      message: `the changed blueprint cannot go on with run ${run}: nobody knows what became of ship, and it has no such node`,
      hint: `put the old version back and say it: trammel settle ${run} ship --as done|failed`,
    });
    expect(world.calls).toEqual(["a", "charge", "ship"]);
  });

  test("that is so inside a call", async () => {
    const top = blueprint([calling("pay", "leaf")], []);
    const leaf = chainOf(["a", "charge"]);
    const { run } = await world.start(request(top, { callees: callees({ leaf }) }), world.hangingIn("charge"), 1);
    await until(() => world.calls.includes("charge"));
    world.kill(1);
    const now = chainOf(["a", "lint", "charge"]);
    const changed = { blueprint: top, callees: callees({ leaf: now }), contentHash: "other", acceptChanges: true };
    expect(await world.engine(world.hangingIn(), 2).resume(again(run, changed), world.observer)).toMatchObject({
      refused: "changed",
      message: expect.stringContaining("pay/charge has begun there"),
    });
    expect(world.calls).toEqual(["a", "charge"]);
  });
});

describe("goes on where", () => {
  test.each([
    ["a node comes after what was done", chainOf(["a", "charge", "ship", "tell"]), ["tell"]],
    [
      "what was done and is over is gone",
      blueprint([plain("charge"), plain("ship")], [{ from: "charge", to: "ship" }]),
      [],
    ],
  ])("%s", async (_, now, more) => {
    const run = await world.diedIn("ship", chainOf(["a", "charge", "ship"]));
    const settle = { node: "ship", as: "done", by: "Ada" } as const;
    const changed = { blueprint: now, contentHash: "other", acceptChanges: true, settle };
    const resumed = await world.resume(again(run, changed), world.hangingIn(), 2);
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "charge", "ship", ...more]);
  });

  test("its author says that it may be done again", async () => {
    const often = { idempotent: true };
    const run = await world.diedIn("b", chainOf(["a", "b"], often));
    const changed = { blueprint: chainOf(["a", "lint", "b"], often), contentHash: "other", acceptChanges: true };
    const resumed = await world.resume(again(run, changed), world.hangingIn(), 2);
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "b", "lint", "b"]);
  });

  test("the gate at which it waits is gone", async () => {
    const over = { shown: "what was shown" };
    const asks: Act = (context) => {
      world.calls.push("ok");
      context.report({ kind: "gate_opened", mode: "approval", prompt: "", digest: "digest", over });
      return new Promise(() => undefined);
    };
    const before = blueprint(
      [plain("a"), gate("ok"), plain("b")],
      [
        { from: "a", to: "ok" },
        { from: "ok", when: "success", to: "b" },
      ],
    );
    const { run } = await world.start(request(before), { ok: asks, "*": () => success }, 1);
    await until(() => world.seen.some(({ body }) => body.type === "gate.opened"));
    world.kill(1);
    const changed = { blueprint: chainOf(["a", "b"]), contentHash: "other", acceptChanges: true };
    const resumed = await world.resume(again(run, changed), world.hangingIn(), 2);
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["ok", "b"]);
  });
});
