import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hourMs } from "../../test/support/hourglass.ts";
import { NodeBench, type Performing } from "../../test/support/node-bench.ts";
import { check } from "../check/check.ts";
import type { OutputFormat, ScriptNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { WorkspaceSettings } from "../model/settings.ts";
import { systemClock } from "../runtime/time/clock.ts";
import { createScriptPerformer } from "./script.ts";

let bench: NodeBench;

beforeEach(() => {
  bench = new NodeBench();
});

afterEach(() => bench.close());

function script(run: string, node: Partial<ScriptNode> = {}, performing: Performing = {}): Promise<NodeResult> {
  return bench.perform(
    createScriptPerformer(bench.redactor, systemClock),
    { id: "a", type: "script", run, ...node },
    performing,
  );
}

describe("outcome", () => {
  test("exit 0 is success", async () => {
    expect(await script("echo said")).toEqual({ outcome: "success", exit: 0, output: { text: "said\n", bytes: 5 } });
  });

  test("another exit is a failure that keeps what was said", async () => {
    const result = await script("echo E42; echo why >&2; exit 3");
    expect(result).toMatchObject({ outcome: "failure", exit: 3, reason: { code: "exit", text: "exit code 3: why" } });
    expect(result.output?.text).toContain("E42");
    expect(result.stdout?.text).toBe("E42\n");
    expect(result.stderr?.text).toBe("why\n");
  });

  test("what could not run is an error, never an answer, and nobody knows what came before it", async () => {
    const missing = await script("no-such-command-xyz");
    expect(missing).toMatchObject({ outcome: "error", exit: 127, reason: { code: "could_not_start" } });
    expect(missing.reason?.text).toMatch(/^exit code 127: a command was not found: .*no-such-command-xyz/);
    expect(missing.beforeEffect).toBeUndefined();
    writeFileSync(path.join(bench.folder, "plain"), "");
    expect(await script("./plain")).toMatchObject({ outcome: "error", exit: 126 });
    const stock = await script("no-such-command-xyz", { stock: "lint" });
    expect(stock.reason?.text).toMatch(/xyz: not found; commands\.lint in trammel\.yaml says what lint runs$/);
  });

  test("a folder that is gone is an error before any effect", async () => {
    expect(await script("true", { cwd: "gone" })).toMatchObject({
      outcome: "error",
      beforeEffect: true,
      reason: { code: "could_not_start", text: expect.stringContaining("gone does not exist") },
    });
  });

  test("a signal is named", async () => {
    expect(await script("kill -9 $$")).toMatchObject({
      outcome: "failure",
      signal: "SIGKILL",
      reason: { code: "signal", text: "ended by SIGKILL" },
    });
  });

  test("a time-out is a failure that says after how long", async () => {
    const running = script("echo began; sleep 60", {}, { timeoutMs: hourMs });
    await expect.poll(() => bench.progress.some(({ kind }) => kind === "line")).toBe(true);
    bench.hourglass.turn();
    expect(await running).toMatchObject({
      outcome: "failure",
      reason: { code: "timeout", text: "took longer than 1h" },
      output: { text: "began\n" },
    });
  });

  test("a cancel is cancelled", async () => {
    const stop = new AbortController();
    const running = script("echo began; sleep 60", {}, { signal: stop.signal });
    await expect.poll(() => bench.progress.some(({ kind }) => kind === "line")).toBe(true);
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled", reason: { code: "cancelled" } });
  });
});

describe("shell", () => {
  test("a pipe means what the shell says: the last command in sh, any in bash", async () => {
    expect(await script("false | cat")).toMatchObject({ outcome: "success" });
    expect(await script("false | cat", { shell: "bash" })).toMatchObject({ outcome: "failure", exit: 1 });
  });

  test("line ends of another system do not reach it", async () => {
    expect((await script("echo a\r\nif true; then\r\necho b\r\nfi\r\n")).output?.text).toBe("a\nb\n");
  });

  test("data in the environment stays data", async () => {
    const task = `$(touch pwned) \`touch pwned\` '"; touch pwned\n`;
    const result = await script('printf %s "$TASK"', {}, { env: { TASK: task } });
    expect(result.output?.text).toBe(task);
    expect(existsSync(path.join(bench.folder, "pwned"))).toBe(false);
  });

  test("runs in its folder, is told its run and node, reads what is bound", async () => {
    mkdirSync(path.join(bench.folder, "sub"));
    const result = await script(
      'basename "$PWD"; echo "$TRAMMEL_RUN $TRAMMEL_NODE"; cat',
      { cwd: "sub" },
      { stdin: Buffer.from("in") },
    );
    expect(result.output?.text).toBe("sub\nr1 a\nin");
  });

  test("its process is reported before its end", async () => {
    await script("true");
    expect(bench.progress).toEqual([
      { kind: "process", process: expect.objectContaining({ pid: expect.any(Number) }) },
    ]);
  });
});

describe("values", () => {
  test("output: json and lines parse stdout, not stderr", async () => {
    expect(await script("echo noise >&2; echo '{\"a\": [1]}'", { output: { as: "json" } })).toMatchObject({
      outcome: "success",
      value: { a: [1] },
    });
    expect(await script("printf 'a\\nb\\n'", { output: { as: "lines" } })).toMatchObject({ value: ["a", "b"] });
  });

  test("what does not parse is a failure, and what was said stays", async () => {
    const result = await script("echo no json", { output: { as: "json" } });
    expect(result).toMatchObject({
      outcome: "failure",
      reason: { code: "output_invalid" },
      output: { text: "no json\n" },
    });
    expect(result.value).toBeUndefined();
    const schema = { type: "object", required: ["a"] };
    expect(await script("echo '{}'", { output: { as: "schema", schema } })).toMatchObject({
      outcome: "failure",
      reason: { code: "output_invalid" },
    });
  });

  test("a failed command is a failure whatever it printed", async () => {
    expect(await script("echo '{}'; exit 1", { output: { as: "json" } })).toMatchObject({
      outcome: "failure",
      reason: { code: "exit" },
    });
  });

  test("json is read whole from the store, and refused where it is too large for a value", async () => {
    const large = JSON.stringify({ text: "é".repeat(100_000) });
    writeFileSync(path.join(bench.folder, "large.json"), large);
    expect((await script("cat large.json", { output: { as: "json" } })).value).toEqual(JSON.parse(large));
    expect(await script("head -c 600000 /dev/zero", { output: { as: "json" } })).toMatchObject({
      outcome: "failure",
      reason: { code: "output_invalid", text: "stdout has 600000 bytes; `output: json` takes up to 524288" },
    });
  });

  test("ports come from $TRAMMEL_OUTPUT, after a failure too, masked", async () => {
    bench.redactor.add("canary-7f3a");
    const result = await script('printf \'{"version": "1.2", "seen": "canary-7f3a"}\' > "$TRAMMEL_OUTPUT"; exit 1');
    expect(result).toMatchObject({ outcome: "failure", ports: { version: "1.2", seen: "***" } });
  });

  test("a port keeps what `output` promises of its name, after a failure too", async () => {
    const output: OutputFormat = { as: "schema", schema: { type: "object", properties: { x: { enum: ["a", "b"] } } } };
    const write = (x: string, exit: number): string =>
      `echo '{"x": "a"}'; echo '{"x": "${x}", "y": 1}' > "$TRAMMEL_OUTPUT"; exit ${exit}`;
    expect(await script(write("b", 0), { output })).toMatchObject({ outcome: "success", ports: { x: "b", y: 1 } });
    const unfit = await script(write("evil", 0), { output });
    expect(unfit).toMatchObject({
      outcome: "failure",
      reason: { code: "output_invalid", text: expect.stringContaining("the port `x` does not fit") },
    });
    expect(unfit.ports).toEqual({ y: 1 });
    const failed = await script(write("evil", 3), { output });
    expect(failed).toMatchObject({ outcome: "failure", reason: { code: "exit" } });
    expect(failed.ports).toEqual({ y: 1 });
  });

  test("ports that are none are a failure", async () => {
    expect(await script('echo version=1 > "$TRAMMEL_OUTPUT"')).toMatchObject({
      outcome: "failure",
      reason: { code: "output_invalid" },
    });
  });
});

describe("autofix", () => {
  const check = "echo check >> log; test -e fixed";

  test("runs once after a no, and the second answer counts", async () => {
    expect(await script(check, { autofix: "echo fix >> log; touch fixed; exit 1" })).toMatchObject({
      outcome: "success",
    });
    expect(readFileSync(path.join(bench.folder, "log"), "utf8")).toBe("check\nfix\ncheck\n");
  });

  test("a fix that fixes nothing leaves the check's answer", async () => {
    expect(await script(check, { autofix: "no-such-command-xyz" })).toMatchObject({ outcome: "failure", exit: 1 });
    expect(readFileSync(path.join(bench.folder, "log"), "utf8")).toBe("check\ncheck\n");
  });

  test("does not run after a yes, nor after what was no answer", async () => {
    await script("true", { autofix: "touch fixed" });
    await script("no-such-command-xyz", { autofix: "touch fixed" });
    await script("sleep 60", { autofix: "touch fixed" }, { timeoutMs: 100 });
    expect(existsSync(path.join(bench.folder, "fixed"))).toBe(false);
  });
});

test.each([
  ["a fix that takes all of it", "exit 1", "sleep 60", [0, 0, hourMs - 50]],
  ["a check that takes the rest", "test -e fixed && sleep 60; exit 1", "touch fixed", [0, 0, 0, hourMs - 50]],
])("check and fix have one timeout: %s", async (_, run, autofix, times) => {
  const clock = { ...systemClock, now: () => times.shift() ?? Number.NaN };
  const node: ScriptNode = { id: "a", type: "script", run, autofix };
  const result = await bench.perform(createScriptPerformer(bench.redactor, clock), node, { timeoutMs: hourMs });
  expect(result).toMatchObject({ outcome: "failure", reason: { code: "timeout", text: "took longer than 1h" } });
  expect(times).toEqual([]);
});

test("a limit on memory reaches the process", async () => {
  const eat = "kept=$(flood 100000000); echo ate";
  expect((await script(eat, {}, { limits: { memoryBytes: 50 * 1024 * 1024 } })).outcome).not.toBe("success");
});

describe("what is not there is said before the run", () => {
  /** What a node misses where nothing is on PATH. */
  function missing(node: Partial<ScriptNode>, workspace: WorkspaceSettings = {}): string | null {
    const script: ScriptNode = { id: "a", type: "script", run: "true", ...node };
    const { blueprint } = bench.context(script);
    const before = process.env["PATH"];
    process.env["PATH"] = bench.folder;
    try {
      const performer = createScriptPerformer(bench.redactor, systemClock);
      return performer.missing(script, bench.can, { ...blueprint, workspace });
    } finally {
      process.env["PATH"] = before;
    }
  }

  test("bash", () => {
    expect(missing({ shell: "bash" })).toBe("bash was not found on PATH");
  });

  test("what a stock node calls, with where it says something else", () => {
    const lint = { stock: "lint", run: "pnpm turbo run lint" };
    expect(missing(lint)).toMatch(/^pnpm was not found on PATH\n.*commands: \{lint: npm run lint\}$/);
    const create = check("name: t\nflow: create-pr\n").blueprint?.nodes.get("create-pr");
    expect(create?.type === "script" ? missing(create) : "").toBe("gh, the GitHub command line, was not found on PATH");
  });

  test.each<[string, Partial<ScriptNode>, WorkspaceSettings?]>([
    ["any other command", { stock: "lint", run: "npm run lint" }],
    ["a script of the author", { run: "pnpm turbo run lint" }],
    [
      "a PATH of the node",
      {
        stock: "lint",
        run: "pnpm turbo run lint",
        env: { PATH: { source: "/opt/pnpm", parts: [{ text: "/opt/pnpm" }] } },
      },
    ],
    ["a setup, which may bring it", { stock: "lint", run: "pnpm turbo run lint" }, { setup: "corepack enable" }],
  ])("but not %s", (_, node, workspace) => {
    expect(missing(node, workspace)).toBeNull();
  });
});
