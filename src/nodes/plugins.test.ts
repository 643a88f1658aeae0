import { afterEach, beforeEach, expect, test } from "vitest";
import { blueprintOf, NodeBench } from "../../test/support/node-bench.ts";
import type { OutputFormat } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { NodePlugin } from "../ports/plugin.ts";
import { pluginPerformer } from "./plugins.ts";

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

afterEach(() => bench.close());

const oneOf: OutputFormat = {
  as: "schema",
  schema: { type: "object", properties: { x: { enum: ["a", "b"] } }, required: ["x"] },
};

function performed(result: NodeResult, output?: OutputFormat): Promise<NodeResult> {
  return answered(() => Promise.resolve(result), output);
}

function answered(perform: NodePlugin["perform"], output?: OutputFormat): Promise<NodeResult> {
  const type = { type: "say", class: "deterministic", fields: {}, perform } as const;
  const node = {
    id: "a",
    type: "plugin",
    plugin: "say",
    fields: {},
    ...(output === undefined ? {} : { output }),
  } as const;
  return bench.perform(pluginPerformer(new Map([["say", type]]), bench.redactor), node);
}

const said = (text: string): NodeResult => ({ outcome: "success", output: { text, bytes: text.length } });

test("what a plug-in says is read as `output` says, and what does not fit is a failure", async () => {
  expect(await performed(said("free text"))).toEqual(said("free text"));
  expect(await performed(said('{"x": "a"}'), oneOf)).toMatchObject({ outcome: "success", value: { x: "a" } });
  const unfit = { outcome: "failure", reason: { code: "output_invalid" } };
  expect(await performed(said('{"x": "c"}'), oneOf)).toMatchObject(unfit);
  const value = await performed({ outcome: "success", value: { x: "c" } }, oneOf);
  expect(value).toMatchObject(unfit);
  expect(value.value).toBeUndefined();
  const port = await performed({ outcome: "success", value: { x: "a" }, ports: { x: "c", y: 1 } }, oneOf);
  expect(port).toMatchObject({ ...unfit, ports: { y: 1 } });
});

test("what is no result is an error that says where, and nothing of it is kept", async () => {
  const answers: readonly (readonly [unknown, string])[] = [
    [undefined, "it is not"],
    [{ outcome: "sucess" }, "`outcome`"],
    [{ outcome: "success", output: null }, "`output`"],
    [{ outcome: "success", output: "text" }, "`output`"],
    [{ outcome: "success", output: { text: 5, bytes: 1 } }, "`output.text`"],
    [{ outcome: "success", output: { text: "", bytes: 1, blob: "../../x" } }, "`output.blob`"],
    [{ outcome: "failure", reason: "because" }, "`reason`"],
    [{ outcome: "failure", reason: { code: "exit", text: {} } }, "`reason.text`"],
    [{ outcome: "success", ports: [1, 2] }, "`ports`"],
    [{ outcome: "success", usage: { inputTokens: Number.NaN, outputTokens: 0, turns: 0 } }, "`usage.inputTokens`"],
    [{ outcome: "success", usage: { inputTokens: 0, outputTokens: -5, turns: 0 } }, "`usage.outputTokens`"],
    [{ outcome: "success", ports: { n: 10n } }, "JSON"],
    [{ outcome: "success", option: 5 }, "`option`"],
  ];
  for (const [answer, where] of answers) {
    // It comes from code that no compiler has seen.
    const result = await performed(answer as NodeResult);
    expect(Object.keys(result)).toEqual(["outcome", "reason"]);
    expect(result).toMatchObject({ outcome: "error", reason: { code: "internal" } });
    expect(result.reason?.text).toContain("node type say");
    expect(result.reason?.text).toContain(where);
  }
});

test("a value that JSON would change or leave out is named, and nothing of the result is kept", async () => {
  const around: Record<string, unknown> = {};
  around["back"] = around;
  const deep = Array.from({ length: 200 }).reduce((inner: unknown) => [inner], 1);
  const lost: readonly (readonly [unknown, string])[] = [
    [Number.NaN, "` is NaN"],
    [Number.NEGATIVE_INFINITY, "` is -Infinity"],
    [10n, "` is a bigint"],
    [undefined, "` is undefined"],
    [Symbol("x"), "` is a symbol"],
    [() => 1, "` is a function"],
    [new Date(0), "` is a Date"],
    [new Map([["a", 1]]), "` is a Map"],
    [Buffer.from("x"), "` is a Buffer"],
    [around, ".back` leads back to what it is in"],
    [deep, "nested deeper than"],
    [{ list: [1, { deep: Number.NaN }] }, ".list.1.deep` is NaN"],
    [Array.from({ length: 1 }), ".0` is undefined"],
    [{ __proto__: null, a: { toJSON: () => 1 } }, ".a.toJSON` is a function"],
  ];
  for (const [value, where] of lost)
    for (const [result, path] of [
      [{ outcome: "success", ports: { n: value } }, "`ports.n"],
      [{ outcome: "success", value: [value] }, "`value.0"],
    ] as const) {
      // It comes from code that no compiler has seen.
      const refused = await performed(result as NodeResult);
      expect(refused).toMatchObject({ outcome: "error", reason: { code: "internal" } });
      expect(refused.reason?.text).toContain(`what cannot be written as JSON: ${path}`);
      expect(refused.reason?.text).toContain(where);
    }
});

test("names that every object has are names of values and ports like any other", async () => {
  const json = '{"__proto__": {"__proto__": 1}, "constructor": 2, "toString": null}';
  const result: NodeResult = { outcome: "success", value: JSON.parse(json), ports: JSON.parse(json) };
  const { value, ports } = await performed(result);
  expect([JSON.stringify(value), JSON.stringify(ports)]).toEqual(Array(2).fill(JSON.stringify(JSON.parse(json))));
});

test("of a result only what a plug-in may say is kept, and its reason is one line", async () => {
  const halt = { cause: "limit", node: "x", reason: { code: "limit", text: "" } } as const;
  const result = await performed({ outcome: "failure", reason: { code: "exit", text: "no\n  idea\n" }, exit: 3, halt });
  expect(result).toEqual({ outcome: "failure", reason: { code: "exit", text: "no idea" }, exit: 3 });
});

test("no secret is in what a plug-in answers, throws or tells", async () => {
  const secret = "hunter2hunter2";
  bench.redactor.add(secret);
  const text = { text: `of ${secret}`, bytes: 17 };
  const result = await performed({
    outcome: "failure",
    reason: { code: "exit", text: `not ${secret}` },
    output: text,
    stdout: text,
    stderr: text,
    signal: secret,
    value: { [secret]: [secret] },
    ports: { [secret]: secret },
    option: secret,
    agent: { provider: secret, model: secret },
    exit: 3,
  });
  expect(JSON.stringify(result)).not.toContain(secret);
  expect(result).toMatchObject({ reason: { code: "exit", text: "not ***" }, output: { text: "of ***" }, exit: 3 });
  const thrown = await answered(() => {
    throw new Error(`cannot reach https://${secret}@host`);
  });
  expect(thrown).toMatchObject({ outcome: "error", reason: { text: expect.stringContaining("https://***@host") } });
});

test("whatever a plug-in throws is an error of its node", async () => {
  const mute = {
    toString() {
      throw new Error("mute");
    },
  };
  for (const thrown of [mute, undefined, Object.create(null), "x"]) {
    const result = await answered(() => Promise.reject(thrown));
    expect(result).toMatchObject({ outcome: "error", reason: { code: "internal" } });
    const type: NodePlugin = {
      type: "say",
      class: "deterministic",
      fields: {},
      perform: () => Promise.resolve({ outcome: "success" }),
      missing() {
        throw thrown;
      },
    };
    const performer = pluginPerformer(new Map([["say", type]]), bench.redactor);
    const node = { id: "a", type: "plugin", plugin: "say", fields: {} } as const;
    expect(performer.missing(node, bench.can, blueprintOf(node))).toContain("`missing` of the node type say threw");
  }
});
