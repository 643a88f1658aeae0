import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../../src/check/check.ts";
import { plant } from "./document.ts";
import type { Planter } from "./planters.ts";
import { planters } from "./planters.ts";
import { setting } from "../setting.ts";


function found(text: string): readonly string[] {
  const { diagnostics } = check(text, setting);
  return diagnostics.map(({ code, range }) => `${code} ${range.start}-${range.end}`).sort();
}

function expectExactly(chosen: readonly Planter[]): void {
  const { text, expected } = plant(chosen);
  expect(found(text), text).toEqual(expected);
}

test("the document without faults has no problem", () => {
  expectExactly([]);
});

test.each(planters.map((planter) => [planter.code, planter] as const))("one fault is one problem: %s", (_, planter) => {
  expectExactly([planter]);
});

test("all faults at once are all told, each where it is", () => {
  expectExactly(planters.filter(({ hidesPaths }) => hidesPaths !== true));
  expectExactly(planters);
});

test("any faults together are exactly these problems", () => {
  fc.assert(fc.property(fc.shuffledSubarray([...planters]), expectExactly), { numRuns: 200 });
});
