import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { systemClock } from "../../src/runtime/time/clock.ts";
import { createProcessRunner } from "../../src/runtime/processes/runner.ts";
import { createRedactor } from "../../src/runtime/redaction/redactor.ts";
import { chainOf, three } from "./blueprints.ts";
import { type Act, bodies, handle, request, World } from "./harness.ts";

let world: World;
let project: string;

beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), "trammel-worktrees-"));
  const blobs = fileBlobs(join(home, "blobs"));
  const processes = createProcessRunner({ blobs, redactor: createRedactor(), clock: systemClock });
  world = new World({ home, can: { processes } });
  project = join(realpathSync(world.home), "project");
  mkdirSync(join(project, "sub"), { recursive: true });
  git("init", "--quiet", "-b", "main");
  for (const [key, value] of [
    ["user.name", "A"],
    ["user.email", "a@b"],
  ] as const)
    git("config", key, value);
  put("sub/code.txt", "one\n");
  put(".gitignore", ".env\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
});
afterEach(() => world.remove());

function git(...args: string[]): string {
  return gitIn(project, ...args);
}

function gitIn(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

function put(path: string, text: string): void {
  writeFileSync(join(project, path), text);
}

function isolated(more: Blueprint["workspace"] = {}): Blueprint {
  return { ...chainOf(["a"]), workspace: { isolate: "worktree", ...more } };
}

async function run(of: Blueprint, act: Act, cwd = project): Promise<{ status: string; root: string; branch: string }> {
  const running = await world.start(request(of, { cwd }), { "*": act });
  const { status } = await running.end;
  const [started] = bodies(world.seen, "run.started");
  return { status, root: started?.worktree?.root ?? "", branch: started?.worktree?.branch ?? "" };
}

async function refusal(of: Blueprint, cwd = project): Promise<object> {
  const answer = await world
    .engine({ "*": () => ({ outcome: "success" }) })
    .start(request(of, { cwd }), world.observer);
  expect(world.journal(2).runs(10)).toEqual([]);
  return answer;
}

function writing(path: string, result: NodeResult = { outcome: "success" }): Act {
  return ({ cwd }) => {
    writeFileSync(join(cwd, path), "new\n");
    return result;
  };
}

describe("a worktree of the run's own", () => {
  test("nodes work in the same folder of it, and the user's tree stays as it is", async () => {
    const { root } = await run(isolated(), writing("made.txt"), join(project, "sub"));
    expect(git("status", "--porcelain")).toBe("");
    expect(readFileSync(join(root, "sub", "made.txt"), "utf8")).toBe("new\n");
  });

  test("is gone, with its branch, once a run succeeded and left nothing in it", async () => {
    const { status, root, branch } = await run(isolated(), () => ({ outcome: "success" }));
    expect([status, root === "", existsSync(root)]).toEqual(["succeeded", false, false]);
    expect(git("branch", "--list", branch)).toBe("");
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
  });

  test("is gone and the branch stays where all was committed", async () => {
    const { root, branch } = await run(isolated(), ({ cwd }) => {
      writeFileSync(join(cwd, "made.txt"), "new\n");
      gitIn(cwd, "add", ".");
      gitIn(cwd, "commit", "--quiet", "-m", "by the agent");
      return { outcome: "success" };
    });
    expect(existsSync(root)).toBe(false);
    expect(git("show", `${branch}:made.txt`)).toBe("new");
  });

  test("stays where commits have no name that leads to them", async () => {
    const { root } = await run(isolated(), ({ cwd }) => {
      gitIn(cwd, "checkout", "--quiet", "--detach");
      gitIn(cwd, "commit", "--quiet", "--allow-empty", "-m", "nowhere");
      return { outcome: "success" };
    });
    expect(gitIn(root, "log", "-1", "--format=%s")).toBe("nowhere");
  });

  test("stays where something is not committed, and where the run failed", async () => {
    expect(existsSync((await run(isolated(), writing("made.txt"))).root)).toBe(true);
    world.seen.length = 0;
    const failed = await run(isolated(), () => ({ outcome: "failure" }));
    expect([failed.status, existsSync(failed.root)]).toEqual(["failed", true]);
  });

  test("a commit that a hook refuses is not lost", async () => {
    const hook = join(project, ".git", "hooks", "pre-commit");
    mkdirSync(join(project, ".git", "hooks"), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const { root } = await run(isolated(), ({ cwd }) => {
      writeFileSync(join(cwd, "work.txt"), "precious\n");
      gitIn(cwd, "add", ".");
      expect(() => gitIn(cwd, "commit", "-m", "work")).toThrow(/Command failed/);
      return { outcome: "failure" };
    });
    expect(readFileSync(join(root, "work.txt"), "utf8")).toBe("precious\n");
  });

  test("has what is carried along and what setup made, and neither keeps it", async () => {
    put(".env", "KEY=1\n");
    put("notes.md", "untracked\n");
    put("other.md", "left behind\n");
    let seen: readonly boolean[] = [];
    const { root } = await run(isolated({ carry: [".env", "notes.md"], setup: "cp .env made" }), ({ cwd }) => {
      seen = [".env", "notes.md", "made", "other.md"].map((path) => existsSync(join(cwd, path)));
      return { outcome: "success" };
    });
    expect(seen).toEqual([true, true, true, false]);
    expect(existsSync(root)).toBe(false);
  });

  test("a run that was interrupted goes on in it", async () => {
    const records = { counters: "counters.json" };
    const of: Blueprint = { ...three, workspace: { isolate: "worktree" }, records };
    const id = (await world.start(request(of, { cwd: project }), world.hangingIn("b"), 1)).run;
    await expect.poll(() => world.calls.includes("b")).toBe(true);
    world.kill(1);
    const root = bodies(world.seen, "run.started")[0]?.worktree?.root ?? "";
    const hashes = { contentHash: "content", bindingHash: "binding" };
    const settle = { node: "b", as: "again", by: "A" } as const;
    const places: string[] = [];
    const act: Act = ({ cwd }) => {
      places.push(cwd);
      return { outcome: "success" };
    };
    const again = { run: id, blueprint: of, ...hashes, acceptChanges: false, settle };
    const engine = world.engine({ "*": act }, 2);
    // Refused after the worktree was found again, which is left as it is.
    put("counters.json", "damaged");
    expect(await engine.resume(again, world.observer)).toMatchObject({ refused: "unavailable" });
    expect(existsSync(root)).toBe(true);
    rmSync(join(project, "counters.json"));
    const resumed = await engine.resume(again, world.observer);
    expect((await handle(resumed).end).status).toBe("succeeded");
    expect(places).toEqual([root, root]);
  });
});

describe("what no worktree can be made from", () => {
  test("a folder in no repository", async () => {
    rmSync(join(project, ".git"), { recursive: true });
    expect(await refusal(isolated())).toMatchObject({ message: expect.stringMatching(/is in no git repository/) });
  });

  test("a repository without commits", async () => {
    git("update-ref", "-d", "refs/heads/main");
    expect(await refusal(isolated())).toMatchObject({ message: expect.stringMatching(/has no commits yet/) });
  });

  test("a detached HEAD", async () => {
    git("checkout", "--quiet", "--detach");
    expect(await refusal(isolated())).toMatchObject({ message: expect.stringMatching(/is detached/) });
  });

  test("a bare repository", async () => {
    const bare = join(world.home, "bare.git");
    gitIn(world.home, "clone", "--quiet", "--bare", project, bare);
    expect(await refusal(isolated(), bare)).toMatchObject({ message: expect.stringMatching(/is bare/) });
  });

  test("a folder that is in no commit; the half-made worktree is gone", async () => {
    mkdirSync(join(project, "new"));
    expect(await refusal(isolated(), join(project, "new"))).toMatchObject({
      message: expect.stringMatching(/no folder new/),
    });
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect(git("branch", "--list", "trammel/*")).toBe("");
  });

  test("setup and carry want a worktree", async () => {
    const of: Blueprint = { ...chainOf(["a"]), workspace: { setup: "true" } };
    expect(await refusal(of)).toMatchObject({ message: expect.stringMatching(/workspace\.setup is for a worktree/) });
  });
});
