import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Blueprint } from "../../model/blueprint.ts";
import { locked } from "../lock.ts";
import { openWorktree } from "./worktree.ts";

// Nothing else is looked at.
const blueprint = { workspace: { isolate: "worktree" } } as unknown as Blueprint;

test("the wait for others that make worktrees is told, and a stop ends it, with nothing left behind", async () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-worktree-")));
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: place, encoding: "utf8" });
  git("init", "-q");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
  const stop = new AbortController();
  const told = Promise.withResolvers<string>();
  const over = Promise.withResolvers<void>();
  const held = locked(join(place, ".git", "trammel-worktrees"), () => over.promise);
  const worktrees = join(place, "worktrees");
  const making = { worktrees, env: process.env, told: told.resolve, remember: () => Promise.resolve() };
  const opening = openWorktree({ run: "r", blueprint, cwd: place, signal: stop.signal }, null, making);
  expect(await told.promise).toMatch(`waiting for process ${process.pid}, which has the lock `);
  stop.abort();
  const stopped = await opening;
  expect(stopped).toMatchObject({ problem: expect.stringContaining(`it was stopped while process ${process.pid}`) });
  expect(stopped).not.toHaveProperty("left");
  over.resolve();
  await held;
  expect([git("branch", "--list", "trammel/*"), existsSync(join(worktrees, "r"))]).toEqual(["", false]);
  rmSync(place, { recursive: true });
});
