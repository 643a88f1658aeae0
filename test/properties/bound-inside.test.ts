import { expect, test } from "vitest";
import { type Bound, boundOf } from "../../src/graph/bound.ts";
import { compile } from "../../src/graph/plan.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import { limits } from "../../src/model/limits.ts";
import type { RunLimits } from "../../src/model/settings.ts";
import { agent, call, grace, graph, map, T } from "./inside.ts";
import type { Scene } from "./play.ts";

/** One test, mended up to twice: 3 tests + 2 mends = 5 starts, 5 T, 20 turns. */
const mend = graph("t!>f,f>t,t+>END", { f: agent({ cap: 2 }) });
/** Two nodes in a row. */
const line = graph("x>y");
const callees = new Map([
  ["mend", mend],
  ["line", line],
  ["twice", graph("p>q", { p: call("mend"), q: call("mend") })],
]);

interface Row {
  readonly of: string;
  readonly blueprint: Blueprint;
  readonly passes: Readonly<Record<string, number>>;
  readonly starts: number;
  readonly work: number;
  readonly turns: number;
}

const rows: readonly Row[] = [
  {
    // 1 + (1 + 5) starts; the call takes what the callee takes.
    of: "a call",
    blueprint: graph("s>c", { c: call("mend") }),
    passes: { "c/f": 2 },
    starts: 7,
    work: T + 5 * T,
    turns: 20,
  },
  {
    // r has cap 2: c starts 3 times, v 3 times. 3 × (1 + 5) + 3 + 2. All calls
    // share one cap: c/f 2, so turns 2 × 10 + 2 × 10.
    of: "a call in a loop",
    blueprint: graph("c>v,v!>r,r>c,v+>END", { c: call("mend"), r: agent({ cap: 2 }) }),
    passes: { "c/f": 2, r: 2 },
    starts: 3 * 6 + 3 + 2,
    work: 3 * 5 * T + 3 * T + 2 * T,
    turns: 40,
  },
  {
    // 100 items where `max` is absent, each a node and one after the other.
    of: "a map",
    blueprint: graph("s>m", { m: map("a>END", {}) }),
    passes: {},
    starts: 1 + (1 + 100),
    work: T + 100 * T,
    turns: 0,
  },
  {
    // ceil(10 / 4) = 3 rounds of 5 T; each item has a cap of its own: 10 × 2 passes of 10 turns.
    of: "a map of a loop, four at a time",
    blueprint: graph("s>m", { m: map("t!>f,f>t,t+>END", { f: agent({ cap: 2 }) }, { max: 10, parallel: 4 }) }),
    passes: { "m[*]/f": 20 },
    starts: 1 + 1 + 10 * 5,
    work: T + 3 * 5 * T,
    turns: 200,
  },
  {
    // m starts 3 times: 3 × (1 + 4 × 2) + 3 + 2; each time ceil(4 / 2) = 2 rounds
    // of 2 T. Item k keeps its cap: 4 × 1 pass, not 12.
    of: "a map in a loop",
    blueprint: graph("m>v,v!>r,r>m,v+>END", {
      m: map("a>b", { b: agent({ cap: 1 }) }, { max: 4, parallel: 2 }),
      r: agent({ cap: 2 }),
    }),
    passes: { "m[*]/b": 4, r: 2 },
    starts: 3 * 9 + 3 + 2,
    work: 3 * 2 * 2 * T + 3 * T + 2 * T,
    turns: 40 + 20,
  },
  {
    // 5 × (1 call + 5) and the map itself; parallel 1.
    of: "a call in a map",
    blueprint: graph("s>m", { m: map("c>END", { c: call("mend") }, { max: 5 }) }),
    passes: { "m[*]/c/f": 10 },
    starts: 1 + 1 + 5 * 6,
    work: T + 5 * 5 * T,
    turns: 100,
  },
  {
    // 3 × (1 + (1 + 4 × 1)); inner rounds ceil(4 / 3) = 2, outer ceil(3 / 2) = 2.
    of: "a map in a map",
    blueprint: graph("s>m", {
      m: map("n>END", { n: map("a>END", { a: agent() }, { max: 4, parallel: 3 }) }, { max: 3, parallel: 2 }),
    }),
    passes: { "m[*]/n[*]/a": 12 },
    starts: 1 + 1 + 3 * (1 + 4),
    work: T + 2 * 2 * T,
    turns: 120,
  },
  {
    // Two ways to one callee are two paths, each with its cap: 2 + 2. 1 + (1
    // + 2 × 6); p and q come one after the other.
    of: "a call of calls",
    blueprint: graph("s>c", { c: call("twice") }),
    passes: { "c/p/f": 2, "c/q/f": 2 },
    starts: 1 + 1 + 2 * 6,
    work: T + 2 * 5 * T,
    turns: 40,
  },
  {
    // Four arms, none waits for another: T + 5 T + 3 × 2 T over 4 places, and
    // 3/4 of the longest way, s c, which takes 6 T.
    of: "calls in parallel arms",
    blueprint: graph(
      "s>c,s>d,s>e,s>g",
      { c: call("mend"), d: call("line"), e: call("line"), g: call("line") },
      { limits: { parallel: 4 } },
    ),
    passes: { "c/f": 2 },
    starts: 1 + 6 + 3 * 3,
    work: (12 / 4 + 6 * (3 / 4)) * T,
    turns: 20,
  },
  {
    // Nested loops: f at most 4 times and r 2, t once for each entry by i (3) and each mend: 7. Retries cost turns: 4 ×
    // 10 × (1 + 1). The callee at the end adds 1 + 2 for each of the 3 times at most that its loop lets it through.
    of: "nested loops with retries around a call",
    blueprint: graph("i>t,t!>f,f>t,t+>c,c!>r,r>i,c+>END", {
      f: agent({ cap: 4, retry: 1, timeoutMs: 10 }),
      r: agent({ cap: 2 }),
      c: call("line"),
    }),
    passes: { f: 4, r: 2 },
    starts: 3 + 7 + 4 + 2 + 3 * 3,
    // A retry of an agent may have to wait as long as its provider says, so that limits.time is what bounds it.
    work: limits.runTimeDefaultMs,
    turns: 4 * 10 * 2 + 2 * 10,
  },
  {
    // Retries of a call find the run that it made: its nodes and turns count once. Delay: 250 ms and a quarter.
    of: "a call that is tried again",
    blueprint: graph("s>c", { c: call("mend", { retry: 1 }) }),
    passes: { "c/f": 2 },
    starts: 7,
    work: T + 5 * T + limits.retryFirstDelayMs * (1 + limits.retryJitterRatio),
    turns: 20,
  },
  {
    // A timeout of the call cuts what runs in it, which has the grace to end: 28 s + 2 s of 50.
    of: "a call with a timeout",
    blueprint: graph("s>c", { c: call("mend", { timeoutMs: 30_000 - grace }) }),
    passes: { "c/f": 2 },
    starts: 7,
    work: T + 30_000,
    turns: 20,
  },
  {
    // Steps bound the starts around, each run inside has its own: three starts, all
    // of them calls, and 15 inside. The cap is shared.
    of: "a loop of calls that only its steps bound",
    blueprint: graph("c!>c,c+>END", { c: call("mend") }, { limits: { steps: 3 } }),
    passes: { "c/f": 2 },
    starts: 3 * 6,
    work: 3 * 5 * T,
    turns: 20,
  },
];

test.each(rows)("the bound of $of is what it comes to by hand", ({ blueprint, passes, starts, work, turns }) => {
  const bound = boundOf(compile(blueprint), { callees });
  const agentPasses = Object.values(passes).reduce((sum, one) => sum + one, 0);
  const spent = turns === 0 ? { tokens: 0, cost: { amount: 0, currency: "USD" } } : { tokens: null, cost: null };
  expect(bound).toEqual({ passes, agentPasses, starts, workMs: work, turns, waitMs: 0, ...spent, unknown: [] });
});

/** As `mend`, with limits of its own. */
const limited = (more: RunLimits): Blueprint => graph("t!>f,f>t,t+>END", { f: agent({ cap: 2 }) }, { limits: more });
const euros = (amount: number): RunLimits => ({ cost: { amount, currency: "EUR" } });
const spenders = new Map([
  ["tokens", limited({ tokens: 1_000 })],
  ["euros", limited(euros(2))],
  ["dollars", limited({ cost: { amount: 3, currency: "USD" } })],
  ["line", graph("x>y")],
]);

function spentBy(edges: string, nodes: Scene["nodes"], bounds: RunLimits = {}): Pick<Bound, "tokens" | "cost"> {
  const { tokens, cost } = boundOf(compile(graph(edges, nodes, { limits: bounds })), { callees: spenders });
  return { tokens, cost };
}

test("what callees may spend is the sum of their own limits, under those around them", () => {
  // 3 passes of 1,000 each; nothing limits what they cost. An agent beside
  // them that is under no limit makes the sum unknown.
  expect(spentBy("c>v,v!>c", { c: call("tokens", { cap: 3 }) })).toEqual({ tokens: 3_000, cost: null });
  expect(spentBy("c>v,v!>r,r>c,v+>END", { c: call("tokens"), r: agent({ cap: 2 }) }).tokens).toBeNull();
  // 2 + 4 × 2 euros, and 7 where the run around allows no more.
  const twice = { c: call("euros"), m: map("d>END", { d: call("euros") }, { max: 4 }) };
  expect(spentBy("s>c,c>m", twice)).toEqual({ tokens: null, cost: { amount: 10, currency: "EUR" } });
  expect(spentBy("s>c,c>m", twice, euros(7)).cost).toEqual({ amount: 7, currency: "EUR" });
  expect(spentBy("c>d", { c: call("tokens"), d: call("line") }, { tokens: 400 }).tokens).toBe(400);
});

test("limits in two currencies make no sum, and none of another says anything under the one around", () => {
  const both = { c: call("euros"), d: call("dollars") };
  expect(spentBy("c>d", both).cost).toBeNull();
  expect(spentBy("c>d", both, euros(100)).cost).toEqual({ amount: 100, currency: "EUR" });
  expect(spentBy("c>d", { c: call("dollars"), d: call("line") }).cost).toEqual({ amount: 3, currency: "USD" });
});

test("where no agent works, no limit is what it costs", () => {
  const nothing = { tokens: 0, cost: { amount: 0, currency: "EUR" } };
  expect(spentBy("c>d", { c: call("line"), d: call("line") }, { tokens: 400, ...euros(5) })).toEqual(nothing);
});

test("a call that nobody looked up, or that has no end, is unknown with the reason and nowhere 0", () => {
  const nodes = { c: call("gone"), m: map("d>END", { d: call("gone") }) };
  const bound = boundOf(compile(graph("s>c,s>m", nodes)), { callees });
  expect(bound).toMatchObject({
    passes: { "c/…": null, "m[*]/d/…": null },
    agentPasses: null,
    starts: null,
    workMs: limits.runTimeDefaultMs,
    turns: null,
    unknown: [
      { node: "c", reason: "gone.yaml was not looked up" },
      { node: "m[*]/d", reason: "gone.yaml was not looked up" },
    ],
  });
  const itself = new Map([["a", graph("c>END", { c: call("a") })]]);
  expect(boundOf(compile(graph("c>END", { c: call("a") })), { callees: itself }).unknown).toEqual([
    { node: "c/c", reason: "a.yaml calls itself" },
  ]);
});

test("calls that double on every level are computed once each, and listed in few lines", () => {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const pin = level === 0 ? "mend" : `level${level - 1}`;
    return [`level${level}`, graph("p>q", { p: call(pin), q: call(pin) })] as const;
  });
  const bound = boundOf(compile(graph("c>END", { c: call("level39") })), { callees: new Map([...callees, ...levels]) });
  expect(bound.agentPasses).toBe(2 * 2 ** 40);
  expect(Object.keys(bound.passes).length).toBeLessThanOrEqual(limits.boundPathsInside);
});

test("what a model may decide takes turns that nothing bounds, and what rules decide takes none", () => {
  const decide = (by: readonly ("rules" | "model")[]): Partial<Node> => ({ type: "decide", by, options: [] });
  const turns = (node: Partial<Node>) => boundOf(compile(graph("d>END", { d: node }))).turns;
  expect(turns(decide(["rules"]))).toBe(0);
  expect(turns(decide(["rules", "model"]))).toBeNull();
});
