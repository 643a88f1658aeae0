import { expect, test } from "vitest";
import { limits } from "./limits.ts";
import { isTooDeep, jsonText } from "./nesting.ts";

const lists = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

test("levels of lists and objects count, not what stands in them, and depth is no danger to the count itself", () => {
  expect([1, "text", null, [], {}, Array(1000).fill([1])].map(isTooDeep)).toEqual(Array(6).fill(false));
  expect(isTooDeep(lists(limits.jsonDepth))).toBe(false);
  expect(isTooDeep(lists(limits.jsonDepth + 1))).toBe(true);
  expect(isTooDeep({ a: [{ b: lists(limits.jsonDepth - 2) }] })).toBe(true);
  expect(isTooDeep(lists(200_000))).toBe(true);
});

test("what is too deep to be written says so in its place", () => {
  expect(jsonText({ a: [1] })).toBe('{"a":[1]}');
  expect(jsonText(lists(200_000))).toBe("(nested deeper than 100 levels)");
});
