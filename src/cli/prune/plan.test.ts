import fc from "fast-check";
import { expect, it } from "vitest";
import { type PastRun, prunePlan } from "./plan.ts";

const over = (run: string, overAt: number, bytes = 10): PastRun => ({ run, overAt, bytes });

it("keeps outputs up to an age or a size, whichever comes first, and the history by its age", () => {
  const runs = [over("new", 90), over("big", 80, 50), over("mid", 70), over("old", 30), over("ancient", 5)];
  const plan = (retention: Parameters<typeof prunePlan>[1]) => prunePlan(runs, retention, 100);
  expect(plan({ runs: { ageMs: 60 }, history: 90 })).toEqual({ history: ["ancient"], outputs: ["old"] });
  expect(plan({ runs: { bytes: 30 }, history: 90 })).toEqual({ history: ["ancient"], outputs: ["big"] });
  expect(plan({ runs: { ageMs: 25, bytes: 60 }, history: 90 })).toEqual({
    history: ["ancient"],
    outputs: ["mid", "old"],
  });
  expect(plan({})).toEqual({ history: [], outputs: [] });
  const day = 86_400_000;
  expect(prunePlan([over("a", 0), over("b", 50 * day)], {}, 91 * day)).toEqual({ history: ["a"], outputs: ["b"] });
});

it("never touches a run that may go on, and lists none twice", () => {
  const run = fc.record({ overAt: fc.option(fc.nat(100)), bytes: fc.nat(100) });
  const retention = fc.record({ runs: fc.record({ ageMs: fc.nat(100), bytes: fc.nat(100) }), history: fc.nat(100) });
  fc.assert(
    fc.property(fc.array(run), retention, (all, kept) => {
      const runs = all.map((one, i) => ({ run: `r${i}`, ...one }));
      const { history, outputs } = prunePlan(runs, kept, 100);
      const touched = [...history, ...outputs];
      expect(new Set(touched).size).toBe(touched.length);
      const mayGoOn = runs.filter(({ overAt }) => overAt === null).map((one) => one.run);
      expect(touched.filter((id) => mayGoOn.includes(id))).toEqual([]);
      const left = runs.filter((one) => one.overAt !== null && !touched.includes(one.run));
      expect(left.filter((one) => 100 - (one.overAt ?? 0) > kept.history)).toEqual([]);
      expect(left.reduce((sum, one) => sum + one.bytes, 0)).toBeLessThanOrEqual(kept.runs.bytes);
    }),
  );
});
