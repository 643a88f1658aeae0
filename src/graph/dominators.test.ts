import fc from "fast-check";
import { expect, test } from "vitest";
import { digraph } from "./digraph.ts";
import { Dominators } from "./dominators.ts";

/** Pairs of a small random digraph, sorted and without doubles. */
const digraphs = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    pairs: fc
      .uniqueArray(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { selector: ([a, b]) => `${a},${b}`, maxLength: 24 })
      .map((pairs) => pairs.sort(([a, b], [c, d]) => a - c || b - d)),
  }),
);

type Pairs = readonly (readonly [number, number])[];

function reached(pairs: Pairs, without: number): Set<number> {
  const seen = new Set(without === 0 ? [] : [0]);
  for (const node of seen) for (const [from, to] of pairs) if (from === node && to !== without) seen.add(to);
  return seen;
}

test("a node dominates what cannot be reached without it, and itself", () => {
  fc.assert(
    fc.property(digraphs, ({ size, pairs }) => {
      const graph = digraph(
        size,
        Int32Array.from(pairs, ([from]) => from),
        Int32Array.from(pairs, ([, to]) => to),
      );
      const dominators = new Dominators(graph, 0);
      const all = reached(pairs, -1);
      for (let a = 0; a < size; a += 1) {
        const left = reached(pairs, a);
        const dominated = Array.from({ length: size }, (_, b) => b).filter((b) => dominators.dominates(a, b));
        expect(dominated).toEqual(
          [...all].filter((b) => all.has(a) && (a === b || !left.has(b))).sort((x, y) => x - y),
        );
      }
    }),
    { numRuns: 2_000 },
  );
});

test("of some nodes the outermost are those that no other of them dominates", () => {
  // 0 → 1 → 2 → 3, 0 → 4 → 5
  const graph = digraph(6, Int32Array.from([0, 0, 1, 2, 4]), Int32Array.from([1, 4, 2, 3, 5]));
  const outer = new Dominators(graph, 0).outermost(new Set([3, 2, 5]));
  expect(outer).toEqual(new Set([2, 5]));
});

test("a branch is what the entry dominates next", () => {
  // 0 → 1 → 2 → 3, 0 → 4 → 3, 5 is not reached
  const graph = digraph(6, Int32Array.from([0, 0, 1, 2, 4]), Int32Array.from([1, 4, 2, 3, 3]));
  expect([...new Dominators(graph, 0).branches()]).toEqual([-1, 1, 1, 3, 4, -1]);
});

test("a chain of 20,000 does not exhaust the stack", () => {
  const size = 20_000;
  const graph = digraph(
    size,
    Int32Array.from({ length: size - 1 }, (_, node) => node),
    Int32Array.from({ length: size - 1 }, (_, node) => node + 1),
  );
  const dominators = new Dominators(graph, 0);
  expect(dominators.dominates(0, size - 1)).toBe(true);
  expect(dominators.dominates(size - 1, 0)).toBe(false);
});
