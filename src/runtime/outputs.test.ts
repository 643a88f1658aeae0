import { expect, test } from "vitest";
import type { OutputSpec } from "../model/type-spec.ts";
import type { Json } from "../model/json.ts";
import type { NodeResult } from "../model/outcome.ts";
import { parseTemplate } from "../language/template.ts";
import { parseType } from "../language/types.ts";
import { declaredOutputs, heldToOutputs, isPromised } from "./outputs.ts";

const from = { source: "{a}", parts: [] };

function outputs(...kinds: readonly ("string" | "json" | "integer")[]): Readonly<Record<string, OutputSpec>> {
  return Object.fromEntries(kinds.map((kind) => [kind, { type: { kind }, from }]));
}

test("an output that does not exist is empty text or null", async () => {
  const missing = await declaredOutputs({ outputs: outputs("string", "json") }, { value: async () => null });
  expect(missing).toEqual({ string: "", json: null });
});

test("an output that exists stays what it is, and no outputs are none", async () => {
  expect(await declaredOutputs({ outputs: outputs("integer") }, { value: async () => 0 })).toEqual({ integer: 0 });
  expect(await declaredOutputs({ outputs: {} }, { value: async () => 0 })).toBeUndefined();
});

const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

function held(type: string | typeof schema, from: string, result: NodeResult, expect?: "failure"): Promise<NodeResult> {
  const spec =
    typeof type === "string" ? (parseType(type) ?? { kind: "json" }) : ({ kind: "schema", schema: type } as const);
  const blueprint = { outputs: { out: { type: spec, from: parseTemplate(from) } } };
  const context = {
    node: { id: "a", type: "script", run: "", ...(expect && { expect }) },
    blueprint,
    can: { blobs: {} },
  };
  // Only what is looked at.
  return heldToOutputs(context as unknown as Parameters<typeof heldToOutputs>[0], result);
}

const success = (value: Json): NodeResult => ({ outcome: "success", output: { text: "said", bytes: 4 }, value });

test.each<[string | typeof schema, string, Json, string]>([
  ["number", "{a}", "12", 'is declared `number`, and {a} is "12"'],
  ["integer", "{a.n}", { n: 1.5 }, "is declared `integer`, and {a.n} is 1.5"],
  ["integer", "{a.n}", { m: 1 }, "is declared `integer`, and {a.n} is not there"],
  ["list<integer>", "{a}", [1, "2"], 'is declared `list<integer>`, and {a} is [1,"2"]'],
  ["enum[x, y]", "{a}", "z", 'is declared `enum[x, y]`, and {a} is "z"'],
  [schema, "{a}", { ok: "yes" }, "has a schema that {a} does not fit: ok must be boolean"],
])("a success is held to the output that is declared %j from %s", async (type, from, value, problem) => {
  expect(await held(type, from, success(value))).toEqual({
    outcome: "failure",
    reason: { code: "output_invalid", text: `outputs.out ${problem}` },
    output: { text: "said", bytes: 4 },
  });
});

test.each<[string | typeof schema, string, NodeResult]>([
  ["number", "{a.n}", success({ n: 1.5 })],
  ["string", "{a}", success({ any: 1 })],
  ["enum[x, y]", "{a}", { outcome: "success", output: { text: "y\n", bytes: 2 } }],
  ["json", "{a.gone}", success({})],
  [schema, "{a}", success({ ok: true })],
  ["number", "{b}", success("of another node")],
  ["number", "{a.n}", { outcome: "success" }],
  ["number", "{a}", { outcome: "failure", value: "no" }],
])("what is declared %j from %s and fits, is not said or is of another stays", async (type, from, result) => {
  expect(await held(type, from, result)).toBe(result);
});

test("a node that should fail promises nothing by its success", async () => {
  const result = success("x");
  expect(await held("number", "{a}", result, "failure")).toBe(result);
});

test("what is declared of a value around text promises nothing of the node", () => {
  const of = (from: string): boolean =>
    isPromised({ id: "a" }, { outputs: { out: { type: { kind: "string" }, from: parseTemplate(from) } } });
  expect([of("{a}"), of("{a.x.y}"), of("v{a}"), of("{b}"), of("{inputs.a}")]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("an output of text is what its value says, and a word ends before its line break", async () => {
  const of = (type: string, value: Json): Promise<unknown> =>
    declaredOutputs(
      { outputs: { out: { type: parseType(type) ?? { kind: "json" }, from } } },
      { value: async () => value },
    );
  expect(await of("string", { a: 1 })).toEqual({ out: '{"a":1}' });
  expect(await of("string", "a\n")).toEqual({ out: "a\n" });
  expect(await of("enum[a, b]", "a\n")).toEqual({ out: "a" });
});
