import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ToolBench } from "../../test/support/tool-bench.ts";
import { limits } from "../model/limits.ts";
import type { Reads } from "../ports/reads.ts";
import { compileSchema } from "../runtime/validation/schema.ts";
import { createTools } from "./registry.ts";

let bench: ToolBench;

beforeEach(() => {
  bench = new ToolBench({ greet: 'echo "hello $1"', count: "echo $#", cargo_fmt: "echo ours" });
});

afterEach(() => bench.close());

/** Puts a program of that name first on PATH, which says how it was called. */
function stand(name: string): Readonly<Record<string, string>> {
  const folder = path.join(bench.folder, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), `#!/bin/sh\necho "${name} $*"\nexit "\${CODE:-0}"\n`);
  chmodSync(path.join(folder, name), 0o755);
  return { ...bench.spec([]).env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
}

describe("the outcome is the command's own", () => {
  test.each([
    ["true", { outcome: "success", exit: 0 }],
    ["echo out; echo err >&2; exit 3", { outcome: "failure", exit: 3, problem: "exit code 3" }],
    ["no-such-command-xyz", { outcome: "error", exit: 127, problem: "exit code 127: it could not run" }],
    ["kill -9 $$", { outcome: "failure", problem: "ended by SIGKILL" }],
  ])("run: %s", async (command, expected) => {
    expect(await bench.call("run", { command })).toMatchObject(expected);
  });

  test("it keeps both streams, runs in the workspace, and has no input", async () => {
    expect((await bench.call("run", { command: 'basename "$PWD"; cat; echo err >&2' })).output.text).toBe(
      "workspace\nerr\n",
    );
  });

  test("a time-out and a cancel are told apart", async () => {
    expect(await bench.call("run", { command: "sleep 60" }, { timeoutMs: 100 })).toMatchObject({
      outcome: "failure",
      timedOut: true,
    });
    expect(await bench.call("run", { command: "sleep 60" }, { signal: AbortSignal.timeout(100) })).toMatchObject({
      outcome: "cancelled",
    });
  });

  test("of long output the beginning and the end are shown, and the store has all", async () => {
    const { output } = await bench.call("run", { command: "echo HEAD; flood 300000" });
    expect(output.text.startsWith("HEAD\nx")).toBe(true);
    expect(output.text.endsWith("x\nTAIL\n")).toBe(true);
    expect(output.text).toMatch(/characters left out/);
    expect(output.text.length).toBeLessThan(limits.toolOutputBytes);
    expect(output).toMatchObject({ bytes: 300_011, blob: expect.any(String) });
  });
});

describe("cargo", () => {
  test("each tool runs its subcommand with further arguments as they are", async () => {
    const env = stand("cargo");
    expect((await bench.call("cargo_check", {}, { env })).output.text).toBe("cargo check\n");
    expect((await bench.call("cargo_clippy", { args: ["--", "-D", "warnings"] }, { env })).output.text).toBe(
      "cargo clippy -- -D warnings\n",
    );
    expect(await bench.call("cargo_test", {}, { env: { ...env, CODE: "101" } })).toMatchObject({
      outcome: "failure",
      exit: 101,
    });
  });

  test("where there is no cargo, that is an error", async () => {
    expect(await bench.call("cargo_build", {}, { env: { PATH: bench.folder } })).toMatchObject({
      outcome: "error",
      problem: "cargo was not found on PATH",
    });
  });
});

describe("named commands", () => {
  test("take arguments as data", async () => {
    expect((await bench.call("greet", { args: ["$(touch pwned); x"] })).output.text).toBe("hello $(touch pwned); x\n");
    expect((await bench.call("count")).output.text).toBe("0\n");
    expect(existsSync(bench.at("pwned"))).toBe(false);
  });

  test("take the place of a cargo tool, never that of a tool on files", async () => {
    expect((await bench.call("cargo_fmt")).output.text).toBe("ours\n");
    const parts = { redactor: bench.redactor, dataFolder: "/d", commands: { read: "cat" } };
    expect(createTools({ ...parts, blobs: { put: fail, get: fail, writer: fail, keep: fail, pathOf: fail } })).toEqual({
      problems: ["tools.read: read is a tool of Trammel's own; give the command another name"],
    });
  });
});

function fail(): never {
  throw new Error("not used");
}

describe("git", () => {
  test("status and diff look, and run nothing that the repository names", async () => {
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { cwd: bench.workspace });
    git("init", "-q", "-b", "main");
    bench.put("a.txt", "old\n");
    git("add", ".");
    git("commit", "-qm", "first");
    for (const setting of ["core.fsmonitor", "diff.external", "core.pager"])
      git("config", setting, "touch pwned; false");
    bench.put("a.txt", "new\n");
    bench.put("b é.txt", "");
    expect((await bench.call("git_status")).output.text).toBe('## main\n M a.txt\n?? "b é.txt"\n');
    expect((await bench.call("git_diff")).output.text).toContain("\n-old\n+new\n");
    expect((await bench.call("git_diff", { path: "b é.txt" })).output.text).toBe("");
    expect((await bench.call("git_diff", { staged: true })).output.text).toBe("");
    expect(existsSync(bench.at("pwned"))).toBe(false);
  });

  test("outside of a repository it is a failure with git's own words", async () => {
    const result = await bench.call(
      "git_status",
      {},
      { env: { ...bench.spec([]).env, GIT_CEILING_DIRECTORIES: bench.folder } },
    );
    expect(result).toMatchObject({ outcome: "failure", exit: 128 });
    expect(result.output.text).toContain("not a git repository");
  });
});

test("every tool has a schema that can be used, and refuses what it does not know", async () => {
  for (const name of bench.tools.names()) {
    const validate = await compileSchema(bench.tools.get(name)?.input ?? {});
    if (typeof validate !== "function") throw new Error(`${name}: ${validate.invalid}`);
    expect([name, validate({ nonsense: 1 })]).toEqual([name, expect.any(String)]);
  }
});

describe("the changes that an agent may read", () => {
  const told: string[] = [];
  beforeEach(() => void told.splice(0));
  const reads = (limited: boolean): Reads => ({
    limited,
    among: (paths) => Promise.resolve(new Set(paths.filter((one) => !limited || one.startsWith("src/")))),
    gave: () => undefined,
    refused: (one) => one,
    made: () => undefined,
    claimed: (one) => void told.push(one),
  });
  const git = (...args: readonly string[]): unknown => execFileSync("git", args, { cwd: bench.workspace });

  test("are all of the diff that is shown, and told", async () => {
    for (const name of ["src/a.txt", "secret.txt"]) bench.put(name, "old\n");
    git("init", "-q");
    git("add", ".");
    for (const name of ["src/a.txt", "secret.txt"]) bench.put(name, "new\n");
    const { text } = (await bench.call("git_diff", {}, { reads: reads(true) })).output;
    expect(text).toContain("src/a.txt");
    expect(text).not.toContain("secret.txt");
    expect(told).toEqual(["src/a.txt"]);
    expect((await bench.call("git_diff", { path: "secret.txt" }, { reads: reads(true) })).output.text).toBe("");
  });

  test("are all where nothing limits them, however many", async () => {
    const names = Array.from({ length: 600 }, (_, n) => `${"folder-of-a-long-name/".repeat(2)}${n}.txt`);
    for (const name of names) bench.put(name, "old\n");
    git("init", "-q");
    git("add", ".");
    for (const name of names) bench.put(name, "new\n");
    const { text } = (await bench.call("git_diff", {}, { reads: reads(false) })).output;
    expect(text).toContain("/0.txt");
    expect(text).toContain("/599.txt");
  });
});
