import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { ActionContext } from "../../src/ports/performer.ts";
import { agentic, blueprint, plain } from "./blueprints.ts";
import { type Act, again, bodies, handle, kinds, request, success, until, World } from "./harness.ts";
import { callees, calling, mapping } from "./inside.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

/** An agent that uses ten tokens a turn until somebody stops it. */
async function talker(context: ActionContext): Promise<NodeResult> {
  for (let turns = 1; ; turns += 1) {
    const usage = { inputTokens: turns * 10, outputTokens: 0, turns };
    if (context.signal.aborted) return { outcome: "cancelled", usage };
    context.report({ kind: "agent", event: { type: "usage", usage } });
    await new Promise(setImmediate);
  }
}

test("an agent at work is cancelled once the run's tokens are used up, and what it used is told", async () => {
  const engine = world.engine({ a: talker, b: () => success });
  const of = blueprint([agentic("a"), plain("b")], [{ from: "a", to: "b" }], { limits: { tokens: 100 } });
  const { end } = handle(await engine.start(request(of), world.observer));
  expect(await end).toMatchObject({ status: "limit" });
  expect(kinds(world.seen)).not.toContain("node.started b");
  const [halt] = bodies(world.seen, "run.halting");
  expect(halt?.reason.text).toMatch(/^limits\.tokens is 100, and 1\d0 are used$/);
  const [finished] = bodies(world.seen, "run.finished");
  expect(finished?.usage.inputTokens).toBeGreaterThan(100);
});

test.each([
  ["tokens", { tokens: 1_000 }, {}, "limits.tokens is 1000, and agent a has not said how many it used"],
  [
    "cost",
    { cost: { amount: 1, currency: "EUR" } },
    { usage: { inputTokens: 1, outputTokens: 1, turns: 1 } },
    "limits.cost is 1 EUR, and what has been used cost is not known",
  ],
  [
    "cost, and counts no turns",
    { cost: { amount: 1, currency: "EUR" } },
    { usage: { inputTokens: 1, outputTokens: 1, turns: 0 } },
    "limits.cost is 1 EUR, and what has been used cost is not known",
  ],
  [
    "cost, and counts in another currency",
    { cost: { amount: 1, currency: "EUR" } },
    { usage: { inputTokens: 1, outputTokens: 1, turns: 1, cost: 0.5, currency: "USD" } },
    "limits.cost is 1 EUR, and what has been used is counted in USD",
  ],
] as const)(
  "an agent that does not say what it used is the last under a limit of %s",
  async (_of, limits, said, why) => {
    const result: NodeResult = { ...success, agent: { provider: "own" }, ...said };
    const engine = world.engine({ "*": () => result });
    const of = blueprint([agentic("a"), agentic("b")], [{ from: "a", to: "b" }], { limits });
    const { end } = handle(await engine.start(request(of), world.observer));
    expect(await end).toMatchObject({ status: "limit", reason: expect.stringContaining(why) });
    expect(kinds(world.seen)).not.toContain("node.started b");
    const free = blueprint([agentic("a"), agentic("b")], [{ from: "a", to: "b" }]);
    const other = handle(await engine.start(request(free), world.observer));
    expect(await other.end).toMatchObject({ status: "succeeded" });
  },
);

test.each([
  ["tokens", { tokens: 100 }],
  ["cost", { cost: { amount: 1, currency: "EUR" } }],
])("an agent that errs is not tried again once the run's %s are used up", async (_, limits) => {
  const usage = { inputTokens: 60, outputTokens: 0, turns: 1, cost: 0.6, currency: "EUR" };
  let attempts = 0;
  const errs: Act = () => {
    attempts += 1;
    return { outcome: "error", reason: { code: "quota", text: "429" }, beforeEffect: true, usage, retryAfterMs: 1 };
  };
  const of = blueprint([agentic("a", { retry: 5 })], [], { limits });
  const { end } = await world.start(request(of), { a: errs });
  expect(await end).toMatchObject({ status: "failed", reason: expect.stringContaining("429") });
  expect(attempts).toBe(2);
});

describe("an agent inside that does not say what it used", () => {
  const quiet: NodeResult = { ...success, agent: { provider: "own" } };
  const limits = { tokens: 100 };

  test("is the last of a map, and nothing after the map asks an agent", async () => {
    const calls: string[] = [];
    const acts = {
      list: () => ({ ...success, value: [1, 2, 3] }),
      z: () => quiet,
      x: () => {
        calls.push("x");
        return quiet;
      },
    };
    const nodes = [
      plain("list"),
      mapping("each", { parallel: 1, do: { entry: "x", nodes: new Map([["x", agentic("x")]]), edges: [] } }),
      agentic("z"),
    ];
    const edges = [
      { from: "list", to: "each" },
      { from: "each", to: "z" },
    ];
    expect(await world.toEnd(request(blueprint(nodes, edges, { limits })), acts)).toMatchObject({ status: "limit" });
    expect(calls).toEqual(["x"]);
    expect(kinds(world.seen)).not.toContain("node.started z");
  });

  test.each([
    ["an agent of the caller", agentic("z"), /agent a has not said how many it used/],
    [
      "a later call",
      calling("two", "callee"),
      /two\/a: limits\.tokens of run \S+ is 100, and agent a has not said how many it used there/,
    ],
  ] as const)("leaves nothing for %s", async (_whom, last, why) => {
    const callee = blueprint([agentic("a")], [], { name: "callee" });
    const of = blueprint([calling("one", "callee"), last], [{ from: "one", to: last.id }], { limits });
    const calls: string[] = [];
    const act: Act = ({ node }) => {
      calls.push(node.id);
      return quiet;
    };
    const begun = await world.engine({ "*": act }).start(request(of, { callees: callees({ callee }) }), world.observer);
    expect(await handle(begun).end).toMatchObject({ status: "limit", reason: expect.stringMatching(why) });
    expect(calls).toEqual(["a"]);
  });

  test("bounds nothing where there is no budget", async () => {
    const callee = blueprint([agentic("a")], [], { name: "callee" });
    const of = blueprint([calling("one", "callee"), agentic("z")], [{ from: "one", to: "z" }]);
    expect(await world.toEnd(request(of, { callees: callees({ callee }) }), { "*": () => quiet })).toMatchObject({
      status: "succeeded",
    });
  });
});

test("a run inside that has nothing left is told whose budget it is, of how much, and what used it", async () => {
  const deep = blueprint([agentic("d"), agentic("e")], [{ from: "d", to: "e" }], { name: "deep" });
  const middle = blueprint([agentic("m"), calling("down", "deep")], [{ from: "m", to: "down" }], { name: "middle" });
  const edges = [{ from: "a", to: "sub" }];
  const top = blueprint([agentic("a"), calling("sub", "middle")], edges, { limits: { tokens: 100 } });
  const uses = { a: 70, m: 20, d: 10, e: 1 };
  const acts = Object.fromEntries(
    Object.entries(uses).map(([id, inputTokens]) => [
      id,
      () => ({ ...success, usage: { inputTokens, outputTokens: 0, turns: 1 } }),
    ]),
  );
  const { run, end } = await world.start(request(top, { callees: callees({ middle, deep }) }), acts);
  const told = `limits.tokens of run ${run} is 100: 90 are used there and 10 in the run inside; raise it there`;
  expect(await end).toMatchObject({ status: "limit", reason: expect.stringContaining(`sub/down/e: ${told}`) });
});

test("a run inside that has less of its own is told of its own", async () => {
  const callee = blueprint([agentic("a"), agentic("b")], [{ from: "a", to: "b" }], { limits: { tokens: 10 } });
  const top = blueprint([calling("sub", "callee")], [], { limits: { tokens: 100 } });
  const act: Act = () => ({ ...success, usage: { inputTokens: 20, outputTokens: 0, turns: 1 } });
  const { end } = await world.start(request(top, { callees: callees({ callee }) }), { "*": act });
  const told = "sub/b: limits.tokens is 10, and 20 are used";
  expect(await end).toMatchObject({ status: "limit", reason: expect.stringContaining(told) });
});

test("a run inside that halts as a whole is named by the node around it, and can be settled there", async () => {
  const of = blueprint([calling("sub", "callee"), plain("b")], [{ from: "sub", to: "b", when: "success" }]);
  const callee = blueprint([agentic("a")], [], { name: "callee", limits: { tokens: 100 } });
  const called = { callees: callees({ callee }) };
  const first = await world.start(request(of, called), { a: talker, b: () => success });
  expect(await first.end).toMatchObject({ status: "limit" });
  expect(bodies(world.seen, "run.halting")).toMatchObject([{ cause: "limit", node: "sub" }]);
  const settle = { node: "sub", as: "done", by: "ann" } as const;
  const resumed = await world
    .engine({ "*": () => success }, 2)
    .resume(again(first.run, { blueprint: of, ...called, settle }), world.observer);
  expect(await handle(resumed).end).toMatchObject({ status: "succeeded" });
});

/** Agents on both sides of a script: the first uses the budget up. */
const around = blueprint(
  [agentic("a"), plain("b", { idempotent: true }), agentic("c")],
  [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
  ],
  { limits: { tokens: 100 } },
);
const used: NodeResult = {
  ...success,
  agent: { provider: "own" },
  usage: { inputTokens: 60, outputTokens: 40, turns: 1 },
};

test("what was used before a crash counts after it", async () => {
  const hanging = (): Promise<NodeResult> => new Promise(() => undefined);
  const { run } = await world.start(request(around), { a: () => used, b: hanging, c: () => used }, 1);
  await until(() => kinds(world.seen).includes("node.started b"));
  world.kill(1);
  const engine = world.engine({ a: () => used, b: () => success, c: () => used }, 2);
  const resumed = handle(await engine.resume(again(run, { blueprint: around }), world.observer));
  expect(await resumed.end).toMatchObject({ status: "limit", reason: expect.stringContaining("and 100 are used") });
  expect(kinds(world.seen)).not.toContain("node.started c");
});

test("what an item of a map used before a crash is not left for the others after it", async () => {
  const nodes = [plain("x"), agentic("a")].map((node) => [node.id, node] as const);
  const body = { entry: "x", nodes: new Map(nodes), edges: [{ from: "x", to: "a" }] };
  const each = mapping("each", { parallel: 1, do: body });
  const of = blueprint([plain("list"), each], [{ from: "list", to: "each" }], { limits: { tokens: 100 } });
  const calls: string[] = [];
  const acts = (hangs: boolean): Record<string, Act> => ({
    list: () => ({ ...success, value: [1, 2, 3] }),
    x: () => (hangs && calls.push("x") === 3 ? new Promise(() => undefined) : success),
    a: () => {
      calls.push("a");
      return used;
    },
  });
  const { run } = await world.start(request(of), acts(true), 1);
  await until(() => calls.length === 3);
  world.kill(1);
  await (
    await world.resume(again(run, { blueprint: of }), acts(false), 2)
  ).end;
  const settle = { node: "each[1]/x", as: "done", by: "ann" } as const;
  expect(await (await world.resume(again(run, { blueprint: of, settle }), acts(false), 3)).end).toMatchObject({
    status: "limit",
    reason: expect.stringMatching(/^each\[1\]\/a: .* is 100: 100 are used there and 0 in the run inside/),
  });
  expect(calls).toEqual(["x", "a", "x"]);
});

test("what a fork takes over counts in it", async () => {
  const free = { ...around, limits: {} };
  const acts = { a: () => used, b: () => success, c: () => used };
  const first = await world.start(request(free), acts);
  await first.end;
  world.seen.length = 0;
  const start = request(around, { taskId: "T2" });
  const forked = handle(
    await world.engine(acts, 2).fork({ run: first.run, node: "b", keepTree: true, start }, world.observer),
  );
  expect(await forked.end).toMatchObject({ status: "limit", reason: expect.stringContaining("and 100 are used") });
  expect(kinds(world.seen)).not.toContain("node.started c");
});
