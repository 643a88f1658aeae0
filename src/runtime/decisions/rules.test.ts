import { expect, test } from "vitest";
import type { DecideOption, DecisionRule } from "../../model/decision.ts";
import type { Json } from "../../model/json.ts";
import { judge } from "./rules.ts";

const options = (rules: Readonly<Record<string, DecisionRule>>): readonly DecideOption[] =>
  Object.entries(rules).map(([id, match]) => ({ id, match }));
const looked = (value: Json, exit: number | null = null) => ({
  text: typeof value === "string" ? value : JSON.stringify(value),
  value,
  exit,
});
const bug: DecisionRule = { kind: "contains", text: "bug" };

test.each<[string, DecisionRule, ReturnType<typeof looked>, boolean]>([
  ["a text that is in it", bug, looked("a bug."), true],
  ["a text that is not", bug, looked("a feature"), false],
  ["a pattern that finds something in a line", { kind: "matches", pattern: "^b.g$" }, looked("a\nbug\n"), true],
  ["a pattern that finds nothing", { kind: "matches", pattern: "^b.g$" }, looked("bugs"), false],
  ["an exit code", { kind: "exit", code: 2 }, looked("", 2), true],
  ["another exit code", { kind: "exit", code: 0 }, looked(""), false],
  ["a value at a pointer", { kind: "pointer", pointer: "/a~1b/1", value: 2 }, looked({ "a/b": [1, 2] }), true],
  [
    "a value in a text that is JSON",
    { kind: "pointer", pointer: "/k", value: { x: 1, y: 2 } },
    looked('{"k":{"y":2,"x":1}}'),
    true,
  ],
  ["the whole value", { kind: "pointer", pointer: "", value: null }, looked(null), true],
  ["nothing at a pointer, which is no null", { kind: "pointer", pointer: "/none", value: null }, looked({}), false],
  [
    "a text that is too deep",
    { kind: "pointer", pointer: "", value: 1 },
    looked("[".repeat(1e5) + "]".repeat(1e5)),
    false,
  ],
  ["what a prototype has", { kind: "pointer", pointer: "/length", value: 1 }, looked([1]), false],
])("a rule fits or does not: %s", async (_, rule, of, fits) => {
  expect(await judge(options({ yes: rule }), of, "first")).toEqual({ option: fits ? "yes" : null });
});

test("rules that disagree choose other, and those for a fallback are asked apart", async () => {
  const both = options({ bug, report: { kind: "contains", text: "a" }, crash: { ...bug, fallback: true } });
  expect(await judge(both, looked("a bug"), "first")).toEqual({ option: "other" });
  expect(await judge(both, looked("bug"), "first")).toEqual({ option: "bug" });
  expect(await judge(both, looked("a bug"), "fallback")).toEqual({ option: "crash" });
});

test("a pattern that cannot be matched in linear time is told, not taken for one that finds nothing", async () => {
  const verdict = await judge(options({ bug: { kind: "matches", pattern: "(?=bug)" } }), looked("bug"), "first");
  expect(verdict).toEqual({ problem: expect.stringMatching(/^the rule for bug has a pattern that /) });
});
