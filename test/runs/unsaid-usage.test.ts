import { afterEach, beforeEach, expect, test } from "vitest";
import type { NodeResult, SaidUse, Usage } from "../../src/model/outcome.ts";
import type { RunLimits } from "../../src/model/settings.ts";
import { agentic, blueprint, plain } from "./blueprints.ts";
import { type Act, again, bodies, handle, kinds, request, success, until, World } from "./harness.ts";
import { callees, calling } from "./inside.ts";

/** Agents whose engine dies before they say what they used: what is left of a budget then nobody knows. */

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

const limits = { tokens: 100 };
const ab = (of: RunLimits = limits, more = {}) =>
  blueprint([agentic("a", more), agentic("b")], [{ from: "a", to: "b" }], { limits: of });

function tokens(inputTokens: number, more: Partial<Usage> = {}): Usage {
  return { inputTokens, outputTokens: 0, turns: 0, ...more };
}

function using(...args: Parameters<typeof tokens>): Act {
  return (): NodeResult => ({ ...success, usage: tokens(...args) });
}

const settle = { node: "a", as: "again", by: "ann" } as const;
const unsaid = "limits.tokens is 100, and agent a has not said how many it used";

test("it is not tried again before a person says it, and what is said counts", async () => {
  const two = ab();
  const run = await world.diedIn("a", two);
  expect(
    await world.engine({ "*": using(1) }, 2).resume(again(run, { blueprint: two, settle }), world.observer),
  ).toMatchObject({
    refused: "bad_input",
    message: expect.stringContaining(`a of run ${run} would not begin again: ${unsaid}`),
    hint: "say what was used that nobody has said: add --used-tokens N",
  });
  const resumed = again(run, { blueprint: two, settle: { ...settle, used: { tokens: 60 } } });
  const { end } = await world.resume(resumed, { "*": using(40) }, 2);
  expect(await end).toMatchObject({ status: "limit", reason: "b: limits.tokens is 100, and 100 are used" });
  expect(kinds(world.seen)).toContain("node.started a");
  expect(bodies(world.seen, "run.finished")[0]?.usage).toEqual(tokens(100));
});

test("the run tells that it has to be said, and for which budget", async () => {
  const two = ab({ ...limits, cost: { amount: 1, currency: "EUR" } });
  const run = await world.diedIn("a", two);
  const { end } = await world.resume(again(run, { blueprint: two }), { "*": using(1) }, 2);
  expect(await end).toMatchObject({ status: "needs_attention" });
  expect(bodies(world.seen, "run.halting")).toMatchObject([{ node: "a", unsaid: ["tokens", "cost"] }]);
  const decide = (used: SaidUse) => again(run, { blueprint: two, settle: { ...settle, used } });
  const cost = { amount: 0.5, currency: "EUR" };
  for (const [said, lacking] of [
    [{ tokens: 60 }, '--used-cost "AMOUNT EUR"'],
    [{ tokens: 60, cost: { ...cost, currency: "USD" } }, '--used-cost "AMOUNT EUR"'],
    [{ cost }, "--used-tokens N"],
  ] as const)
    expect(await world.engine({ "*": using(1) }, 3).resume(decide(said), world.observer)).toMatchObject({
      message: `what was used is not said for each budget of run ${run}`,
      hint: `add ${lacking}`,
    });
  const priced = using(1, { cost: 0.1, currency: "EUR" });
  expect(await (await world.resume(decide({ tokens: 60, cost }), { "*": priced }, 3)).end).toMatchObject({
    status: "succeeded",
  });
  expect(bodies(world.seen, "run.finished").at(-1)?.usage).toMatchObject({ inputTokens: 62, currency: "EUR" });
});

test("one that its author lets be repeated is not, where nobody knows what is left", async () => {
  const two = ab(limits, { idempotent: true });
  const run = await world.diedIn("a", two);
  const { end } = await world.resume(again(run, { blueprint: two }), { "*": using(40) }, 2);
  expect(await end).toMatchObject({ status: "limit", reason: `a: ${unsaid}` });
  expect(kinds(world.seen)).not.toContain("node.started a");
  const resumed = again(run, { blueprint: two, settle: { ...settle, used: { tokens: 20 } } });
  expect(await (await world.resume(resumed, { "*": using(40) }, 3)).end).toMatchObject({ status: "succeeded" });
  expect(kinds(world.seen).filter((kind) => kind === "node.started a")).toHaveLength(1);
});

test.each(["done", "failed"] as const)("one that waits to be repeated can be settled as %s", async (as) => {
  const nodes = [agentic("a", { idempotent: true }), agentic("b")];
  const two = blueprint(nodes, [{ from: "a", to: "b", when: "success" }], { limits });
  const run = await world.diedIn("a", two);
  await (
    await world.resume(again(run, { blueprint: two }), { "*": using(1) }, 2)
  ).end;
  const resumed = again(run, { blueprint: two, settle: { ...settle, as, used: { tokens: 20 } } });
  const { end } = await world.resume(resumed, { "*": using(40) }, 3);
  expect(await end).toMatchObject({ status: as === "done" ? "succeeded" : "failed" });
  expect(kinds(world.seen)).not.toContain("node.started a");
});

test("what it had reported by then counts, and nobody is asked", async () => {
  const two = ab(limits, { idempotent: true });
  const talks: Act = (context) => {
    context.report({ kind: "agent", event: { type: "usage", usage: tokens(70) } });
    return new Promise(() => undefined);
  };
  const { run } = await world.start(request(two), { a: talks, b: using(1) }, 1);
  await until(() => kinds(world.seen).includes("agent.progressed a"));
  world.kill(1);
  const { end } = await world.resume(again(run, { blueprint: two }), { "*": using(30) }, 2);
  expect(await end).toMatchObject({ status: "limit", reason: "b: limits.tokens is 100, and 100 are used" });
});

test("where it is taken as done the next agent waits for the word", async () => {
  const two = ab();
  const run = await world.diedIn("a", two);
  const done = again(run, { blueprint: two, settle: { ...settle, as: "done" } });
  expect(await (await world.resume(done, { "*": using(1) }, 2)).end).toMatchObject({
    status: "limit",
    reason: `b: ${unsaid}`,
  });
  expect(bodies(world.seen, "run.halting")).toMatchObject([{ node: "b", unsaid: ["tokens"] }]);
  const b = { ...settle, node: "b", used: { tokens: 20 } };
  const { end } = await world.resume(again(run, { blueprint: two, settle: b }), { "*": using(1) }, 3);
  expect(await end).toMatchObject({ status: "succeeded" });
});

test("one of two that waits behind the other is not done again unsaid either", async () => {
  const edges = ["a", "b"].map((to) => ({ from: "go", to }));
  const two = blueprint([plain("go"), agentic("a"), agentic("b")], edges, { limits });
  const { run } = await world.start(request(two), world.hangingIn("a", "b"), 1);
  await until(() => world.calls.includes("a") && world.calls.includes("b"));
  world.kill(1);
  await (
    await world.resume(again(run, { blueprint: two }), { "*": using(1) }, 2)
  ).end;
  for (const node of ["a", "b"])
    expect(
      await world
        .engine({ "*": using(1) }, 3)
        .resume(again(run, { blueprint: two, settle: { ...settle, node } }), world.observer),
    ).toMatchObject({ hint: "say what was used that nobody has said: add --used-tokens N" });
});

test("without a budget nobody has to say anything", async () => {
  const two = ab({});
  const run = await world.diedIn("a", two);
  const { end } = await world.resume(again(run, { blueprint: two, settle }), { "*": using(1) }, 2);
  expect(await end).toMatchObject({ status: "succeeded" });
});

test("nothing can be said where all have said it", async () => {
  const of = blueprint([agentic("a"), plain("b")], [{ from: "a", to: "b" }], { limits });
  const { run } = await world.start(request(of), { ...world.hangingIn("b"), a: using(1) }, 1);
  await until(() => world.calls.includes("b"));
  world.kill(1);
  const given = { ...settle, node: "b", used: { tokens: 5 } };
  expect(
    await world.engine({ "*": using(1) }, 2).resume(again(run, { blueprint: of, settle: given }), world.observer),
  ).toMatchObject({
    refused: "bad_input",
    message: `all agents of run ${run} have said what they used`,
  });
});

test("a join that went on without one at work does not hide what that used", async () => {
  const nodes = [plain("go"), plain("fast"), agentic("slow"), plain("join", { join: "any" }), agentic("z")];
  const edges = ["go fast", "go slow", "fast join", "slow join", "join z"].map((edge) => edge.split(" "));
  const of = blueprint(
    nodes,
    edges.map(([from = "", to = ""]) => ({ from, to })),
    { limits },
  );
  const { run } = await world.start(request(of), world.hangingIn("slow", "join"), 1);
  await until(() => world.calls.includes("join"));
  world.kill(1);
  const settled = again(run, { blueprint: of, settle: { ...settle, node: "join", as: "done" } });
  expect(await (await world.resume(settled, { "*": using(1) }, 2)).end).toMatchObject({
    status: "limit",
    reason: "z: limits.tokens is 100, and agent slow has not said how many it used",
  });
});

const callee = blueprint([agentic("a")], [], { name: "callee" });
const outer = blueprint([calling("sub", "callee"), agentic("z")], [{ from: "sub", to: "z" }], { limits });
const called = { callees: callees({ callee }) };

test.each([
  [60, "succeeded", null],
  [80, "limit", "z: limits.tokens is 100, and 100 are used"],
] as const)("inside a call %i tokens are said there, and count around it", async (said, status, reason) => {
  const { run } = await world.start(request(outer, called), world.hangingIn("a"), 1);
  await until(() => world.calls.includes("a"));
  world.kill(1);
  const parked = await world.resume(again(run, { blueprint: outer, ...called }), { "*": using(1) }, 2);
  expect(await parked.end).toMatchObject({ status: "needs_attention" });
  expect(bodies(world.seen, "run.halting")).toMatchObject([{ node: "sub/a", unsaid: ["tokens"] }]);
  const inside = { ...settle, node: "sub/a" };
  const poor = again(run, { blueprint: outer, ...called, settle: { ...inside, used: {} } });
  expect(await world.engine({ "*": using(1) }, 3).resume(poor, world.observer)).toMatchObject({
    message: `what was used is not said for each budget of run ${run}`,
    hint: "add --used-tokens N",
  });
  const nowhere = again(run, { blueprint: outer, ...called, settle: { ...inside, node: "no/a", used: { tokens: 1 } } });
  expect(await world.engine({ "*": using(1) }, 3).resume(nowhere, world.observer)).toMatchObject({
    refused: "bad_input",
  });
  const silent = again(run, { blueprint: outer, ...called, settle: inside });
  expect(await world.engine({ "*": using(1) }, 3).resume(silent, world.observer)).toMatchObject({
    hint: "say what was used that nobody has said: add --used-tokens N",
  });
  const resumed = again(run, { blueprint: outer, ...called, settle: { ...inside, used: { tokens: said } } });
  const { end } = await world.resume(resumed, { "*": using(20) }, 3);
  expect(await end).toMatchObject({ status, reason });
});

test("what an agent around a call has not said is said there, for an agent inside", async () => {
  const of = blueprint([agentic("y"), calling("sub", "callee")], [{ from: "y", to: "sub" }], { limits });
  const quiet: Act = () => ({ ...success, agent: { provider: "own" } });
  const first = handle(await world.engine({ "*": using(1), y: quiet }, 1).start(request(of, called), world.observer));
  expect(await first.end).toMatchObject({ status: "limit" });
  expect(bodies(world.seen, "run.halting").at(-1)).toMatchObject({ node: "sub/a", unsaid: ["tokens"] });
  const inside = { ...settle, node: "sub/a", used: { tokens: 90 } };
  const { end } = await world.resume(
    again(first.run, { blueprint: of, ...called, settle: inside }),
    { "*": using(1) },
    2,
  );
  expect(await end).toMatchObject({ status: "succeeded" });
});
