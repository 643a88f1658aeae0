import { expect, test } from "vitest";
import type { OutputSpec } from "../model/type-spec.ts";
import type { Json } from "../model/json.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { NodeResult } from "../model/outcome.ts";
import { parseTemplate } from "../language/template.ts";
import { parseType } from "../language/types.ts";
import { declaredOutputs, heldToOutputs, isPromised, unfitFromStart } from "./outputs.ts";

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

// Nothing here is kept beside the journal.
const noBlobs = {} as BlobStore;

const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

function held(type: string | typeof schema, from: string, result: NodeResult, expect?: "failure"): Promise<NodeResult> {
  const spec =
    typeof type === "string" ? (parseType(type) ?? { kind: "json" }) : ({ kind: "schema", schema: type } as const);
  const blueprint = { outputs: { out: { type: spec, from: parseTemplate(from) } } };
  const facts = { task: "t", inputs: { mode: "x" }, blueprint };
  return heldToOutputs({ node: { id: "a", ...(expect && { expect }) }, facts, blobs: noBlobs }, result);
}

const success = (value: Json): NodeResult => ({ outcome: "success", output: { text: "said", bytes: 4 }, value });

test.each<[string | typeof schema, string, Json, string]>([
  ["number", "{a}", "12", 'is declared `number`, and {a} is "12"'],
  ["integer", "{a.n}", { n: 1.5 }, "is declared `integer`, and {a.n} is 1.5"],
  ["integer", "{a.n}", { m: 1 }, "is declared `integer`, and {a.n} is not there"],
  ["list<integer>", "{a}", [1, "2"], 'is declared `list<integer>`, and {a} is [1,"2"]'],
  ["duration", "{a}", "abc", 'is declared `duration`, and {a} is "abc"'],
  ["list<duration>", "{a}", ["5m", "5"], 'is declared `list<duration>`, and {a} is ["5m","5"]'],
  ["enum[x, y]", "{a}", "z", 'is declared `enum[x, y]`, and {a} is "z"'],
  ["enum[v-x, v-y]", "v-{a}", "z", 'is declared `enum[v-x, v-y]`, and v-{a} is "v-said"'],
  ["enum[x-1]", "{inputs.mode}-{a.n}", { n: 2 }, "is declared `enum[x-1]`, which {inputs.mode}-{a.n} does not fit"],
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
  ["duration", "{a}", success("1.5h")],
  ["string", "{a}", success({ any: 1 })],
  ["enum[x, y]", "{a}", { outcome: "success", output: { text: "y\n", bytes: 2 } }],
  ["enum[v-y]", "v-{a}", { outcome: "success", output: { text: "y\n", bytes: 2 } }],
  ["enum[x-1]", "{inputs.mode}-{a.n}", success({ n: 1 })],
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

test("a node promises what is made of its values alone", () => {
  const of = (from: string, kind: "path" | "string" = "path"): boolean =>
    isPromised({ id: "a" }, { outputs: { out: { type: { kind }, from: parseTemplate(from) } } });
  expect(of("{a}", "string")).toBe(false);
  expect(
    ["{a}", "{a.x.y}", "v{a}", "{a.x}{a.y}{task}", "{a}{b}", "{b}", "{inputs.a}", "a"].map((from) => of(from)),
  ).toEqual([true, true, true, true, false, false, false, false]);
});

test.each<[string, string, readonly string[]]>([
  ["enum[x, y]", "{inputs.mode}", []],
  ["enum[y, z]", "{inputs.mode}", ["outputs.out is declared `enum[y, z]`, which {inputs.mode} does not fit"]],
  ["enum[y, z]", "{task}", ["outputs.out is declared `enum[y, z]`, which {task} does not fit"]],
  ["enum[y, z]", "w", ['outputs.out is declared `enum[y, z]`, and w is "w"']],
  ["integer", "{inputs.gone}", ["outputs.out is declared `integer`, and {inputs.gone} is not there"]],
  ["enum[y, z]", "{a}", []],
])(
  "what is declared %s from %s, if no node has a part in it, is held to it before the run",
  async (type, from, told) => {
    const outputs = { out: { type: parseType(type) ?? ({ kind: "json" } as const), from: parseTemplate(from) } };
    expect(await unfitFromStart({ outputs }, { task: "t", inputs: { mode: "x" } }, noBlobs)).toEqual(told);
  },
);

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
