import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Blueprint } from "../../model/blueprint.ts";
import { SmallDisk } from "../../../test/support/small-disk.ts";
import { repositoryOf } from "./repository.ts";
import { openSnapshots } from "./snapshots.ts";
import { gitWorkspaces } from "./workspaces.ts";

const env = { PATH: process.env["PATH"], HOME: "/nowhere" };
let place: string;
let small: SmallDisk;
let disk: string;

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-full-")));
  small = new SmallDisk(join(place, "disk"), "3m");
  disk = small.folder;
});
afterEach(() => {
  small[Symbol.dispose]();
  rmSync(place, { recursive: true, force: true });
});

function project(folder: string, bytes: number): (...args: readonly string[]) => string {
  mkdirSync(folder);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: folder, env, encoding: "utf8" }).trim();
  git("init", "--quiet", "-b", "main");
  writeFileSync(join(folder, "code.txt"), randomBytes(bytes));
  git("add", ".");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first");
  return git;
}

const free = (): number => statfsSync(disk).bavail;

test("a picture for which there is no space leaves nothing behind, and is taken once there is", async () => {
  const root = join(disk, "project");
  const git = project(root, 10);
  const repository = await repositoryOf(root, env);
  if (repository === null) throw new Error("no repository");
  const snapshots = await openSnapshots(repository, join(place, "trees"), env);
  const before = await snapshots.take();
  writeFileSync(join(root, "big.bin"), randomBytes(2_000_000));
  const left = free();
  await expect(snapshots.take()).rejects.toThrow("No space left on device");
  expect([free(), readdirSync(join(root, ".git/objects")).filter((name) => name.startsWith("tmp"))]).toEqual([
    left,
    [],
  ]);
  expect(git("status", "--porcelain")).toBe("?? big.bin");
  expect(git("fsck", "--strict")).not.toContain("error");
  small.grow("9m");
  expect(await snapshots.changed(before, await snapshots.take())).toEqual(["big.bin"]);
});

test("a worktree for which there is no space is refused, and nothing of it is left", async () => {
  const root = join(place, "project");
  const git = project(root, 4_000_000);
  const left = free();
  const blueprint = { workspace: { isolate: "worktree" }, records: {} } as unknown as Blueprint;
  const workspaces = gitWorkspaces({ home: disk, env, notice: () => undefined });
  expect(await workspaces.open({ run: "r", blueprint, cwd: root })).toMatchObject({
    problem: expect.stringMatching(/^no worktree can be made for the run: unable to write file code\.txt/),
  });
  await workspaces.discard("r");
  expect([git("branch", "--format=%(refname)"), git("worktree", "list", "--porcelain").match(/^worktree/gm)]).toEqual([
    "refs/heads/main",
    ["worktree"],
  ]);
  expect([readdirSync(join(disk, "worktrees")), left - free() < 10]).toEqual([[], true]);
  expect(existsSync(join(root, ".git/worktrees/r"))).toBe(false);
});
