import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Blueprint } from "../../model/blueprint.ts";
import { pruneTrees } from "./pruning.ts";
import { gitWorkspaces } from "./workspaces.ts";

// Nothing else is looked at.
const isolated = { workspace: { isolate: "worktree" }, records: {} } as unknown as Blueprint;

test("what a process left of a worktree that it was taking away goes with the next one, or with prune", async () => {
  const place = mkdtempSync(join(tmpdir(), "trammel-records-"));
  const [home, cwd] = [join(place, "home"), join(place, "project")];
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });
  mkdirSync(cwd);
  git("init", "-q", "-b", "main");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
  const options = { home, env: process.env, notice: () => undefined, isKnown: () => true };
  const there = (): readonly string[] => readdirSync(join(home, "worktrees")).toSorted();
  const leave = async (run: string): Promise<void> => {
    const workspaces = gitWorkspaces(options);
    const opened = await workspaces.open({ run, blueprint: isolated, cwd });
    if ("problem" in opened) throw new Error(opened.problem);
    await workspaces.begin(run);
    const record = `${opened.cwd}.json`;
    const { owner, worktree } = JSON.parse(readFileSync(record, "utf8"));
    writeFileSync(record, JSON.stringify({ owner: { ...owner, startTime: "1" }, worktree }));
    renameSync(opened.cwd, join(home, "worktrees", `.${run}.going`));
  };
  await leave("a");
  await leave("b");
  expect(there()).toEqual([".b.going", "b.json"]);
  await pruneTrees({ ...options, leaving: [], inUse: [], before: 0, dryRun: false });
  expect(there()).toEqual([]);
  expect([git("branch", "--list", "trammel/*"), git("worktree", "list").trim().split("\n").length]).toEqual(["", 1]);
  rmSync(place, { recursive: true });
});
