import fc from "fast-check";
import { expect, test } from "vitest";
import { boundOf } from "../../src/graph/bound.ts";
import { compile } from "../../src/graph/plan.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import { drive } from "./driver.ts";
import { blueprintOf } from "./graphs.ts";
import { agent, call, map, T, timeoutMs } from "./inside.ts";
import type { Sample } from "./streams.ts";
import { samples, worldOf } from "./streams.ts";

interface Family {
  readonly outer: Sample;
  readonly inner: Sample;
  readonly callee: Blueprint;
  readonly blueprint: Blueprint;
}

const items = 3;
/** Nine ticks are just what an attempt may take. */
const tick = T / 9;

const families: fc.Arbitrary<Family> = fc
  .record({
    outer: samples(7, true),
    inner: samples(5, true),
    kinds: fc.array(fc.constantFrom("plain", "plain", "call", "map"), { minLength: 7, maxLength: 7 }),
    caps: fc.array(fc.constantFrom(undefined, 1, 3), { minLength: 5, maxLength: 5 }),
    parallel: fc.constantFrom(1, 2),
  })
  .map(({ outer, inner, kinds, caps, parallel }) => {
    const own = (place: number): Partial<Node> => {
      const cap = caps[place];
      return cap === undefined ? { timeoutMs } : agent({ cap, turns: 1 });
    };
    const nodes = Object.fromEntries(inner.ids.map((id, place) => [id, own(place)] as const));
    const callee = blueprintOf(inner.ids, inner.edges, {}, nodes);
    const around = (kind: string | undefined): Partial<Node> => {
      if (kind === "call") return call("callee");
      return kind === "map" ? { ...map("a>END", {}, { max: items, parallel }), do: callee } : { timeoutMs };
    };
    const wrappers = Object.fromEntries(outer.ids.map((id, place) => [id, around(kinds[place])] as const));
    return { outer, inner, callee, blueprint: blueprintOf(outer.ids, outer.edges, { limits: { parallel } }, wrappers) };
  });

/**
 * Runs what is inside when its node is performed; passes of agents are
 * counted by path over all of it, as the journal does.
 */
class FamilyRun {
  readonly passes = new Map<string, Record<string, number>>();
  starts = 0;
  readonly #family: Family;

  constructor(family: Family) {
    this.#family = family;
  }

  play() {
    const { outer, blueprint } = this.#family;
    const world = worldOf(outer);
    let took = 0;
    const run = drive(blueprint, {
      result: (attempt) => {
        took = this.#inside(blueprint.nodes.get(attempt.node)) ?? world.ticks(attempt) * tick;
        return world.result(attempt);
      },
      ticks: () => took,
    });
    this.starts += total(run.counts);
    return run;
  }

  /** How long it takes, or null where nothing is inside. */
  #inside(node: Node | undefined): number | null {
    if (node?.type === "call") return this.#run(`${node.id}/`);
    if (node?.type !== "map") return null;
    const lanes = Array.from({ length: node.parallel ?? 1 }, () => 0);
    for (let item = 0; item < items; item += 1) {
      const first = lanes.indexOf(Math.min(...lanes));
      lanes[first] = (lanes[first] ?? 0) + this.#run(`${node.id}[${item}]/`);
    }
    return Math.max(...lanes);
  }

  #run(path: string): number {
    const { callee, inner } = this.#family;
    const world = worldOf(inner);
    const passes = this.passes.get(path) ?? {};
    const run = drive(callee, { ...world, ticks: (attempt) => world.ticks(attempt) * tick }, { passes });
    const agents = Object.entries(run.counts).filter(([id]) => callee.nodes.get(id)?.type === "agent");
    this.passes.set(path, {
      ...passes,
      ...Object.fromEntries(agents.map(([id, count]) => [id, count + (passes[id] ?? 0)])),
    });
    this.starts += total(run.counts);
    return run.times.at(-1) ?? 0;
  }
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, one) => sum + one, 0);
}

test("no run exceeds the bound with what runs inside it", () => {
  fc.assert(
    fc.property(families, (family) => {
      const bound = boundOf(compile(family.blueprint), { callees: new Map([["callee", family.callee]]) });
      const whole = new FamilyRun(family);
      const run = whole.play();
      const byPath: Record<string, number> = {};
      for (const [path, counts] of whole.passes) {
        for (const [id, count] of Object.entries(counts)) {
          const name = `${path.replace(/\[\d+\]/, "[*]")}${id}`;
          byPath[name] = (byPath[name] ?? 0) + count;
        }
      }
      expect(whole.starts).toBeLessThanOrEqual(bound.starts ?? Infinity);
      expect(run.state.spentMs).toBeLessThanOrEqual((bound.workMs ?? Infinity) + 1e-6);
      expect(total(byPath)).toBeLessThanOrEqual(bound.turns ?? Infinity);
      expect(total(byPath)).toBeLessThanOrEqual(bound.agentPasses ?? Infinity);
      expect(Object.entries(byPath).filter(([path, count]) => count > (bound.passes[path] ?? -1))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
