import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NodeBench, type Performing, reference, text } from "../../test/support/node-bench.ts";
import type { CodeNode, ToolArguments } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import { createCodePerformer } from "./code.ts";

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

afterEach(() => bench.close());

const nodeOf = (body: string, node: Partial<CodeNode> = {}): CodeNode => ({
  id: "c",
  type: "code",
  language: "js",
  body,
  ...node,
});

function code(body: string, node: Partial<CodeNode> = {}, performing: Performing = {}): Promise<NodeResult> {
  return bench.perform(createCodePerformer(bench.redactor), nodeOf(body, node), performing);
}

function missing(body: string, node: Partial<CodeNode> = {}): string | null {
  const one = nodeOf(body, node);
  return createCodePerformer(bench.redactor).missing(one, bench.can, bench.context(one).blueprint);
}

const given = (name: string): ToolArguments => ({ [name]: { kind: "template", template: reference("a") } });

describe("values", () => {
  test("what it returns is its value and what it says; what it prints is beside it", async () => {
    const result = await code("console.log('seen'); console.error('why'); return { n: 1, list: ['a'] };");
    expect(result).toMatchObject({ outcome: "success", exit: 0, value: { n: 1, list: ["a"] } });
    expect(result.output).toEqual({ text: '{"n":1,"list":["a"]}', bytes: 20 });
    expect(result.stdout?.text).toBe("seen\n");
    expect(result.stderr?.text).toBe("why\n");
    expect(await code("return 'text'")).toMatchObject({ value: "text", output: { text: "text" } });
    expect(await code("await null")).toMatchObject({ outcome: "success", value: null, output: { text: "" } });
  });

  test("values come in with their types, as data", async () => {
    const results = new Map([["a", { outcome: "success", value: { deep: [1, "`${process.exit(9)}`"] } } as const]]);
    const args: ToolArguments = {
      ...given("plan"),
      word: { kind: "template", template: text("x") },
      n: { kind: "literal", value: 2 },
    };
    expect((await code("return [plan.deep[1], word + n]", { with: args }, { results })).value).toEqual([
      "`${process.exit(9)}`",
      "x2",
    ]);
  });

  test("modules of the workspace and of Node are at hand", async () => {
    mkdirSync(path.join(bench.folder, "node_modules/own"), { recursive: true });
    writeFileSync(path.join(bench.folder, "node_modules/own/index.js"), "module.exports = 42;");
    const body = "const { basename } = await import('node:path'); return [require('own'), basename(process.cwd())];";
    expect((await code(body)).value).toEqual([42, path.basename(bench.folder)]);
  });

  test("what is no JSON, too large, or does not fit the schema is a failure", async () => {
    const invalid = { outcome: "failure", reason: { code: "output_invalid" } };
    expect(await code("return () => 1")).toMatchObject(invalid);
    expect(await code("return 'x'.repeat(600000)")).toMatchObject(invalid);
    const output = { as: "schema", schema: { type: "object", required: ["a"] } } as const;
    expect(await code("return { b: 1 }", { output })).toMatchObject(invalid);
    expect(await code("return { a: 1 }", { output })).toMatchObject({ outcome: "success", value: { a: 1 } });
    const circular = await code("const a = {}; a.a = a; return a;");
    expect(circular).toMatchObject({ outcome: "failure", reason: { text: expect.stringContaining("circular") } });
  });

  test.each([
    ["[1, NaN]", "NaN (1)"],
    ["{ sum: 1 / 0 }", "Infinity (sum)"],
    ["-1 / 0", "-Infinity (value)"],
  ])("a number that JSON would lose is a failure that names it: %s", async (returned, named) => {
    const text = `TypeError: what was returned holds ${named}, and JSON has no such number`;
    expect(await code(`return ${returned}`)).toMatchObject({ outcome: "failure", reason: { text } });
  });

  test("a secret in what it returns is masked", async () => {
    bench.redactor.add("canary-7f3a");
    expect((await code("return { token: 'canary-7f3a' }")).value).toEqual({ token: "***" });
  });
});

describe("outcome", () => {
  test("fail() is a failure in its own words", async () => {
    expect(await code("fail('three are missing')")).toMatchObject({
      outcome: "failure",
      reason: { code: "exit", text: "three are missing" },
    });
  });

  test("a throw is a failure that shows where", async () => {
    const result = await code("\nnull.x;");
    expect(result).toMatchObject({
      outcome: "failure",
      reason: { code: "exit", text: expect.stringMatching(/^TypeError: Cannot read/) },
    });
    expect(result.output?.text).toMatch(/:3:6/);
  });

  test("another end is what it is", async () => {
    expect(await code("process.exit(7)")).toMatchObject({
      outcome: "failure",
      exit: 7,
      reason: { text: "exit code 7" },
    });
    expect(
      await code("process.kill(process.pid, 'SIGKILL'); await new Promise(() => setInterval(() => 0, 1e3))"),
    ).toMatchObject({
      outcome: "failure",
      signal: "SIGKILL",
    });
    expect(await code("await new Promise((go) => setTimeout(go, 1e5))", {}, { timeoutMs: 300 })).toMatchObject({
      reason: { code: "timeout" },
    });
  });

  test("what it leaves open does not hold the node", async () => {
    expect(await code("setInterval(() => 0, 1000); return 1")).toMatchObject({ outcome: "success", value: 1 });
  });
});

describe("before the run", () => {
  test("mistakes are found", () => {
    expect(missing("return 1")).toBeNull();
    expect(missing("return await (async () => { for await (const x of []) x; })()")).toBeNull();
    expect(missing("const = 1")).toBe("body: Unexpected token '='");
    expect(missing("return 1", { with: given("my-name") })).toBe("with: my-name cannot be the name of a variable");
    expect(missing("return 1", { with: given("await") })).toBe("with: await cannot be the name of a variable");
    expect(missing("return 1", { with: given("fail") })).toBe("with: fail is handed in already; use another name");
  });
});

describe("TypeScript", () => {
  test("types are taken out; nothing is said about it", async () => {
    const result = await code("const n: number = 1; return n satisfies number as unknown;", { language: "ts" });
    expect(result).toMatchObject({ outcome: "success", value: 1 });
    expect(result.stderr?.text).toBe("");
  });

  test("a mistake is an error before any effect", async () => {
    expect(await code("const n: = 1;", { language: "ts" })).toMatchObject({
      outcome: "error",
      beforeEffect: true,
      reason: { code: "could_not_start", text: expect.stringMatching(/^body: /) },
    });
  });
});

test("a limit on memory is one on its heap", async () => {
  const eat = "const kept = []; for (;;) kept.push(Array(1e5).fill(0).map((_, i) => ({ i })));";
  expect((await code(eat, {}, { limits: { memoryBytes: 64 * 1024 * 1024 } })).outcome).toBe("failure");
});

test("nothing of it stays on disk, and while it runs it is for its owner only", async () => {
  const { value } = await code("return [process.argv.slice(1), require('fs').statSync(process.argv[1]).mode & 0o077]");
  expect(value).toEqual([expect.any(Array), 0]);
  const files = (value as readonly [readonly string[], number])[0];
  expect(files.map((file) => existsSync(file))).toEqual([false, false, false, false]);
});
