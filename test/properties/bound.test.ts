import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundOf } from "../../src/graph/bound.ts";
import { compile } from "../../src/graph/plan.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import { limits } from "../../src/model/limits.ts";
import { drive } from "./driver.ts";
import { blueprintOf } from "./graphs.ts";
import type { Scene } from "./play.ts";
import { play, stage } from "./play.ts";
import type { Sample } from "./streams.ts";
import { samples, worldOf } from "./streams.ts";

const timeoutMs = 7;
/** So long that nine ticks are just what an attempt may take. */
const tick = (timeoutMs + limits.terminationGraceMs) / 9;

interface Bounded {
  readonly sample: Sample;
  readonly blueprint: Blueprint;
}

const bounded = (backwards: boolean): fc.Arbitrary<Bounded> =>
  samples(10, backwards).chain((sample) =>
    fc
      .record({
        caps: fc.array(fc.constantFrom(undefined, undefined, 1, 2, 3), {
          minLength: sample.ids.length,
          maxLength: sample.ids.length,
        }),
        steps: fc.constantFrom(20, 1_000),
        parallel: fc.constantFrom(1, 2, 8),
      })
      .map(({ caps, steps, parallel }) => {
        const node = (place: number): Partial<Node> => {
          const cap = caps[place];
          return cap === undefined ? { timeoutMs } : { timeoutMs, type: "agent", cap, turns: 1 };
        };
        const nodes = Object.fromEntries(sample.ids.map((id, place) => [id, node(place)] as const));
        return { sample, blueprint: blueprintOf(sample.ids, sample.edges, { limits: { steps, parallel } }, nodes) };
      }),
  );

function sum(counts: Readonly<Record<string, number>>, which: (id: string) => boolean = () => true): number {
  return Object.entries(counts).reduce((total, [id, count]) => total + (which(id) ? count : 0), 0);
}

test.each([[false], [true]])("no run exceeds the bound (edges back: %s)", (backwards) => {
  fc.assert(
    fc.property(bounded(backwards), ({ sample, blueprint }) => {
      const bound = boundOf(compile(blueprint));
      const world = worldOf(sample);
      const run = drive(blueprint, { ...world, ticks: (attempt) => world.ticks(attempt) * tick });
      const isAgent = (id: string): boolean => blueprint.nodes.get(id)?.type === "agent";
      expect(sum(run.counts)).toBeLessThanOrEqual(bound.starts ?? Infinity);
      expect(run.state.spentMs).toBeLessThanOrEqual((bound.workMs ?? Infinity) + 1e-6);
      expect(sum(run.counts, isAgent)).toBeLessThanOrEqual(bound.turns ?? Infinity);
      const over = Object.entries(bound.passes).filter(([id, most]) => (run.counts[id] ?? 0) > (most ?? Infinity));
      expect(over).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

const agent = { type: "agent" } as const;

function bound(edges: string, scene: Scene = {}) {
  return boundOf(compile(stage(edges, scene)));
}

describe("the bound", () => {
  test("of a line is its length", () => {
    expect(bound("a>b,b>c")).toMatchObject({ starts: 3, turns: 0, waitMs: 0, passes: {} });
  });

  test("of mending loops in a row counts each once, however often it may run", () => {
    const nodes = { f: { ...agent, cap: 1 }, g: { ...agent, cap: 2, turns: 10 } };
    const edges = "i>l,l!>f,f>l,l+>t,t!>g,g>t,t+>c,c+>p";
    expect(bound(edges, { nodes })).toMatchObject({ starts: 11, passes: { f: 1, g: 2 }, turns: 70 });
  });

  test("of a loop inside a loop multiplies up to the caps", () => {
    const nodes = { f: { ...agent, cap: 9 }, r: { ...agent, cap: 2 } };
    expect(bound("a>t,t!>f,f>t,t+>r,r!>a,r+>END", { nodes })).toMatchObject({
      passes: { f: 9, r: 2 },
      starts: 3 + 12 + 9 + 2,
    });
  });

  test("of a review by three and a vote: one round more than the head's cap allows is none", () => {
    const nodes = { i: { ...agent, cap: 3 } };
    expect(bound("i>q,i>r,i>s,q>v,r>v,s>v,v!>i,v+>p", { nodes })).toMatchObject({ starts: 16, passes: { i: 3 } });
  });

  test("of a loop that divides into arms which leave it apart counts each round", () => {
    const edges = "s>h,h>a,h>b,a!>h,b!>h,a+>n,b+>m";
    const scene: Scene = { nodes: { h: { ...agent, cap: 3 } }, results: { a: "failure failure success" } };
    expect(bound(edges, scene).starts).toBe(1 + 5 * 3);
    expect(play(edges, scene).counts).toEqual({ s: 1, h: 3, a: 3, b: 3, m: 3, n: 1 });
  });

  test("of a loop that goes on and leaves at once counts each leaving, in a loop around it too", () => {
    const edges = "s>h,h>p,p+>p,p+>x,x>y,y!>h";
    const scene: Scene = { nodes: { h: { ...agent, cap: 2 }, p: { ...agent, cap: 3 } } };
    expect(bound(edges, scene).starts).toBe(1 + 2 + 3 * 3);
    expect(play(edges, scene).counts).toEqual({ s: 1, h: 1, p: 3, x: 3, y: 3 });
  });

  test("of what leaves a loop inside one with two entries counts each leaving", () => {
    const edges = "a+>b,a+>c,a+>e,b+>d,b+>e,b!>a,c+>d,c!>a,d+>e,d!>d,d+>c,e+>a";
    const nodes = { a: { ...agent, cap: 1 }, e: { ...agent, cap: 3 } };
    expect(bound(edges, { nodes }).passes).toEqual({ a: 1, e: 3 });
    expect(play(edges, { nodes, results: { e: "failure success" } }).counts).toMatchObject({ a: 1, e: 2 });
  });

  test("of a loop that nothing else bounds is the limit of steps", () => {
    expect(bound("a!>a,a+>END").starts).toBe(50);
    expect(boundOf(compile(stage("a!>a")), { maxSteps: 3 }).starts).toBe(3);
  });

  test("of time is the sum, or what the places leave of it, and never more than limits.time", () => {
    const nodes = Object.fromEntries("sabcd".split("").map((id) => [id, { timeoutMs: 8_000 }]));
    const attempt = 8_000 + limits.terminationGraceMs;
    const limited = (parallel: number) =>
      bound("s>a,s>b,s>c,s>d", { nodes, settings: { limits: { parallel } } }).workMs;
    expect(limited(1)).toBe(5 * attempt);
    expect(limited(5)).toBe(attempt + 2 * attempt * (1 - 1 / 5));
    expect(bound("a>b").workMs).toBe(2 * (limits.deterministicTimeoutMs + limits.terminationGraceMs));
    expect(bound("a!>a").workMs).toBe(limits.runTimeDefaultMs);
    expect(bound("a!>a", { settings: { limits: { timeMs: 60_000 } } }).workMs).toBe(60_000);
  });

  test("of retries takes each attempt and each delay", () => {
    const nodes = { a: { timeoutMs: 1_000, retry: 2 } };
    const delays = (limits.retryFirstDelayMs + limits.retryFirstDelayMs * 2) * (1 + limits.retryJitterRatio);
    expect(bound("a>END", { nodes }).workMs).toBe(3 * (1_000 + limits.terminationGraceMs) + delays);
    expect(bound("a>END", { nodes: { a: { ...agent, retry: 2, turns: 7 } } }).turns).toBe(21);
  });

  test("of waiting is unknown where a gate has no timeout", () => {
    const gate = { type: "human" } as const;
    expect(bound("a>g", { nodes: { g: gate } }).waitMs).toBeNull();
    expect(
      bound("a>g,g>w", { nodes: { g: { ...gate, timeoutMs: 60_000 }, w: { type: "wait", forMs: 5_000 } } }).waitMs,
    ).toBe(65_000);
  });

  test("takes in the node of finally, which is no step", () => {
    const settings = { finally: "z", limits: { steps: 2, parallel: 256 } };
    const attempt = limits.deterministicTimeoutMs + limits.terminationGraceMs;
    expect(bound("a>b", { settings })).toMatchObject({ starts: 3, workMs: 3 * attempt });
  });
});
