import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../../src/check/check.ts";
import { plant } from "./document.ts";
import type { Planter } from "./planters.ts";
import { planters } from "./planters.ts";
import { setting } from "../setting.ts";

function problemsOf(text: string): readonly string[] {
  const { diagnostics } = check(text, setting);
  return diagnostics.map(({ code, range }) => `${code} ${range.start}-${range.end}`).sort();
}

/** What is found in a document with these faults, and what was planted. */
function told(chosen: readonly Planter[]): Record<"found" | "planted", object> {
  const { text, expected } = plant(chosen);
  return { found: { text, problems: problemsOf(text) }, planted: { text, problems: expected } };
}

test("the document without faults has no problem", () => {
  const { found, planted } = told([]);
  expect(found).toEqual(planted);
});

test.each(planters.map((planter) => [planter.code, planter] as const))("one fault is one problem: %s", (_, planter) => {
  const { found, planted } = told([planter]);
  expect(found).toEqual(planted);
});

test.each([
  ["those that hide no paths", planters.filter(({ hidesPaths }) => hidesPaths !== true)],
  ["all of them", planters],
])("faults at once are all told, each where it is: %s", (_, chosen) => {
  const { found, planted } = told(chosen);
  expect(found).toEqual(planted);
});

test("any faults together are exactly these problems", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...planters]), (chosen) => {
      const { found, planted } = told(chosen);
      expect(found).toEqual(planted);
    }),
    { numRuns: 200 },
  );
});
