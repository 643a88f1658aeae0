import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { toJson } from "../../src/check/format.ts";

type Mistake = readonly [text: string, ...told: string[]];

const page = readFileSync(join(import.meta.dirname, "newcomers.md"), "utf8");
const mistakes = [...page.matchAll(/^```yaml\n([^]*?)^```\n((?:\n| .*\n|-.*\n)*)/gm)].map(
  ([, text = "", told = ""]): Mistake => [
    text,
    ...told
      .trim()
      .split("\n")
      .map((line) => line.replace(/^(?:- | {2}> ?)/, "")),
  ],
);

test("every document has what is told of it", () => {
  expect(mistakes.length).toBeGreaterThan(50);
  expect(page.match(/^```yaml$/gm)).toHaveLength(mistakes.length);
  expect(mistakes.filter((one) => one.length < 3)).toEqual([]);
});

function answer(text: string): readonly string[] {
  return toJson(check(text).diagnostics, "b.yaml", text).flatMap(({ line, column, code, message, hint }) => {
    const meant = /; (did you mean .+)\?$/.exec(message)?.[1];
    return [
      `${line}:${column} ${code}${meant === undefined ? "" : `: ${meant}`}`,
      (hint ?? "").length > 160 ? "…" : (hint ?? ""),
    ];
  });
}

test.each(mistakes)("%j", (text, ...told) => {
  expect(answer(text)).toEqual(told);
});
