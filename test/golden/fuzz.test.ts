import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { toJson, toText } from "../../src/check/format.ts";
import { LineIndex } from "../../src/language/position.ts";

const documents = (["ok", "err"] as const).flatMap((kind) => {
  const folder = join(import.meta.dirname, kind);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".yaml") && !file.startsWith("nesting"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
});

const words = [
  "{",
  "}",
  "[",
  "]",
  ":",
  "- ",
  "\n",
  "  ",
  "\t",
  '"',
  "'",
  "&a ",
  "*a",
  "|",
  ">",
  "#",
  "\r\n",
  "\u0000",
  "\ud800",
  "😀",
  "END",
  "task",
  "{task}",
  "{{",
  "${",
  "type",
  "nodes:",
  "flow: a -> b",
  "when: error",
  "<<: *a",
  "!!int",
  "? ",
  "010",
  "~",
  "null",
];

/** A valid or nearly valid document with a few pieces taken out, put in, doubled or swapped. */
const mutated = fc
  .tuple(
    fc.constantFrom(...documents),
    fc.array(
      fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom("cut", "put", "double", "swap"), fc.constantFrom(...words)),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([document, edits]) =>
    edits.reduce(
      (text, [at, length, kind, word]) => mutate(text, at % (text.length + 1), length, kind, word),
      document,
    ),
  );

function mutate(text: string, at: number, length: number, kind: string, word: string): string {
  const piece = text.slice(at, at + length);
  const [before, after] = [text.slice(0, at), text.slice(at + length)];
  if (kind === "cut") return before + after;
  if (kind === "double") return before + piece + piece + after;
  return kind === "swap" ? before + word + after : before + word + piece + after;
}

test("any text gives problems inside the text, or a blueprint that hangs together", () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 19, arbitrary: mutated }, { weight: 1, arbitrary: fc.string({ unit: "binary" }) }),
      holds,
    ),
    { numRuns: 20_000 },
  );
}, 300_000);

function holds(text: string): void {
  const { diagnostics, blueprint } = check(text);
  const lines = new LineIndex(text);
  expect(blueprint === null).toBe(diagnostics.some(({ severity }) => severity === "error"));
  for (const { range, related = [] } of diagnostics) {
    for (const { start, end } of [range, ...related.map((each) => each.range)]) {
      expect(0 <= start && start <= end && end <= text.length).toBe(true);
    }
  }
  for (const { line, column, endLine, endColumn } of toJson(diagnostics, "f", text)) {
    expect(line >= 1 && endLine >= line && endLine <= lines.lines && column >= 1 && endColumn >= 1).toBe(true);
  }
  toText(diagnostics, "f", text);
  if (blueprint === null) return;
  expect(blueprint.nodes.has(blueprint.entry)).toBe(true);
  for (const { from, to } of blueprint.edges) {
    expect(blueprint.nodes.has(from)).toBe(true);
    expect(to === "END" || blueprint.nodes.has(to)).toBe(true);
  }
}
