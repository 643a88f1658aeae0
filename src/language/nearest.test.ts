import { expect, test } from "vitest";
import { nearest, oneOfWords, Suggestions } from "./nearest.ts";

test("finds what was likely meant, and nothing where nothing is close", () => {
  expect(nearest("timout", ["title", "timeout", "type"])).toBe("timeout");
  expect(nearest("tets", ["test", "task"])).toBe("test");
  expect(nearest("Success", ["success", "failure"])).toBe("success");
  expect(nearest("deploy", ["test", "lint"])).toBeUndefined();
  expect(nearest("x", ["abc"])).toBeUndefined();
  expect(nearest("x", ["y"])).toBeUndefined();
  expect(nearest("x", ["xx"])).toBe("xx");
});

test("falls silent after so many comparisons that nobody reads the rest", () => {
  const { suggest } = new Suggestions();
  const names = Array.from({ length: 60_000 }, (_, index) => `node-${index}`);
  expect(suggest("node-1x", names)).toContain("did you mean");
  expect(suggest("node-1x", names)).toContain("did you mean");
  expect(suggest("node-1x", names)).toBe("");
});

test("lists words as a sentence, bounded", () => {
  expect(oneOfWords(["a"])).toBe("`a`");
  expect(oneOfWords(["a", "b", "c"])).toBe("`a`, `b` or `c`");
  expect(oneOfWords(["a", "b", "c"], 2)).toBe("`a`, `b` and 1 more");
});
