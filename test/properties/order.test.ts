import fc from "fast-check";
import { expect, test } from "vitest";
import { Order } from "../../src/check/order.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import { compile } from "../../src/graph/plan.ts";
import { drive } from "./driver.ts";
import { arrows, blueprintOf } from "./graphs.ts";
import type { Sample } from "./streams.ts";
import { samples, worldOf } from "./streams.ts";

const settings = { limits: { parallel: 256, steps: 200 } };

interface Seen {
  /** Pairs that ran at the same time, `a b` in id order. */
  readonly together: Set<string>;
  /** `a b`: a ended before b started. */
  readonly before: Set<string>;
  /** `a b`: b started while a had not ended once. */
  readonly without: Set<string>;
  /** The same, where no broken arm skipped a. */
  readonly quietly: Set<string>;
  /** What had not started when the run succeeded. */
  readonly missing: Set<string>;
}

const nothing = (): Seen => ({
  together: new Set(),
  before: new Set(),
  without: new Set(),
  quietly: new Set(),
  missing: new Set(),
});

/** What one run shows of the order of its nodes. */
function observe(blueprint: Blueprint, sample: Sample, seen: Seen): void {
  const { events, counts, end, skipped } = drive(blueprint, worldOf(sample));
  if (end?.status === "succeeded") for (const id of sample.ids) if (counts[id] === undefined) seen.missing.add(id);
  const running = new Set<string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === "node.ended") {
      running.delete(event.node);
      ended.add(event.node);
    } else if (event.type === "node.started") {
      for (const other of running) seen.together.add([other, event.node].sort().join(" "));
      for (const other of sample.ids) {
        const pair = `${other} ${event.node}`;
        (ended.has(other) ? seen.before : seen.without).add(pair);
        if (!ended.has(other) && !skipped.includes(other)) seen.quietly.add(pair);
      }
      running.add(event.node);
    }
  }
}

function pairs(ids: readonly string[]): (readonly [string, string])[] {
  return ids.flatMap((a) => ids.map((b) => [a, b] as const));
}

test("nothing that an order rules out is ever seen", () => {
  const holds = fc.check(
    fc.property(samples(8, true), (sample) => {
      const blueprint = blueprintOf(sample.ids, sample.edges, settings);
      const plan = compile(blueprint);
      const order = new Order(plan);
      const seen = nothing();
      observe(blueprint, sample, seen);
      // In loops, an old pass may run beside a new one; that is no reference error, so the order does not tell.
      const looping = plan.loops.length > 0;
      if (!looping && ![...seen.missing].every((id) => order.canSucceedWithout(id))) return false;
      return pairs(sample.ids).every(([a, b]) => {
        const pair = `${a} ${b}`;
        if (!looping && seen.together.has(pair) && !order.canRunTogether(a, b)) return false;
        if (!looping && a !== b && seen.quietly.has(pair) && !order.canStartWithout(a, b)) return false;
        if (seen.before.has(pair) && !order.canPrecede(a, b)) return false;
        return !seen.without.has(pair) || !order.alwaysBefore(a, b);
      });
    }),
    { numRuns: 3_000 },
  );
  expect(holds.counterexample).toBeNull();
});

test("a node beside nested loops may have ended when they come round again", () => {
  const ids = ["a", "b", "c", "d", "e", "f", "g"];
  const inside = "b+>e,b+>f,b!>b,e+>f,e+>b,f+>b";
  const edges = arrows(`a+>b,a+>d,a+>e,c+>a,c!>f,${inside},c+>g,d+>g,e+>g,e!>g,f+>g,g!>g`);
  const order = new Order(compile(blueprintOf(ids, edges, settings)));
  for (const node of ["b", "e", "f"]) expect(order.canPrecede("d", node)).toBe(true);
  expect(order.canPrecede("g", "d")).toBe(false);
});

test("what only a loop beside a node leads to may have ended before it", () => {
  const ids = ["a", "c", "e", "f", "g", "h"];
  const edges = arrows("a+>c,a+>f,a+>h,c+>e,c+>h,c!>h,e+>h,f+>g,f+>h,g+>h,h!>g,h+>f");
  const order = new Order(compile(blueprintOf(ids, edges, settings)));
  expect(order.canPrecede("g", "e")).toBe(true);
  expect(order.canPrecede("g", "a")).toBe(false);
});

test("a fork that is on the way to neither of two nodes in every run starts both", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const edges = arrows("a+>c,b+>d,b+>e,b!>d,c+>d,c!>b,d+>f,d!>f,e+>f");
  const order = new Order(compile(blueprintOf(ids, edges, settings)));
  expect(order.canRunTogether("d", "e")).toBe(true);
  expect(order.canRunTogether("b", "e")).toBe(false);
});

test("two ways from a fork do not both run where one of them breaks the other", () => {
  const order = new Order(compile(blueprintOf(["a", "b", "c", "d"], arrows("a+>b,a+>c,b+>c,b!>d"), settings)));
  expect(order.canRunTogether("c", "d")).toBe(false);
});

test("what a join cancels may be gone before another node starts", () => {
  const edges = arrows("a+>b,a+>c,b+>f,c+>f,c+>d,d+>e");
  const order = (losers: "cancel" | "drain"): Order =>
    new Order(compile(blueprintOf(["a", "b", "c", "d", "e", "f"], edges, settings, { f: { join: "any", losers } })));
  expect(order("cancel").canRunTogether("b", "e")).toBe(false);
  expect(order("drain").canRunTogether("b", "e")).toBe(true);
});

/** Every combination of outcome and length of the nodes of a small graph. */
function* worlds(sample: Sample): Generator<Sample> {
  const choices = 6;
  for (let index = 0; index < choices ** sample.ids.length; index += 1) {
    const digit = (place: number): number => Math.floor(index / choices ** place) % choices;
    yield {
      ...sample,
      outcomes: Object.fromEntries(
        sample.ids.map((id, place) => [id, [...([[], ["failure"], ["error"]][digit(place) % 3] ?? []), "success"]]),
      ),
      ticks: Object.fromEntries(sample.ids.map((id, place) => [id, [digit(place) < 3 ? 1 : 20]])),
    };
  }
}

type Early = Pick<Node, "join" | "losers">;

/** Some nodes start before all of their arms have come. */
function withJoins(sample: fc.Arbitrary<Sample>): fc.Arbitrary<readonly [Sample, Blueprint]> {
  const early = fc.constantFrom<Early>({}, {}, { join: "live" }, { join: "any" }, { join: 2, losers: "drain" });
  return fc.tuple(sample, fc.array(early, { minLength: 9, maxLength: 9 })).map(([drawn, nodes]) => {
    const overrides = Object.fromEntries(drawn.ids.map((id, place) => [id, nodes[place] ?? {}]));
    return [drawn, blueprintOf(drawn.ids, drawn.edges, { limits: { parallel: 256, steps: 20 } }, overrides)];
  });
}

test("what is said of some run is seen in one", () => {
  const holds = fc.check(
    fc.property(withJoins(samples(4, true)), ([sample, blueprint]) => {
      const order = new Order(compile(blueprint));
      const different = pairs(sample.ids).filter(([a, b]) => a !== b);
      const together = different.filter(([a, b]) => a < b && order.canRunTogether(a, b));
      const without = different.filter(([a, b]) => order.canStartWithout(a, b));
      const missing = sample.ids.filter((id) => order.canSucceedWithout(id));
      const seen = nothing();
      for (const world of worlds(sample)) observe(blueprint, world, seen);
      return (
        together.every(([a, b]) => seen.together.has(`${a} ${b}`)) &&
        without.every(([a, b]) => seen.without.has(`${a} ${b}`)) &&
        missing.every((id) => seen.missing.has(id))
      );
    }),
    { numRuns: 60 },
  );
  expect(holds.counterexample).toBeNull();
});
