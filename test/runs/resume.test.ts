import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NodeResult } from "../../src/model/outcome.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { agentic, blueprint, chainOf, plain, three } from "./blueprints.ts";
import { again, bodies, handle, kinds, request, success, until, World, type Act } from "./harness.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("a run whose engine died", () => {
  test("reads interrupted, and resumed names what was running unconfirmed without performing it again", async () => {
    const run = await world.diedIn("b");
    expect(world.journal(2).find(run)).toMatchObject({ status: "interrupted" });
    const resumed = await world.resume(again(run), world.hangingIn(), 2);
    expect(await resumed.end).toMatchObject({ status: "needs_attention" });
    expect(world.calls).toEqual(["a", "b"]);
    expect(kinds(world.seen)).toEqual([
      "run.resumed",
      "passes.synced",
      "node.unconfirmed b",
      "run.halting b",
      "run.finished",
    ]);
  });

  test("performs what its author declared idempotent again, recorded as a replay, and comes to its end", async () => {
    const of = chainOf(["a", "b", "c"], { idempotent: true });
    const run = await world.diedIn("b", of);
    const resumed = await world.resume(again(run, { blueprint: of }), world.hangingIn(), 2);
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "b", "b", "c"]);
    expect(bodies(world.seen, "node.settled")).toMatchObject([{ node: "b", as: "again", by: "idempotent" }]);
    expect(bodies(world.seen, "node.started")).toMatchObject([
      { node: "b", pass: 1, attempt: 2 },
      { node: "c", pass: 1, attempt: 1 },
    ]);
  });

  test("that may be repeated and could be looked up is repeated: nothing is asked of the world", async () => {
    const effect = { probe: "exit 0", done: "exit 0" };
    const of = chainOf(["a", "b", "c"], { idempotent: true, effect });
    const run = await world.diedIn("b", of);
    const resumed = await world.resume(again(run, { blueprint: of }), world.hangingIn(), 2);
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(bodies(world.seen, "node.settled")).toMatchObject([{ node: "b", as: "again", by: "idempotent" }]);
  });

  test("twice: finished nodes are performed once, numbers go on, the chain holds", async () => {
    const of = chainOf(["a", "b", "c"], { idempotent: true });
    const run = await world.diedIn("b", of);
    const second = await world.resume(again(run, { blueprint: of }), world.hangingIn("c"), 2);
    await until(() => world.calls.includes("c"));
    world.kill(2);
    const third = await world.resume(again(run, { blueprint: of }), world.hangingIn(), 3);
    expect(await third.end).toMatchObject({ status: "succeeded", run: second.run });
    expect(world.calls).toEqual(["a", "b", "b", "c", "c"]);
    const all = [...world.journal(4).read(run)];
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1));
  });

  test.each([{}, { idempotent: true }])(
    "neither asks about nor repeats what a join had gone on without (%o)",
    async (declared) => {
      const nodes = [plain("a"), plain("f"), plain("s", declared), plain("j", { join: "any" }), plain("k")];
      const edges = ["a f", "a s", "f j", "s j", "j k"].map((edge) => edge.split(" "));
      const of = blueprint(
        nodes.map((node) => (node.id === "k" ? { ...node, idempotent: true } : node)),
        edges.map(([from = "", to = ""]) => ({ from, to })),
      );
      const act: Act = ({ node }) => (world.calls.push(node.id), hangs.has(node.id) ? new Promise(() => {}) : success);
      const hangs = new Set(["s", "k"]);
      const { run } = await world.start(request(of), { "*": act }, 1);
      await until(() => world.calls.includes("k"));
      world.kill(1);
      hangs.clear();
      const resumed = await world.resume(again(run, { blueprint: of }), { "*": act }, 2);
      expect(await resumed.end).toMatchObject({ status: "succeeded" });
      expect(world.calls).toEqual(["a", "f", "s", "j", "k", "k"]);
    },
  );

  test("has one winner of two who resume it at once", async () => {
    const run = await world.diedIn("b");
    const engines = [world.engine(world.hangingIn(), 2), world.engine(world.hangingIn(), 3)];
    const answers = await Promise.all(engines.map((engine) => engine.resume(again(run), world.observer)));
    expect(answers.filter((answer) => !("refused" in answer))).toHaveLength(1);
    expect(answers.find((answer) => "refused" in answer)).toMatchObject({ refused: "conflict" });
    expect(bodies(world.seen, "run.resumed")).toHaveLength(1);
  });

  test("shuts the old engine out should it wake up: its outcome is not recorded and its run ends interrupted", async () => {
    let wake: ((result: NodeResult) => void) | undefined;
    const acts: Readonly<Record<string, Act>> = {
      "*": ({ node }) => {
        world.calls.push(node.id);
        return node.id === "b" ? new Promise((resolve) => (wake = resolve)) : success;
      },
    };
    const frozen = await world.start(request(three), acts, 1);
    await until(() => wake !== undefined);
    world.kill(1);
    const resumed = await world.resume(again(frozen.run), world.hangingIn(), 2);
    await resumed.end;
    wake?.(success);
    expect(await frozen.end).toMatchObject({ status: "interrupted" });
    expect(world.calls).toEqual(["a", "b"]);
    expect(kinds(world.journal(3).read(frozen.run)).at(-1)).toBe("run.finished");
  });

  test("is bound by its time limit still, less what it had used", async () => {
    const clock = new ManualClock(1_000);
    const timed = new World({ clock });
    const nodes = ["s", "a", "b"].map((id) => plain(id, { idempotent: true }));
    const side = ["a", "b"].map((to) => ({ from: "s", to }));
    const of = blueprint(nodes, side, { limits: { timeMs: 60_000 } });
    let begun = 0;
    const wait: Act = ({ signal }) => {
      begun += 1;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" })));
    };
    const work: Act = async () => {
      await until(() => begun === 1);
      clock.advance(20_000);
      return success;
    };
    const acts = { s: () => success, a: work, b: wait };
    const first = await timed.start(request(of), acts, 1);
    await until(() => bodies(timed.seen, "node.ended").some(({ node }) => node === "a"));
    const since = new ManualClock(clock.now() + 3_600_000); // nobody worked on it in this time
    const later = new World({ clock: since, home: timed.home });
    later.kill(1);
    const resumed = await later.resume(again(first.run, { blueprint: of }), acts, 2);
    await until(() => begun === 2);
    since.advance(39_000);
    expect(later.journal(3).find(first.run)).toMatchObject({ status: "running" });
    since.advance(1_000);
    expect(await resumed.end).toMatchObject({ status: "limit" });
    await later.remove();
    await timed.remove();
  });

  test("waits no longer than it says where the clock was set back meanwhile: what goes on began now at the latest", async () => {
    const before = new World({ clock: new ManualClock(86_400_000) });
    const of = blueprint([plain("a", { idempotent: true })], []);
    const run = await before.diedIn("a", of);
    const later = new World({ clock: new ManualClock(1_000), home: before.home });
    later.kill(1);
    let since = Number.NaN;
    const act: Act = (context) => {
      since = context.since;
      return success;
    };
    await (
      await later.resume(again(run, { blueprint: of }), { a: act }, 2)
    ).end;
    expect(since).toBe(1_000);
    await later.remove();
    await before.remove();
  });

  test("counts the passes that were charged before the crash", async () => {
    const loop = blueprint(
      [agentic("fix", { cap: 2, idempotent: true }), plain("check")],
      [
        { from: "fix", to: "check" },
        { from: "check", to: "fix", when: "failure" },
      ],
    );
    const acts: Readonly<Record<string, Act>> = {
      fix: () => {
        world.calls.push("fix");
        return world.calls.length === 2 ? new Promise<NodeResult>(() => undefined) : success;
      },
      check: () => ({ outcome: "failure" }),
    };
    const { run } = await world.start(request(loop), acts, 1);
    await until(() => world.calls.length === 2);
    world.kill(1);
    const resumed = await world.resume(again(run, { blueprint: loop }), acts, 2);
    expect(await resumed.end).toMatchObject({ status: "escalated" });
    // The replay is another attempt of the second pass, not a third one.
    expect(world.calls).toHaveLength(3);
    expect(world.journal(3).passes(run, "test")).toEqual({ fix: 2 });
  });
});

describe("resuming is refused", () => {
  test.each([
    ["with another blueprint", { contentHash: "other" }, "changed"],
    ["with another binding", { bindingHash: "other" }, "changed"],
    ["for a run that does not exist", { run: "nothing" }, "not_found"],
  ])("%s", async (_, more, refused) => {
    const run = await world.diedIn("b");
    const answer = await world.engine(world.hangingIn(), 2).resume(again(run, more), world.observer);
    expect(answer).toMatchObject({ refused });
    expect(world.seen).toEqual([]);
  });

  test("while its owner lives, and by the owner itself", async () => {
    const engine = world.engine(world.hangingIn("a"), 1);
    const { run } = handle(await engine.start(request(three), world.observer));
    expect(await engine.resume(again(run), world.observer)).toMatchObject({ refused: "conflict" });
    expect(await world.engine(world.hangingIn(), 2).resume(again(run), world.observer)).toMatchObject({
      refused: "conflict",
    });
  });

  test("after its end", async () => {
    const { run, end } = await world.start(request(three), world.hangingIn(), 1);
    await end;
    expect(await world.engine(world.hangingIn(), 1).resume(again(run), world.observer)).toMatchObject({
      refused: "finished",
    });
  });

  test("unless changes are accepted, which is recorded and stands from then on", async () => {
    const run = await world.diedIn("b");
    const engine = world.engine(world.hangingIn(), 2);
    const changed = { contentHash: "other", acceptChanges: true };
    const resumed = handle(await engine.resume(again(run, changed), world.observer));
    await resumed.end;
    expect(bodies(world.seen, "run.resumed")).toMatchObject([
      { accepted: { contentHash: "other", bindingHash: "binding" } },
    ]);
    const settle = { node: "b", as: "done", by: "Ada" } as const;
    expect(await engine.resume(again(run, { settle }), world.observer)).toMatchObject({ refused: "changed" });
  });
});

test("a run whose journal was cut before its start is not resumed as something else", async () => {
  const run = await world.diedIn("b");
  const db = new DatabaseSync(join(world.home, "trammel.db"));
  db.exec("DELETE FROM journal WHERE seq = 1");
  db.close();
  const answer = await world.engine(world.hangingIn(), 2).resume(again(run), world.observer);
  expect(answer).toMatchObject({
    refused: "unavailable",
    message: expect.stringContaining("does not begin with its start"),
  });
});
