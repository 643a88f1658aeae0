import { describe, expect, test } from "vitest";
import { limits } from "../model/limits.ts";
import { check } from "./check.ts";

const codesOf = (text: string): readonly string[] => [...new Set(check(text).diagnostics.map(({ code }) => code))];
const script = "{type: script, run: npm test}";

describe("what a document may cost is bounded", () => {
  test("more characters than a document may have", () => {
    expect(codesOf(`name: ${"a".repeat(limits.documentBytes)}`)).toEqual(["document-too-large"]);
  });

  test.each([
    ["line breaks", "\n"],
    ["quotes", '"'],
    ["anchors", "&a "],
    ["documents", "---\n"],
    ["keys", "a: 1\n"],
  ])("more tokens than a document may have: %s", (_, piece) => {
    const text = piece.repeat(Math.floor((limits.documentBytes - 10) / piece.length));
    expect(codesOf(text)).toEqual(["document-too-large"]);
  });

  test.each(["[", "{", "- ", "? ", "a: {", "[{"])(
    "deep nesting of %j is refused where it becomes too deep",
    (piece) => {
      const { diagnostics, blueprint } = check(piece.repeat(100_000));
      expect(diagnostics).toMatchObject([{ code: "nesting-too-deep" }]);
      expect(diagnostics[0]?.range.start).toBeLessThan(2 * limits.documentDepth * piece.length);
      expect(blueprint).toBeNull();
    },
  );

  test.each([
    ["no escapes", 'name: "', "\\q", '"'],
    ["texts beside each other", "", '"a" ', ""],
    ["lists that end too late", "", "[a b, c]\n", ""],
    ["ends of documents", "", "...\n", ""],
  ])("of very many faults of syntax those that can be shown are found: %s", (_, before, piece, after) => {
    const text = before + piece.repeat(100_000) + after;
    const { diagnostics, blueprint } = check(text);
    expect(diagnostics.length).toBeLessThanOrEqual(limits.diagnosticsPerFile);
    expect(diagnostics.every(({ severity }) => severity !== "warning")).toBe(true);
    expect(blueprint).toBeNull();
  });

  test("one text that is longer than any may be", () => {
    const text = `name: t\nnote: "${"a".repeat(limits.documentTextCharacters)}"\n`;
    expect(check(text).diagnostics).toMatchObject([{ code: "document-too-large", range: { start: 14 } }]);
  });

  test("more references than a document may have, in one text or in many", () => {
    const node = (prompt: string): string => `{type: agent, prompt: "${prompt}"}`;
    const one = `name: t\nnodes: {a: ${node("{task}".repeat(limits.referencesPerDocument))}}\n`;
    const third = "{task}".repeat(limits.referencesPerDocument / 2);
    const many = `name: t\nentry: a\nnodes: {a: ${node(third)}, b: ${node(third)}, c: ${node(third)}}\n`;
    for (const text of [one, many]) expect(codesOf(text)).toContain("invalid-value");
    expect(codesOf(one.replace("{task}", ""))).toEqual([]);
  });

  test("nesting up to the limit is read", () => {
    const depth = limits.documentDepth - 2;
    expect(codesOf(`name: ${"[".repeat(depth)}${"]".repeat(depth)}`)).not.toContain("nesting-too-deep");
  });

  test("a flow or a list that stands for too many edges", () => {
    const many = (name: string): string => Array.from({ length: 1000 }, (_, index) => `${name}${index}`).join(" & ");
    const names = ["a", "b"].flatMap((name) =>
      Array.from({ length: 1000 }, (_, index) => `  ${name}${index}: ${script}`),
    );
    const flow = `name: t\nflow: s -> (${many("a")}) -> (${many("b")})\nnodes:\n  s: ${script}\n${names.join("\n")}\n`;
    expect(codesOf(flow)).toContain("invalid-value");
    const list = `[${"a,".repeat(1000)}]`;
    expect(codesOf(`name: t\nnodes: {a: ${script}}\nentry: a\nedges: [{from: ${list}, to: ${list}}]`)).toContain(
      "invalid-value",
    );
  });
});

test("of very many problems the first are shown, errors first, and how many are left out", () => {
  const nodes = Array.from({ length: 500 }, (_, index) => `  n${index}: {type: script, rn: x}`).join("\n");
  const { diagnostics } = check(`name: t\nentry: n0\nnodes:\n${nodes}\n`);
  expect(diagnostics).toHaveLength(limits.diagnosticsPerFile);
  expect(diagnostics.at(-1)).toMatchObject({ code: "too-many-problems", severity: "note" });
  expect(diagnostics.slice(0, -1).every(({ severity }) => severity === "error")).toBe(true);
  expect(diagnostics.at(-1)?.message).toMatch(/^\d+ more problems are not shown$/);
});

test("loops nested deeper than can be followed are refused at a node of the nest", () => {
  const size = limits.loopNestingLevels + 20;
  const names = Array.from({ length: size }, (_, index) => `n${String(index).padStart(4, "0")}`);
  const nodes = names.map((name) => `  ${name}: ${script}`).join("\n");
  const onward = names.slice(1).map((name, index) => `  - {from: ${names[index]}, when: success, to: ${name}}`);
  const last = names.at(-1);
  const back = names.slice(0, -1).map((name) => `  - {from: ${last}, when: failure, to: ${name}}`);
  const text = `name: t\nentry: ${names[0]}\nnodes:\n${nodes}\nedges:\n${[...onward, ...back].join("\n")}\n`;
  const nest = check(text).diagnostics.filter(({ code }) => code === "loops-too-deep");
  expect(nest).toHaveLength(1);
  expect(check(text).blueprint).toBeNull();
});
