import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { setting } from "./setting.ts";

const folder = join(import.meta.dirname, "ok");
const documents = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml"))
  .map((file) => readFileSync(join(folder, file), "utf8"));
const ofSyntax: ReadonlySet<string> = new Set(["syntax", "unknown-tag", "too-many-problems"]);
const breaks = [
  '"',
  "'",
  "[",
  "{",
  "]",
  "}",
  ":",
  "- ",
  "\t",
  "|",
  "&",
  "*",
  "? ",
  "a",
  " ",
  "\n",
  "\n  ",
  ": ",
  "%",
  "@",
];

test("one slip in a document that is right is told as one of syntax or as one of its fields, never as both", () => {
  const torn = fc
    .tuple(fc.constantFrom(...documents), fc.nat(), fc.constantFrom(...breaks), fc.nat(3))
    .map(([text, at, piece, cut]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place + cut);
    });
  const holds = fc.check(
    fc.property(torn, (text) => {
      const codes = check(text, setting).diagnostics.map(({ code }) => code);
      return !codes.includes("syntax") || codes.every((code) => ofSyntax.has(code));
    }),
    { numRuns: 3_000 },
  );
  expect(holds.counterexample).toBeNull();
});

test.each(["outputs:\n: log: {type: string}\n", "nodes:\n  a: {type: script, run: b}\n  b:\n  : c: d\n"])(
  "a key that is not there says nothing of what stands before it: %j",
  (slip) => {
    const codes = check(`name: x\n${slip}entry: a\n`, setting).diagnostics.map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set(["syntax"]));
  },
);
