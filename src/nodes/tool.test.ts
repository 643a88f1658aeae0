import { afterEach, beforeEach, expect, test } from "vitest";
import { NodeBench, type Performing, reference, text } from "../../test/support/node-bench.ts";
import type { ToolArguments, ToolNode } from "../model/node.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { ToolRegistry } from "../ports/tool.ts";
import { fileBlobs } from "../runtime/blobs/files.ts";
import { createRedactor } from "../runtime/redaction/redactor.ts";
import { createTools } from "../tools/registry.ts";
import { tool } from "./tool.ts";

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench(toolsOver);
});

afterEach(() => bench.close());

function toolsOver(folder: string): ToolRegistry {
  const commands = { greet: 'printf "hello %s" "$1"' };
  const made = createTools({ blobs: fileBlobs(folder), redactor: createRedactor(), dataFolder: folder, commands });
  if ("problems" in made) throw new Error(made.problems.join("\n"));
  return made;
}

const nodeOf = (name: string, args: ToolArguments = {}): ToolNode => ({ id: "t", type: "tool", tool: name, args });

function perform(name: string, args: ToolArguments = {}, performing: Performing = {}): Promise<NodeResult> {
  return bench.perform(tool, nodeOf(name, args), performing);
}

function missing(name: string, args: ToolArguments = {}): string | null {
  const node = nodeOf(name, args);
  return tool.missing(node, bench.can, bench.context(node).blueprint);
}

const template = (source: string): ToolArguments[string] => ({ kind: "template", template: text(source) });

test("its outcome is that of the command, never just that it was called", async () => {
  expect(await perform("run", { command: template("echo yes") })).toEqual({
    outcome: "success",
    exit: 0,
    output: { text: "yes\n", bytes: 4 },
  });
  expect(await perform("run", { command: template("exit 3") })).toMatchObject({
    outcome: "failure",
    exit: 3,
    reason: { code: "exit", text: "exit code 3" },
  });
  expect(await perform("run", { command: template("no-such-command-xyz") })).toMatchObject({
    outcome: "error",
    reason: { code: "could_not_start" },
  });
  expect(await perform("read", { path: template("gone") })).toMatchObject({
    outcome: "failure",
    reason: { code: "tool_error", text: "gone does not exist" },
  });
  expect(await perform("run", { command: template("sleep 60") }, { timeoutMs: 100 })).toMatchObject({
    outcome: "failure",
    reason: { code: "timeout" },
  });
});

test("a value of another node is data, wherever in the arguments it stands", async () => {
  const results = new Map([
    ["a", { outcome: "success", output: { text: "$(touch pwned) {task}", bytes: 21 } } as const],
  ]);
  const args: ToolArguments = { args: { kind: "list", items: [{ kind: "template", template: reference("a") }] } };
  expect((await perform("greet", args, { results })).output?.text).toBe("hello $(touch pwned) {task}");
});

test("a value that does not fit the tool's schema is an error before any effect", async () => {
  const results = new Map([["a", { outcome: "success", value: [1] } as const]]);
  const result = await perform("read", { path: { kind: "template", template: reference("a") } }, { results });
  expect(result).toEqual({
    outcome: "error",
    reason: { code: "tool_error", text: "read: path must be string" },
    beforeEffect: true,
  });
});

test("what it says is read as `output` says, and what does not parse is a failure", async () => {
  const said = (command: string): Promise<NodeResult> =>
    bench.perform(tool, { ...nodeOf("run", { command: template(command) }), output: { as: "json" } });
  expect(await said("echo '[1]'")).toMatchObject({ outcome: "success", value: [1] });
  expect(await said("echo no")).toMatchObject({ outcome: "failure", reason: { code: "output_invalid" } });
  expect(await said("echo '[1]'; exit 3")).toMatchObject({ outcome: "failure", reason: { code: "exit" } });
});

test("no value is put into a command, though the checker was silenced", () => {
  const command: ToolArguments[string] = { kind: "template", template: reference("a") };
  expect(missing("run", { command })).toContain("takes no references");
  expect(missing("run", { command: template("echo $A") })).toBeNull();
});

test("a limit on memory reaches its command", async () => {
  const args = { command: template("kept=$(flood 100000000); echo ate") };
  const result = await perform("run", args, { limits: { memoryBytes: 50 * 1024 * 1024 } });
  expect(result.outcome).not.toBe("success");
});

test("what the tool cannot be called with is said before the run", () => {
  expect(missing("read", { path: template("x") })).toBeNull();
  expect(missing("nope")).toMatch(/^there is no tool "nope"; there are: read, write, /);
  expect(missing("read")).toBe('read needs the argument "path"');
  expect(missing("git_status", { path: template("x") })).toBe('git_status has no argument "path"; it takes none');
});

test("a large text is in the store, its end at hand", async () => {
  const content = "é".repeat(20_000);
  await perform("write", { path: template("large.txt"), content: template(content) });
  const { output } = await perform("read", { path: template("large.txt") });
  expect(Buffer.byteLength(output?.text ?? "")).toBe(limits.inlineValueBytes);
  expect(Buffer.from((await bench.can.blobs.get(output?.blob ?? "")) ?? []).toString()).toBe(content);
});
