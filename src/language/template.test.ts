import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTemplate, references, soleReference } from "./template.ts";

function written(text: string, ...nodes: readonly string[]): readonly string[] {
  return references(parseTemplate(text, (name) => nodes.includes(name))).map((ref) => text.slice(ref.start, ref.end));
}

function literal(text: string): string {
  return parseTemplate(text)
    .parts.map((part) => ("text" in part ? part.text : "<ref>"))
    .join("");
}

describe("what is a reference", () => {
  test.each([
    ["{task}", ["{task}"]],
    ["a {b} c {inputs.d} {e.stdout.0.f}", ["{b}", "{inputs.d}", "{e.stdout.0.f}"]],
    ['{ "k": 1 }{task}', ["{task}"]],
    ["awk '{print $2}' ${SHELL} ${task} {a,b} {} { task } {a b}", []],
    ["[0-9]{3} {1.5}", []],
    ["{test#2} {a.}", ["{test#2}"]],
    ["{{task} {{{task}}}", []],
  ])("%s", (text, expected) => {
    expect(written(text)).toEqual(expected);
  });

  test("a name that starts with a digit counts where there is such a node", () => {
    expect(written("{010} {3}", "010")).toEqual(["{010}"]);
  });
});

test("two braces before a name print one, every other pair stays", () => {
  expect(literal("{{task} {{ {{}} {{a b}")).toBe("{task} {{ {{}} {{a b}");
});

test("inputs, task and nodes are told apart, with the path", () => {
  expect(references(parseTemplate("{inputs.a.b} {x.y.0}"))).toMatchObject([
    { source: "inputs", name: "a", path: ["b"] },
    { source: "node", name: "x", path: ["y", "0"] },
  ]);
});

test("only a template that is one reference keeps the type of its value", () => {
  expect(soleReference(parseTemplate("{a.b}"))).toMatchObject({ name: "a" });
  expect(soleReference(parseTemplate(" {a}"))).toBeUndefined();
  expect(soleReference(parseTemplate("a"))).toBeUndefined();
});

test("parts put together are the text, whatever it is", () => {
  const text = fc.string({ unit: fc.constantFrom("{", "}", "$", "a", "task", ".", "1", " ", "é", "😀") });
  fc.assert(
    fc.property(text, (source) => {
      const parts = parseTemplate(source).parts.map((part) =>
        "text" in part ? part.text : source.slice(part.ref.start, part.ref.end),
      );
      const unescaped = source.replaceAll(/(?<!\$)\{(?=\{[A-Za-z][\w-]*(?:\.[\w-]+)*\})/g, "");
      expect(parts.join("").replaceAll("{", "").length).toBe(unescaped.replaceAll("{", "").length);
      expect(parts.length).toBeGreaterThan(0);
    }),
  );
});
