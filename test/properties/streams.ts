import fc from "fast-check";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { World } from "./driver.ts";
import type { Arrow } from "./graphs.ts";

/** A random graph with what its nodes come to and how long they take, pass by pass; the last entry stays. */
export interface Sample {
  readonly ids: readonly string[];
  readonly edges: readonly Arrow[];
  readonly outcomes: Readonly<Record<string, readonly string[]>>;
  readonly ticks: Readonly<Record<string, readonly number[]>>;
}

const letters = "abcdefghijklmnop".split("");

/**
 * Edges forward to one to three later nodes, failure edges to any node but the first, and now and
 * then a success edge back. Out of one node all edges are unconditional or all are conditional.
 * Every node succeeds in the end, so loops over failure edges end.
 */
export function samples(most = 9, backwards = false): fc.Arbitrary<Sample> {
  return fc.integer({ min: 3, max: most }).chain((size) => {
    const ids = letters.slice(0, size);
    const node = (place: number): fc.Arbitrary<Arrow[]> => {
      const id = ids[place] ?? "";
      const later = ids.slice(place + 1);
      const forward = fc
        .tuple(
          fc.subarray(later, { minLength: Math.min(1, later.length), maxLength: Math.min(3, later.length) }),
          fc.boolean(),
        )
        .map(([targets, plain]) => targets.map((to): Arrow => [id, plain ? null : "success", to]));
      const failing =
        place === 0 ? fc.constant([]) : rarely(35, fc.constantFrom(...ids), (to): Arrow => [id, "failure", to]);
      const back =
        !backwards || place === 0
          ? fc.constant([])
          : rarely(20, fc.constantFrom(...ids.slice(0, place)), (to): Arrow => [id, "success", to]);
      return fc.tuple(forward, failing, back).map((parts) => unmixed(parts.flat()));
    };
    const perNode = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
      fc
        .tuple(...ids.map(() => value))
        // One value an id.
        .map((values) => Object.fromEntries(ids.map((id, index) => [id, values[index]])) as Record<string, T>);
    const outcome = fc.constantFrom("success", "failure");
    return fc.record({
      ids: fc.constant(ids),
      edges: fc.tuple(...ids.map((_, place) => node(place))).map((lists) => lists.flat()),
      outcomes: perNode(fc.tuple(outcome, outcome).map((both) => [...both, "success"])),
      ticks: perNode(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 })),
    });
  });
}

function rarely<T>(percent: number, target: fc.Arbitrary<string>, edge: (to: string) => T): fc.Arbitrary<T[]> {
  return fc
    .tuple(fc.integer({ min: 1, max: 100 }), target)
    .map(([chance, to]) => (chance <= percent ? [edge(to)] : []));
}

function unmixed(edges: readonly Arrow[]): Arrow[] {
  if (edges.every(([, when]) => when === null)) return [...edges];
  return edges.map(([from, when, to]) => [from, when ?? "success", to]);
}

export function pick<T>(list: readonly T[], pass: number): T {
  const found = list[Math.min(pass, list.length) - 1];
  if (found === undefined) throw new RangeError("empty list");
  return found;
}

export function worldOf(sample: Sample): World {
  return {
    // Only outcomes are drawn.
    result: ({ node, pass }) => ({ outcome: pick(sample.outcomes[node] ?? ["success"], pass) }) as NodeResult,
    ticks: ({ node, pass }) => pick(sample.ticks[node] ?? [1], pass),
  };
}
