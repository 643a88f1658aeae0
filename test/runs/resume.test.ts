import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NodeResult } from "../../src/model/outcome.ts";
import { ManualClock } from "../../src/runtime/clock.ts";
import type { ResumeRequest } from "../../src/runtime/api.ts";
import {
  agentic,
  blueprint,
  bodies,
  chainOf,
  gate,
  handle,
  kinds,
  plain,
  request,
  success,
  until,
  World,
  type Act,
} from "./harness.ts";

let world: World;
let calls: string[];
beforeEach(() => {
  world = new World();
  calls = [];
});
afterEach(() => world.remove());

const three = chainOf(["a", "b", "c"]);

/** Performs every node, and hangs in those that are named. */
function hangingIn(...ids: readonly string[]): Readonly<Record<string, Act>> {
  return {
    "*": ({ node }) => {
      calls.push(node.id);
      return ids.includes(node.id) ? new Promise<NodeResult>(() => undefined) : success;
    },
  };
}

/** Runs until a node is being performed, and lets its engine die there. */
async function diedIn(node: string, of = three, acts = hangingIn(node)): Promise<string> {
  const { run } = handle(await world.engine(acts, 1).start(request(of), world.observer));
  await until(() => calls.includes(node));
  world.kill(1);
  world.seen.length = 0;
  return run;
}

function again(run: string, more: Partial<ResumeRequest> = {}): ResumeRequest {
  return { run, blueprint: three, contentHash: "content", bindingHash: "binding", acceptChanges: false, ...more };
}

describe("a run whose engine died", () => {
  test("reads interrupted, and resumed names what was running unconfirmed without performing it again", async () => {
    const run = await diedIn("b");
    expect(world.journal(2).find(run)).toMatchObject({ status: "interrupted" });
    const resumed = handle(await world.engine(hangingIn(), 2).resume(again(run), world.observer));
    expect(await resumed.end).toMatchObject({ status: "needs_attention" });
    expect(calls).toEqual(["a", "b"]);
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
    const run = await diedIn("b", of);
    const resumed = handle(await world.engine(hangingIn(), 2).resume(again(run, { blueprint: of }), world.observer));
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(calls).toEqual(["a", "b", "b", "c"]);
    expect(bodies(world.seen, "node.settled")).toMatchObject([{ node: "b", as: "again", by: "idempotent" }]);
    expect(bodies(world.seen, "node.started")).toMatchObject([
      { node: "b", pass: 1, attempt: 2 },
      { node: "c", pass: 1, attempt: 1 },
    ]);
  });

  test("twice: finished nodes are performed once, numbers go on, the chain holds", async () => {
    const of = chainOf(["a", "b", "c"], { idempotent: true });
    const run = await diedIn("b", of);
    const second = handle(await world.engine(hangingIn("c"), 2).resume(again(run, { blueprint: of }), world.observer));
    await until(() => calls.includes("c"));
    world.kill(2);
    const third = handle(await world.engine(hangingIn(), 3).resume(again(run, { blueprint: of }), world.observer));
    expect(await third.end).toMatchObject({ status: "succeeded", run: second.run });
    expect(calls).toEqual(["a", "b", "b", "c", "c"]);
    const all = [...world.journal(4).read(run)];
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1));
  });

  test("has one winner of two who resume it at once", async () => {
    const run = await diedIn("b");
    const engines = [world.engine(hangingIn(), 2), world.engine(hangingIn(), 3)];
    const answers = await Promise.all(engines.map((engine) => engine.resume(again(run), world.observer)));
    expect(answers.filter((answer) => !("refused" in answer))).toHaveLength(1);
    expect(answers.find((answer) => "refused" in answer)).toMatchObject({ refused: "conflict" });
    expect(bodies(world.seen, "run.resumed")).toHaveLength(1);
  });

  test("shuts the old engine out should it wake up: its outcome is not recorded and its run ends interrupted", async () => {
    let wake: ((result: NodeResult) => void) | undefined;
    const acts: Readonly<Record<string, Act>> = {
      "*": ({ node }) => {
        calls.push(node.id);
        return node.id === "b" ? new Promise((resolve) => (wake = resolve)) : success;
      },
    };
    const frozen = handle(await world.engine(acts, 1).start(request(three), world.observer));
    await until(() => wake !== undefined);
    world.kill(1);
    const resumed = handle(await world.engine(hangingIn(), 2).resume(again(frozen.run), world.observer));
    await resumed.end;
    wake?.(success);
    expect(await frozen.end).toMatchObject({ status: "interrupted" });
    expect(calls).toEqual(["a", "b"]);
    expect(kinds(world.journal(3).read(frozen.run)).at(-1)).toBe("run.finished");
  });

  test("is bound by its time limit still, less what it had used", async () => {
    const clock = new ManualClock(1_000);
    const timed = new World({ clock });
    const of = blueprint([plain("a", { idempotent: true })], [], { limits: { timeMs: 60_000 } });
    const wait: Act = ({ signal }) => {
      calls.push("a");
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" })));
    };
    const first = handle(await timed.engine({ a: wait }, 1).start(request(of), timed.observer));
    await until(() => calls.length === 1);
    timed.kill(1);
    clock.advance(3_600_000); // nobody worked on it in this time
    const resumed = handle(await timed.engine({ a: wait }, 2).resume(again(first.run, { blueprint: of }), timed.observer));
    await until(() => calls.length === 2);
    clock.advance(59_000);
    expect(timed.journal(3).find(first.run)).toMatchObject({ status: "running" });
    clock.advance(1_000);
    expect(await resumed.end).toMatchObject({ status: "limit" });
    await timed.remove();
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
        calls.push("fix");
        return calls.length === 2 ? new Promise<NodeResult>(() => undefined) : success;
      },
      check: () => ({ outcome: "failure" }),
    };
    const { run } = handle(await world.engine(acts, 1).start(request(loop), world.observer));
    await until(() => calls.length === 2);
    world.kill(1);
    const resumed = handle(await world.engine(acts, 2).resume(again(run, { blueprint: loop }), world.observer));
    expect(await resumed.end).toMatchObject({ status: "escalated" });
    // The replay is another attempt of the second pass, not a third one.
    expect(calls).toHaveLength(3);
    expect(world.journal(3).passes(run, "test")).toEqual({ fix: 2 });
  });
});

describe("resuming is refused", () => {
  test.each([
    ["with another blueprint", { contentHash: "other" }, "changed"],
    ["with another binding", { bindingHash: "other" }, "changed"],
    ["for a run that does not exist", { run: "nothing" }, "not_found"],
  ])("%s", async (_, more, refused) => {
    const run = await diedIn("b");
    const answer = await world.engine(hangingIn(), 2).resume(again(run, more), world.observer);
    expect(answer).toMatchObject({ refused });
    expect(world.seen).toEqual([]);
  });

  test("while its owner lives, and by the owner itself", async () => {
    const engine = world.engine(hangingIn("a"), 1);
    const { run } = handle(await engine.start(request(three), world.observer));
    expect(await engine.resume(again(run), world.observer)).toMatchObject({ refused: "conflict" });
    expect(await world.engine(hangingIn(), 2).resume(again(run), world.observer)).toMatchObject({
      refused: "conflict",
    });
  });

  test("after its end", async () => {
    const { run, end } = handle(await world.engine(hangingIn(), 1).start(request(three), world.observer));
    await end;
    expect(await world.engine(hangingIn(), 1).resume(again(run), world.observer)).toMatchObject({
      refused: "finished",
    });
  });

  test("unless changes are accepted, which is recorded and stands from then on", async () => {
    const run = await diedIn("b");
    const engine = world.engine(hangingIn(), 2);
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

describe("a decision about an unconfirmed node", () => {
  test.each([
    ["done", "succeeded", ["a", "b", "c"]],
    ["again", "succeeded", ["a", "b", "b", "c"]],
    ["failed", "failed", ["a", "b"]],
  ] as const)("as %s", async (as, status, performed) => {
    const edges = [
      { from: "a", to: "b" },
      { from: "b", to: "c", when: "success" },
    ];
    const of = blueprint([plain("a"), plain("b"), plain("c")], edges);
    const run = await diedIn("b", of);
    const engine = world.engine(hangingIn(), 2);
    await handle(await engine.resume(again(run, { blueprint: of }), world.observer)).end;
    expect(await engine.resume(again(run, { blueprint: of }), world.observer)).toMatchObject({
      refused: "finished",
      hint: expect.stringContaining("settle"),
    });
    const settle = { node: "b", as, by: "Ada", reason: "looked at it" };
    const settled = handle(await engine.resume(again(run, { blueprint: of, settle }), world.observer));
    expect(await settled.end).toMatchObject({ status });
    expect(calls).toEqual(performed);
    expect(world.journal(3).find(run)).toMatchObject({ status });
  });

  test("about a node that waits for none is refused", async () => {
    const run = await diedIn("b");
    const engine = world.engine(hangingIn(), 2);
    await handle(await engine.resume(again(run), world.observer)).end;
    const settle = { node: "a", as: "done", by: "Ada" } as const;
    expect(await engine.resume(again(run, { settle }), world.observer)).toMatchObject({ refused: "bad_input" });
  });

  test("of two at once has one winner", async () => {
    const run = await diedIn("b");
    await handle(await world.engine(hangingIn(), 2).resume(again(run), world.observer)).end;
    const settle = { node: "b", as: "done", by: "Ada" } as const;
    const engines = [world.engine(hangingIn(), 2), world.engine(hangingIn(), 3)];
    const answers = await Promise.all(engines.map((engine) => engine.resume(again(run, { settle }), world.observer)));
    expect(answers.filter((answer) => !("refused" in answer))).toHaveLength(1);
    await Promise.all(answers.map((answer) => ("refused" in answer ? null : answer.end)));
    expect(bodies(world.journal(4).read(run), "node.settled")).toHaveLength(1);
  });
});

describe("a gate", () => {
  const asked = blueprint([gate("ask"), plain("ship")], [{ from: "ask", to: "ship", when: "success" }]);
  const ask: Act = async (context) => {
    context.report({ kind: "gate_opened", mode: "approval", prompt: "ship?", digest: "d1" });
    const question = { run: context.run, node: "ask", mode: "approval", prompt: "ship?", evidence: [] } as const;
    const answer = await context.can.gates.ask({ ...question, options: [], fields: {} }, context.signal);
    if (answer.kind !== "approved") return { outcome: "error", reason: { code: "no_terminal", text: answer.kind } };
    context.report({ kind: "gate_answered", by: answer.by, digest: "d1", answer: true });
    return success;
  };
  const never = { ask: () => new Promise<never>(() => undefined) };
  const answer = { type: "gate.answered", node: "ask", pass: 1, attempt: 1, by: "Ada", answer: true } as const;

  test("is answered from another process, once; a wrong digest is turned away", async () => {
    const served = new World({ can: { gates: never } });
    const engine = served.engine({ ask, ship: () => success });
    const { end, run } = handle(await engine.start(request(asked), served.observer));
    const other = served.journal(2);
    await until(() => other.find(run)?.status === "waiting");
    await other.post(run, { ...answer, digest: "of something else" });
    await other.post(run, { ...answer, digest: "d1" });
    await other.post(run, { ...answer, digest: "d1", by: "Bob" });
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(bodies(served.seen, "gate.answered")).toMatchObject([{ by: "Ada", answer: true }]);
    expect(bodies(served.seen, "gate.opened")).toHaveLength(1);
    await served.remove();
  });

  test("that was answered before the crash is not asked again", async () => {
    const crashing = new World({ can: { gates: never } });
    const stuck: Act = async (context) => {
      await ask(context);
      return new Promise<NodeResult>(() => undefined);
    };
    const first = handle(
      await crashing.engine({ ask: stuck, ship: () => success }, 1).start(request(asked), crashing.observer),
    );
    await until(() => kinds(crashing.seen).includes("gate.opened ask"));
    first.deliver({ ...answer, digest: "d1" });
    await until(() => kinds(crashing.seen).includes("gate.answered ask"));
    crashing.kill(1);
    crashing.seen.length = 0;
    const engine = crashing.engine({ ask, ship: () => success }, 2);
    const resumed = handle(await engine.resume(again(first.run, { blueprint: asked }), crashing.observer));
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(bodies(crashing.seen, "gate.answered")).toEqual([]);
    await crashing.remove();
  });

  test("that nobody had answered is asked again", async () => {
    const crashing = new World({ can: { gates: never } });
    const first = handle(
      await crashing.engine({ ask, ship: () => success }, 1).start(request(asked), crashing.observer),
    );
    await until(() => kinds(crashing.seen).includes("gate.opened ask"));
    crashing.kill(1);
    const engine = crashing.engine({ ask, ship: () => success }, 2);
    const resumed = handle(await engine.resume(again(first.run, { blueprint: asked }), crashing.observer));
    await until(() => bodies(crashing.seen, "gate.opened").length === 2);
    resumed.deliver({ ...answer, attempt: 2, digest: "d1" });
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    await crashing.remove();
  });
});

test("a run whose journal was cut before its start is not resumed as something else", async () => {
  const run = await diedIn("b");
  const db = new DatabaseSync(join(world.home, "trammel.db"));
  db.exec("DELETE FROM journal WHERE seq = 1");
  db.close();
  const answer = await world.engine(hangingIn(), 2).resume(again(run), world.observer);
  expect(answer).toMatchObject({ refused: "unavailable", message: expect.stringContaining("not what was written") });
});
