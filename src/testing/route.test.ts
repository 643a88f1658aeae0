import { describe, expect, test } from "vitest";
import { parseTests } from "./parse.ts";
import { routeDifference } from "./route.ts";
import type { Step } from "./walk.ts";

function expected(route: string) {
  const { file, problems } = parseTests(`tests: [{name: a, expect: {route: ${route}}}]`);
  expect(problems).toEqual([]);
  return file?.tests[0]?.value.expect.route ?? [];
}

/** `a success`, `a#2 failure`, `pick bug` where `bug` is an option. */
function steps(...texts: readonly string[]): readonly Step[] {
  return texts.map((text) => {
    const [, node = "", pass, word = ""] = /^(\w+)(?:#(\d))? (\w+)$/.exec(text) ?? [];
    const outcome = word === "failure" || word === "error" || word === "skipped" ? word : "success";
    const option = outcome === word || word === "success" ? null : word;
    return { node, pass: Number(pass ?? 1), outcome, option, reason: null };
  });
}

const walked = steps("test failure", "fix success", "test#2 success", "pick bug");

describe("fits", () => {
  test.each([
    "[test failure, fix success, test#2 success, pick bug]",
    "[test, fix, test, pick]",
    "[test failure, …]",
    "[…, pick success]",
    "[test, …, pick bug]",
    "[…, test#2, …]",
    "[[fix success, test failure], [pick bug, test#2]]",
    "[…, test success, …]",
  ])("%s", (route) => {
    expect(routeDifference(expected(route), walked)).toBeNull();
  });
});

describe("does not fit, and where", () => {
  test.each([
    ["[]", "(end)", "test failure"],
    ["[test failure]", "(end)", "fix success"],
    ["[test success, …]", "test success", "test failure"],
    ["[test, fix, test#3]", "test#3", "test#2 success"],
    ["[test, fix, test, pick feature]", "pick feature", "pick bug"],
    ["[test, fix, test, pick, more]", "more", "(end)"],
    ["[[test, test], …]", "[test, test]", "test failure"],
    ["[…, gone]", "gone", "(end)"],
  ])("%s", (route, was, is) => {
    expect(routeDifference(expected(route), walked)?.differs).toEqual({ expected: was, actual: is });
  });
});

test("both routes stand side by side up to the difference, and the rest after it", () => {
  expect(routeDifference(expected("[test, fix success, pick]"), walked)).toEqual({
    same: [
      { expected: "test", actual: "test failure" },
      { expected: "fix success", actual: "fix success" },
    ],
    differs: { expected: "pick", actual: "test#2 success" },
    rest: [{ expected: null, actual: "pick bug" }],
  });
});

test("a long route with gaps is judged at once", () => {
  const many = Array.from({ length: 3_000 }, () => "a success");
  const gaps = expected(`[${Array.from({ length: 40 }, () => "…, a").join(", ")}, b]`);
  expect(routeDifference(gaps, steps(...many))).not.toBeNull();
});

test("many steps in any order that are alike are judged at once, whether or not each has its line", () => {
  const alike = Array.from({ length: 60 }, (_, index) => `a${index === 59 ? " success" : ""}`);
  const walk = (...last: readonly string[]) => steps(...Array.from({ length: 59 }, () => "a success"), ...last);
  const any = expected(`[[${alike.join(", ")}]]`);
  expect(routeDifference(any, walk("a failure"))).toBeNull();
  expect(routeDifference(any, walk("b success"))).not.toBeNull();
  const strict = expected("[[a, a success, a, a#2]]");
  expect(routeDifference(strict, steps("a success", "a#2 failure", "a failure", "a failure"))).toBeNull();
  expect(routeDifference(strict, steps("a failure", "a#2 failure", "a failure", "a failure"))).not.toBeNull();
});
