import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { canonical } from "../../src/language/canonical.ts";
import { print } from "../../src/language/print.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import { argumentsOf } from "../../src/nodes/arguments.ts";
import type { Values } from "../../src/ports/performer.ts";

/** What an object answers to though nobody gave it: a record that is written or asked carelessly mistakes it. */
const inherited = Object.getOwnPropertyNames(Object.prototype);
const names = fc.oneof(fc.constantFrom(...inherited), fc.stringMatching(/^odd_[a-z0-9_]{0,8}$/));

/** Of a field of a schema: there one name is refused. */
const fieldOf = (name: string): string => (name === "__proto__" ? "field" : name);

/** Everywhere that an author chooses a name, it is this one. */
function document(name: string, field = fieldOf(name)): string {
  return `name: odd
inputs: {${name}: {type: {${field}: string}}}
outputs: {${name}: {type: json, from: "{script.${field}}"}}
nodes:
  script: {type: script, run: x, env: {${name}: "{inputs.${name}}"}, output: {${field}: string, "other?": {${field}: integer}}}
  ask: {type: human, mode: form, prompt: x, fields: {${name}: string}}
  code: {type: code, language: js, body: x, with: {${name}: {${name}: "{script.${field}}"}}}
  call: {type: call, blueprint: ${name}, with: {${name}: {${name}: "{script.${field}}"}}}
  outside: {type: outside, ${name}: {${name}: "{script.${field}}"}}
flow: script -> ask -> code -> call -> outside
`;
}

function read(text: string, name: string): Blueprint {
  const field = { type: { kind: "json" }, required: true, references: true, description: "x" } as const;
  const fields = Object.fromEntries([[name, field]]);
  const { blueprint, diagnostics } = check(text, { plugins: [{ type: "outside", class: "deterministic", fields }] });
  if (blueprint === null) throw new Error(`${diagnostics.map(({ message }) => message).join("\n")}\n${text}`);
  return blueprint;
}

/** How often it is an own name inside a value. */
function count(value: unknown, name: string): number {
  if (typeof value !== "object" || value === null) return 0;
  const members = value instanceof Map ? [...value] : Object.entries(value);
  return members.reduce((sum, [key, member]) => sum + Number(key === name) + count(member, name), 0);
}

const plain: Pick<Values, "value"> = { value: ({ source }) => Promise.resolve(source) };

test("a name that every object has is one like any other, wherever an author chooses names", async () => {
  const times = (field: string) => count(read(document("ordinary", field), "ordinary"), "ordinary");
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      const blueprint = read(document(name), name);
      expect(count(blueprint, name)).toBe(times(name === "__proto__" ? "field" : "ordinary"));
      expect(canonical(read(print(blueprint), name))).toBe(canonical(blueprint));
      const node = blueprint.nodes.get("code");
      if (node?.type !== "code") throw new Error("there is no code");
      const filled = await argumentsOf(node.with ?? {}, plain as Values);
      expect(JSON.stringify(filled)).toBe(
        `{"${name}":{"${name}":"{script.${name === "__proto__" ? "field" : name}}"}}`,
      );
    }),
    { numRuns: 60 },
  );
});

test.each([
  ["a short schema", "{__proto__: string}"],
  ["an optional field", '{"__proto__?": string}'],
  ["a schema inside", "{a: {__proto__: string}}"],
  ["a JSON Schema", "{properties: {__proto__: {type: string}}}"],
  ["a definition", "{$defs: {a: {properties: {__proto__: {}}}}, properties: {}}"],
])("a field that no validator looks at is refused where it stands, not passed over: %s", (_, schema) => {
  const text = `name: odd\nnodes:\n  a: {type: script, run: x, output: ${schema}}\n`;
  const { diagnostics } = check(text);
  const told = diagnostics.map(({ code, range }) => [code, text.slice(range.start, range.end).replace(/\W/g, "")]);
  expect(told).toEqual([["invalid-schema", "__proto__"]]);
});
