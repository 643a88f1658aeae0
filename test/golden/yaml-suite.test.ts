import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { codes, isCode } from "../../src/language/codes.ts";

type Case = readonly [id: string, refused: boolean, yaml: string];

const file = join(import.meta.dirname, "../fixtures/yaml-test-suite/cases.jsonl");
const cases = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

/** Problems of the text, found before any field is looked at. */
const ofTheText = new Set(["syntax", "empty-document", "multiple-documents", "duplicate-key", "unknown-tag"]);

/** A version directive with a word too many: the suite lets it pass, the parser does not, and nobody writes it. */
const stricter = new Set(["ZYU8/02"]);

test("the whole suite is here", () => {
  expect(cases).toHaveLength(406);
  expect(cases.filter(([, refused]) => refused)).toHaveLength(94);
});

describe("as a document", () => {
  test.each(cases.filter(([, refused]) => refused))("%s is refused with a position", (_, __, yaml) => {
    const { diagnostics } = check(yaml);
    const errors = diagnostics.filter(({ severity, code }) => severity === "error" && ofTheText.has(code));
    expect(errors.length).toBeGreaterThan(0);
    expectInside(diagnostics, yaml);
  });

  test.each(cases.filter(([id, refused]) => !refused && !stricter.has(id)))(
    "%s is read: it is no blueprint, but good YAML",
    (_, __, yaml) => {
      const { diagnostics, blueprint } = check(yaml);
      expect(blueprint).toBeNull();
      expect(diagnostics.filter(({ code }) => code === "syntax")).toEqual([]);
      expectInside(diagnostics, yaml);
    },
  );
});

test("as the prompt of an agent, every case is text", () => {
  for (const [id, , yaml] of cases) {
    const text = `name: example\nentry: a\nnodes:\n  a: {type: agent, prompt: ${JSON.stringify(`x ${yaml}`)}}\n`;
    const { diagnostics, blueprint } = check(text);
    const unexpected = diagnostics.filter(({ code }) => code !== "unknown-reference" && code !== "near-reference");
    expect([id, unexpected]).toEqual([id, []]);
    const node = blueprint?.nodes.get("a");
    expect([undefined, `x ${yaml}`]).toContain(node?.type === "agent" ? node.prompt.source : undefined);
    expectInside(diagnostics, text);
  }
});

function expectInside(diagnostics: ReturnType<typeof check>["diagnostics"], text: string): void {
  for (const { range, code, severity } of diagnostics) {
    expect(isCode(code) && codes[code].severity).toBe(severity);
    expect(range.start).toBeGreaterThanOrEqual(0);
    expect(range.end).toBeGreaterThanOrEqual(range.start);
    expect(range.end).toBeLessThanOrEqual(text.length);
  }
}
