import { expect, test } from "vitest";
import { limits } from "../model/limits.ts";
import { judge, type Observed } from "./judge.ts";

function left(text: string): Observed {
  return {
    walk: { steps: [], passes: new Map(), edges: new Set(), inside: new Map() },
    status: "succeeded",
    exit: 0,
    reason: null,
    escalation: null,
    outputs: {},
    fileText: () => text,
  };
}

const at = { start: 0, end: 0 };
const held = (matches: string, text: string) => judge({ files: [{ name: "a", value: { matches }, at }] }, left(text));

test("a file is held against a pattern line by line", async () => {
  expect(await held("^two$", "one\ntwo\n")).toEqual([]);
  expect(await held("^on$", "one\ntwo\n")).toMatchObject([{ what: "files.a", expected: "matches ^on$" }]);
});

test("no pattern takes longer than its text is, and of a text too long for it nobody knows", async () => {
  expect(await held("^(a+)+$", `${"a".repeat(10_000)}b`)).toMatchObject([{ what: "files.a" }]);
  expect(await held("a", "a".repeat(limits.patternSteps + 1))).toMatchObject([
    { actual: "a text too long to be held against it" },
  ]);
});
