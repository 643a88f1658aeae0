import fc from "fast-check";
import { expect, test } from "vitest";
import { drive } from "../../test/properties/driver.ts";
import { blueprintOf } from "../../test/properties/graphs.ts";
import { play, stage } from "../../test/properties/play.ts";
import { samples, worldOf } from "../../test/properties/streams.ts";
import { whatIf, whatIfText } from "./what-if.ts";

const failing = play("a>l,l+>p", { results: { l: "failure" } });

test("another blueprint over the same outcomes: what would start, how it would end, and what is a guess", () => {
  const mended = stage("a>l,l+>p,l!>f,f>l", { nodes: { f: { type: "agent", cap: 1 } } });
  const seen = whatIf(failing.events, mended);
  expect(seen).toEqual({
    before: { status: "failed", reason: "l: exit 1" },
    after: { status: "succeeded", reason: null },
    starts: [
      { node: "f", before: 0, after: 1 },
      { node: "l", before: 1, after: 2 },
      { node: "p", before: 0, after: 1 },
    ],
    assumed: ["f", "l", "p"],
  });
  expect(seen === null ? "" : whatIfText("r1", "b.yaml", seen)).toBe(
    "r1 with b.yaml: succeeded; it was failed (l: exit 1)\n" +
      "  f: 0 → 1 starts\n  l: 1 → 2 starts\n  p: 0 → 1 starts\n" +
      "  taken to succeed, since nothing was recorded: f, l, p\n",
  );
});

test("passes that earlier runs of the task had used count", () => {
  const nodes = { f: { type: "agent", cap: 1 } } as const;
  const [started, ...rest] = failing.events;
  const events = [started, { type: "passes.synced", passes: { f: 1 } } as const, ...rest].filter(
    (one) => one !== undefined,
  );
  expect(whatIf(events, stage("a>l,l+>p,l!>f,f>l", { nodes }))?.after.status).toBe("escalated");
});

test("the same blueprint gives the same, without a guess", () => {
  fc.assert(
    fc.property(samples(), (sample) => {
      const forward = sample.edges.filter(([from, , to]) => from < to);
      const blueprint = blueprintOf(sample.ids, forward);
      const run = drive(blueprint, worldOf(sample));
      const seen = whatIf(run.events, blueprint);
      expect(seen).toMatchObject({ starts: [], assumed: [] });
      expect(seen?.after.status).toBe(seen?.before.status);
    }),
    { numRuns: 300 },
  );
});

test("events that are no run have no other way", () => {
  expect(whatIf([], stage("a>b"))).toBeNull();
});
