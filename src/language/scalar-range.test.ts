import { describe, expect, test } from "vitest";
import { ScalarRanges } from "./scalar-range.ts";
import type { LocatedScalar } from "./tree.ts";
import { valueOf } from "./tree.ts";
import { readYaml } from "./yaml.ts";

function scalarOf(text: string): LocatedScalar {
  const value = valueOf(readYaml(text, () => true) ?? undefined, "k");
  if (value?.kind !== "scalar") throw new Error("no scalar");
  return value;
}

/** What stands in the text where `part` stands in the value. */
function source(text: string, part: string, occurrence = 0): string {
  const scalar = scalarOf(text);
  const value = String(scalar.value);
  let at = value.indexOf(part);
  for (let i = 0; i < occurrence; i += 1) at = value.indexOf(part, at + 1);
  const range = new ScalarRanges(text).within(scalar, at, at + part.length);
  return `${range.start}:${text.slice(range.start, range.end)}`;
}

describe("finds a part of a value in every style", () => {
  test.each([
    ["plain", "k: a {x} b", "5:{x}"],
    ["plain over lines", "k: a\n  b {x}\n  c", "9:{x}"],
    ["single quotes", "k: 'it''s {x}'", "10:{x}"],
    ["double quotes", String.raw`k: "\ta\u00e9\x41 \"{x}"`, "20:{x}"],
    ["double quotes, folded", 'k: "a \\\n  b {x}"', "12:{x}"],
    ["literal", "k: |\n  a\n\n    b {x}\n", "16:{x}"],
    ["folded with indicator", "k: >2-\n   a\n  {x} {x}", "14:{x}"],
    ["with CRLF", "k: |\r\n  a\r\n  {x}\r\n", "13:{x}"],
  ])("%s", (_, text, expected) => expect(source(text, "{x}")).toBe(expected));

  test("a surrogate pair before it counts as two", () => {
    expect(source('k: "\\U0001F600 {x}"', "{x}")).toBe("15:{x}");
    expect(source("k: 😀 {x}", "{x}")).toBe("6:{x}");
  });

  test("an escaped brace is part of the reference", () => {
    expect(source(String.raw`k: "\x7bx}"`, "{x}")).toBe(String.raw`4:\x7bx}`);
  });

  test("the second occurrence is the second", () => {
    expect(source("k: >\n  {x}\n  {x}", "{x}", 1)).toBe("13:{x}");
  });
});

test("parts in any order give the same ranges", () => {
  const text = "k: |\n  {a} {b}\n  {c}\n";
  const scalar = scalarOf(text);
  const ranges = new ScalarRanges(text);
  const find = (part: string) => {
    const at = String(scalar.value).indexOf(part);
    const { start, end } = ranges.within(scalar, at, at + 3);
    return text.slice(start, end);
  };
  expect([find("{a}"), find("{c}"), find("{b}"), find("{c}")]).toEqual(["{a}", "{c}", "{b}", "{c}"]);
});
