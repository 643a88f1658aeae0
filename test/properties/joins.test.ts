import fc from "fast-check";
import { expect, test } from "vitest";
import { compile } from "../../src/graph/plan.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import { drive } from "./driver.ts";
import { arrows, blueprintOf } from "./graphs.ts";
import type { NamedGraph } from "./named.ts";
import { namedGraphs } from "./named.ts";
import type { Told } from "./oracle.ts";
import { tell } from "./oracle.ts";
import { Graph } from "./oracle-graph.ts";
import type { Sample } from "./streams.ts";
import { pick, samples, worldOf } from "./streams.ts";

const mostStarts = 400;

function sampleOf(named: NamedGraph): Sample {
  const ids = named.ids.split("");
  const outcomes = ids.map((id) => [id, (named.outcomes?.[id] ?? "success").split(" ")] as const);
  const ticks = ids.map((id) => [id, [named.ticks?.[id] ?? 1]] as const);
  return { ids, edges: arrows(named.edges), outcomes: Object.fromEntries(outcomes), ticks: Object.fromEntries(ticks) };
}

function toldOf({ ids, edges, outcomes, ticks }: Sample): Told {
  const stream = {
    outcome: (node: string, pass: number) => pick(outcomes[node] ?? [], pass),
    ticks: (node: string, pass: number) => pick(ticks[node] ?? [], pass),
  };
  return tell(new Graph(ids, edges, ids[0] ?? ""), stream, mostStarts);
}

function blueprint(sample: Sample): Blueprint {
  return blueprintOf(sample.ids, sample.edges, { limits: { parallel: 256, steps: mostStarts } });
}

function loopEdgesOf(sample: Sample): string[] {
  const { ids, loopOf, graph } = compile(blueprint(sample));
  const arcs = [...loopOf.keys()].filter((arc) => (loopOf[arc] ?? -1) >= 0);
  return arcs.map((arc) => `${ids[graph.from[arc] ?? 0]}>${ids[graph.to[arc] ?? 0]}`).sort();
}

function words(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([id, count]) => `${id}${count}`)
    .sort()
    .join(" ");
}

function expectAsTold(sample: Sample): void {
  const told = toldOf(sample);
  const run = drive(blueprint(sample), worldOf(sample));
  expect(words(run.counts)).toBe(words(told.counts));
  expect(run.mostAtOnce).toBe(told.mostAtOnce);
  expect([...run.skipped].sort()).toEqual([...told.skipped].sort());
  expect(run.end?.status === "limit").toBe(told.cut);
}

test.each(namedGraphs)("$title", (named) => {
  const sample = sampleOf(named);
  const told = toldOf(sample);
  expect(words(told.counts)).toBe(named.counts);
  expect(told.ties).toBe(0);
  const run = drive(blueprint(sample), worldOf(sample));
  expect(words(run.counts)).toBe(named.counts);
  expect(run.mostAtOnce).toBe(named.atOnce);
  expect(run.skipped.join(" ")).toBe(named.skipped ?? "");
  expect(loopEdgesOf(sample).join(" ")).toBe(named.loopEdges);
});

test("loop edges are those of the plain search, in every graph", () => {
  fc.assert(
    fc.property(samples(14, true), (sample) => {
      const graph = new Graph(sample.ids, sample.edges, sample.ids[0] ?? "");
      expect(loopEdgesOf(sample)).toEqual([...graph.back.keys()].sort());
    }),
    { numRuns: 1_000 },
  );
});

test("starts, skips and what runs together are as the plain rule tells them", () => {
  fc.assert(fc.property(samples(), expectAsTold), { numRuns: 5_000 });
});

test("also where success edges lead back, up to the limit of steps", () => {
  fc.assert(fc.property(samples(12, true), expectAsTold), { numRuns: 500 });
});
