import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../check/check.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { canonical } from "./canonical.ts";
import { print } from "./print.ts";

function read(text: string): Blueprint {
  const { blueprint, diagnostics } = check(text);
  if (blueprint === null) throw new Error(`${diagnostics.map(({ message }) => message).join("\n")}\n${text}`);
  return blueprint;
}

const golden = join(import.meta.dirname, "../../test/golden");
const documents = ["ok", "err"].flatMap((kind) =>
  readdirSync(join(golden, kind))
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => [`${kind}/${file}`, readFileSync(join(golden, kind, file), "utf8")] as const),
);

describe("reading what was printed gives the same blueprint", () => {
  test.each(documents.filter(([, text]) => check(text).blueprint !== null))("%s", (_, text) => {
    const blueprint = read(text);
    const again = read(print(blueprint));
    expect(again).toEqual(blueprint);
    expect(canonical(again)).toBe(canonical(blueprint));
    expect(print(again)).toBe(print(blueprint));
  });

  test("names and texts that YAML could take for something else", () => {
    const names = fc.constantFrom("on", "no", "010", "null", "true", "-", "--", "1e3", "0x1F", "_", "y", "a-b");
    const texts = fc.string({
      minLength: 1,
      unit: fc.constantFrom(
        " ",
        "\n",
        "\t",
        ":",
        "#",
        "- ",
        "'",
        '"',
        "|",
        ">",
        "a",
        "%",
        "@",
        "&",
        "*",
        "!",
        "é",
        "😀",
        "\u0085",
        "\ufeff",
      ),
    });
    const text = texts.filter((value) => value.trim() !== "");
    fc.assert(
      fc.property(names, text, text, (name, run, value) => {
        const quoted = JSON.stringify(name);
        const document = `name: t\nentry: ${quoted}\nnodes:\n  ${quoted}: {type: script, run: ${JSON.stringify(run)}, env: {A: ${JSON.stringify(value)}}}\nedges:\n  - {from: ${quoted}, when: failure, to: ${quoted}}\n`;
        const blueprint = read(document);
        expect(read(print(blueprint))).toEqual(blueprint);
      }),
    );
  });
});

test("prints the expanded graph in the order of the document", () => {
  const text = `flow: a -> [mend] -> a
nodes:
  a: {type: script, run: npm test, timeout: 90s}
  mend: {type: agent, prompt: "Mend\\n{a}"}
name: example
limits: {time: 2h, memory: 2GiB, cost: 0.5 EUR, tokens: 500k}
`;
  expect(print(read(text))).toBe(`name: example
limits:
  time: 2h
  tokens: 500000
  cost: 0.5 EUR
  memory: 2GiB
entry: a
nodes:
  a:
    type: script
    timeout: 90s
    run: npm test
  mend:
    type: agent
    prompt: |-
      Mend
      {a}
  a#2:
    type: script
    timeout: 90s
    run: npm test
edges:
  - {from: a, when: failure, to: mend}
  - {from: mend, when: success, to: a}
  - {from: a, when: success, to: a#2}
`);
});
