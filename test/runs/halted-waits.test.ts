import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseTemplate } from "../../src/language/template.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { GateAnswered } from "../../src/model/gate-events.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { HumanNode, Node, WaitNode } from "../../src/model/node.ts";
import { createHumanPerformer } from "../../src/nodes/human.ts";
import { createWaitPerformer } from "../../src/nodes/wait.ts";
import type { JournalReader } from "../../src/ports/journal.ts";
import type { ActionContext } from "../../src/ports/performer.ts";
import type { RunHandle } from "../../src/runtime/api.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { openGates } from "../../src/views/open-gates.ts";
import { agentic, blueprint, gate, plain } from "./blueprints.ts";
import { type Act, again, bodies, kinds, request, success, until, World } from "./harness.ts";
import { callees, calling, runsInside } from "./inside.ts";

/** What waits when a run halts elsewhere, and is waited for again once a decision goes on with the run. */

let world: World;
let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock(1_000);
  world = new World({
    clock,
    can: {
      gates: {
        ask: (_, signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "nobody" }))),
      },
    },
  });
});
afterEach(() => world.remove());

const ask = gate("ask", { prompt: parseTemplate("ship?") });
const pause: WaitNode = { id: "pause", type: "wait", forMs: 600_000 };
const isGate = (context: ActionContext): context is ActionContext<HumanNode> => context.node.type === "human";
const isWait = (context: ActionContext): context is ActionContext<WaitNode> => context.node.type === "wait";

/** Nodes are noted and done, but `bad` fails once `fail` is called; people are asked, and times waited for. */
function acts() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const human = createHumanPerformer(clock, () => true, { treeOf: () => Promise.resolve(null), mask: (text) => text });
  const wait = createWaitPerformer(clock);
  const all: Act = async (context) => {
    world.calls.push(context.node.id);
    if (isGate(context)) return human.perform(context);
    if (isWait(context)) return wait.perform(context);
    if (context.node.id !== "bad") return success;
    await promise;
    return { outcome: "failure", reason: { code: "exit", text: "exit 1" } };
  };
  return { fail: resolve, of: { "*": all } };
}

/** Something that waits, with `bad` beside it and `then` behind it. */
const beside = (waiting: Node, more: Partial<Blueprint> = {}): Blueprint =>
  blueprint(
    [plain("go"), waiting, plain("bad"), plain("then")],
    [
      { from: "go", to: waiting.id },
      { from: "go", to: "bad" },
      { from: waiting.id, to: "then", when: "success" },
    ],
    { escalate: ["failure"], ...more },
  );

const settle = { node: "bad", as: "done", by: "Ann" } as const;

function answer(journal: JournalReader, run: string, path: string): GateAnswered {
  const [open] = openGates(journal.read(run));
  const digest = open?.gate.digest ?? "nothing waits";
  return { type: "gate.answered", node: path, pass: 1, attempt: 2, by: "Ada", answer: true, digest };
}

async function halted(of: Blueprint, waiting: () => boolean, more = {}): Promise<RunHandle> {
  const { fail, of: all } = acts();
  const running = await world.start(request(of, more), all, 1);
  await until(waiting);
  fail();
  expect(await running.end).toMatchObject({ status: "escalated", reason: expect.stringMatching(/^bad: exit 1/) });
  return running;
}

describe("a gate", () => {
  const opened = () => bodies(world.seen, "gate.opened").length > 0;

  test("is asked again, and its answer counts", async () => {
    const of = beside(ask);
    const { run } = await halted(of, opened);
    expect(kinds(world.seen).filter((kind) => kind.endsWith(" ask"))).toEqual([
      "node.started ask",
      "gate.opened ask",
      "node.unconfirmed ask",
      "node.settled ask",
    ]);
    const journal = world.journal(2);
    const second = await world.resume(again(run, { blueprint: of, settle }), acts().of, 2, journal);
    await until(() => bodies(world.seen, "gate.opened").length === 2);
    second.deliver(answer(journal, run, "ask"));
    expect(await second.end).toMatchObject({ status: "succeeded" });
    expect([...world.calls].sort()).toEqual(["ask", "ask", "bad", "go", "then"]);
  });

  test("in a call is asked again, and nothing before it is done twice", async () => {
    const callee = blueprint([plain("x"), ask], [{ from: "x", to: "ask" }], { name: "callee" });
    const of = beside(calling("sub", "callee"));
    const more = { callees: callees({ callee }) };
    const { run } = await halted(of, () => bodies(world.seen, "node.waiting").length > 0, more);
    const journal = world.journal(2);
    const [inner] = runsInside(journal, run);
    expect(inner).toMatchObject({ status: "waiting" });
    const second = await world.resume(again(run, { blueprint: of, settle, ...more }), acts().of, 2, journal);
    await until(() => bodies(world.seen, "node.waiting").length === 2);
    second.deliver(answer(journal, inner?.run ?? "", "sub/ask"));
    expect(await second.end).toMatchObject({ status: "succeeded", reason: null });
    expect(world.calls.filter((call) => call === "x")).toHaveLength(1);
    expect(kinds(journal.read(inner?.run ?? ""))).not.toContain("run.stop_requested");
  });

  test("is closed where no decision can go on with the run", async () => {
    const of = beside(ask, { escalate: [] });
    const { fail, of: all } = acts();
    const running = await world.start(request(of), all, 1);
    await until(opened);
    running.stop("Ann");
    fail();
    expect(await running.end).toMatchObject({ status: "stopped" });
    expect(bodies(world.seen, "node.ended").find(({ node }) => node === "ask")).toMatchObject({
      result: { outcome: "cancelled" },
    });
  });
});

describe("a wait", () => {
  test("goes on counting while the run stands still", async () => {
    const of = beside(pause);
    const { run } = await halted(of, () => world.calls.includes("pause"));
    clock.advance(599_000);
    const second = await world.resume(again(run, { blueprint: of, settle }), acts().of, 2);
    await until(() => world.calls.filter((call) => call === "pause").length === 2);
    expect(world.calls).not.toContain("then");
    clock.advance(1_000);
    expect(await second.end).toMatchObject({ status: "succeeded" });
  });

  test("in a call too, though such a run cannot be parked otherwise", async () => {
    const callee = blueprint([plain("x"), pause], [{ from: "x", to: "pause" }], { name: "callee" });
    const of = beside(calling("sub", "callee"));
    const more = { callees: callees({ callee }) };
    const { run } = await halted(of, () => bodies(world.seen, "node.waiting").length > 0, more);
    clock.advance(600_000);
    const second = await world.resume(again(run, { blueprint: of, settle, ...more }), acts().of, 2);
    expect(await second.end).toMatchObject({ status: "succeeded" });
    expect(world.calls.filter((call) => call === "x")).toHaveLength(1);
  });
});

test("what is at work in a call goes on until it waits, and what is begun there by then is kept", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const callee = blueprint(
    [plain("x"), plain("slow"), ask],
    [
      { from: "x", to: "slow" },
      { from: "slow", to: "ask" },
    ],
    { name: "callee" },
  );
  const of = beside(calling("sub", "callee"));
  const more = { callees: callees({ callee }) };
  const { fail, of: all } = acts();
  const slow: Act = async () => {
    world.calls.push("slow");
    await promise;
    return success;
  };
  const running = await world.start(request(of, more), { ...all, slow }, 1);
  await until(() => world.calls.includes("slow"));
  fail();
  await until(() => bodies(world.seen, "run.halting").length > 0);
  resolve();
  expect(await running.end).toMatchObject({ status: "escalated" });
  const journal = world.journal(2);
  const [inner] = runsInside(journal, running.run);
  expect(inner).toMatchObject({ status: "waiting" });
  const second = await world.resume(again(running.run, { blueprint: of, settle, ...more }), acts().of, 2, journal);
  await until(() => journal.find(running.run)?.status === "waiting");
  second.deliver(answer(journal, inner?.run ?? "", "sub/ask"));
  expect(await second.end).toMatchObject({ status: "succeeded" });
  expect(world.calls.filter((call) => call === "slow")).toHaveLength(1);
});

test("an error that waits for its retry is tried again", async () => {
  const of = beside(plain("flaky", { retry: 1 }));
  const { fail, of: all } = acts();
  let tries = 0;
  const flaky: Act = (): NodeResult => {
    tries += 1;
    return tries > 1 ? success : { outcome: "error", beforeEffect: true, reason: { code: "overloaded", text: "busy" } };
  };
  const running = await world.start(request(of), { ...all, flaky }, 1);
  await until(() => bodies(world.seen, "node.retrying").length > 0);
  fail();
  expect(await running.end).toMatchObject({ status: "escalated" });
  const second = await world.resume(again(running.run, { blueprint: of, settle }), { ...acts().of, flaky }, 2);
  await until(
    () => tries > 1,
    () => clock.advance(50),
  );
  expect(await second.end).toMatchObject({ status: "succeeded" });
  expect(world.calls).toContain("then");
});

test("what agents inside used before and after it counts once", async () => {
  const callee = blueprint(
    [agentic("first"), ask, agentic("second")],
    [
      { from: "first", to: "ask" },
      { from: "ask", to: "second", when: "success" },
    ],
    { name: "callee" },
  );
  const of = beside(calling("sub", "callee"), { limits: { tokens: 100 } });
  const more = { callees: callees({ callee }) };
  const using = (inputTokens: number) => (): NodeResult => ({
    ...success,
    usage: { inputTokens, outputTokens: 0, turns: 1 },
  });
  const agents = { first: using(40), second: using(50) };
  const { fail, of: all } = acts();
  const running = await world.start(request(of, more), { ...all, ...agents }, 1);
  await until(() => bodies(world.seen, "node.waiting").length > 0);
  fail();
  expect(await running.end).toMatchObject({ status: "escalated" });
  expect(bodies(world.seen, "run.finished")).toMatchObject([{ usage: { inputTokens: 40, turns: 1 } }]);
  const journal = world.journal(2);
  const [inner] = runsInside(journal, running.run);
  const acting = { ...acts().of, ...agents };
  const second = await world.resume(again(running.run, { blueprint: of, settle, ...more }), acting, 2, journal);
  await until(() => bodies(world.seen, "node.waiting").length === 2);
  second.deliver(answer(journal, inner?.run ?? "", "sub/ask"));
  expect(await second.end).toMatchObject({ status: "succeeded" });
  expect(bodies(world.seen, "run.finished").at(-1)).toMatchObject({ usage: { inputTokens: 90, turns: 2 } });
});

test("a stop while it is let go of ends it for good", async () => {
  const callee = blueprint([plain("x"), plain("slow")], [{ from: "x", to: "slow" }], { name: "callee" });
  const of = beside(calling("sub", "callee"));
  const { fail, of: all } = acts();
  const slow: Act = ({ signal }) => {
    world.calls.push("slow");
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" })));
  };
  const running = await world.start(request(of, { callees: callees({ callee }) }), { ...all, slow }, 1);
  await until(() => world.calls.includes("slow"));
  fail();
  await until(() => bodies(world.seen, "run.halting").length > 0);
  running.stop("Ann");
  expect(await running.end).toMatchObject({ status: "stopped" });
  expect(runsInside(world.journal(9), running.run)).toMatchObject([{ status: "stopped" }]);
});
