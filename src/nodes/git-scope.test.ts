import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { performScoped } from "../../test/support/scoped-node.ts";
import type { NodeResult } from "../model/outcome.ts";
import { createWriteScope } from "./write-scope.ts";

let folder: string;
let main: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-git-scope-"));
  main = join(folder, "main");
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", main]);
  git("config", "user.name", "T");
  git("config", "user.email", "t@example.com");
  git("commit", "--quiet", "--allow-empty", "-m", "first");
  git("worktree", "add", "--quiet", join(folder, "tree"), "-b", "work");
  mkdirSync(join(main, "deep/er"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: main, encoding: "utf8" }).trim();
}

/** Performs a node, as stock agents are held, that does `work`. */
function perform(cwd: string, work: () => unknown, protect?: readonly string[]): Promise<NodeResult> {
  const part = protect === undefined ? { writes: ["!.git/hooks/**", "!.git/config"] } : { protect };
  const scope = createWriteScope({ dataFolder: join(folder, "data"), mask: String });
  return performScoped(scope, { cwd, blobs: join(folder, "blobs") }, part, work);
}

const hook = (): string => join(main, ".git/hooks/pre-commit");
const plant = (): void => writeFileSync(hook(), "#!/bin/sh\n", { mode: 0o755 });

test.each([
  ["a worktree", "tree", undefined],
  ["a folder below", "main/deep/er", undefined],
  ["the tree itself", "main", undefined],
  ["a worktree, where the workspace protects them", "tree", [".git/hooks/**"]],
])("a hook that is planted from %s is taken back", async (_, cwd, protect) => {
  const result = await perform(join(folder, cwd), plant, protect);
  expect(result.reason?.text).toContain("it changed what it may not: .git/hooks/pre-commit (taken back)");
  expect(existsSync(hook())).toBe(false);
});

test("settings are taken back, and what other runs set for their branches meanwhile stays and is no breach", async () => {
  const other = (): string => git("config", "branch.minion/T2.trammel-run", "r2");
  expect(await perform(join(folder, "tree"), other)).toEqual({ outcome: "success" });
  const both = (): void => {
    git("config", "branch.minion/T3.trammel-run", "r3");
    git("config", "core.hooksPath", "evil");
  };
  const result = await perform(join(folder, "tree"), both);
  expect(result.reason?.text).toContain("it changed what it may not: .git/config (taken back)");
  expect(() => git("config", "core.hooksPath")).toThrow("git config core.hooksPath");
  expect([2, 3].map((n) => git("config", `branch.minion/T${n}.trammel-run`))).toEqual(["r2", "r3"]);
  expect(git("config", "user.name")).toBe("T");
});

test.each([
  '[branch "x"] [core]\n\thooksPath = evil\n',
  '[branch "x"]\n\tmerge = a\n[core] hooksPath = evil\n',
  '[branch "x"]\n\tmerge = a \\\n\n[core]\n\thooksPath = evil\n',
])("settings that hide beside those of a branch are found: %j", async (text) => {
  const config = join(main, ".git/config");
  const before = readFileSync(config, "utf8");
  const result = await perform(join(folder, "tree"), () => writeFileSync(config, `${before}${text}`));
  expect(result.outcome).toBe("failure");
  expect(() => git("config", "core.hooksPath")).toThrow("git config core.hooksPath");
});

test("a tree that is led to another repository is a breach", async () => {
  execFileSync("git", ["init", "--quiet", join(folder, "other")]);
  const file = join(folder, "tree/.git");
  const result = await perform(join(folder, "tree"), () =>
    writeFileSync(file, `gitdir: ${join(folder, "other/.git")}\n`),
  );
  expect(result).toMatchObject({ outcome: "failure", reason: { code: "write_scope" } });
});
