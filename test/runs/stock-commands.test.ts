import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stockNodes } from "../../src/language/stock/set.ts";

let folder = "";
let repository = "";

const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];

function git(...args: readonly string[]): string {
  return execFileSync("git", [...identity, ...args], { cwd: repository, encoding: "utf8" }).trim();
}

interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
  readonly ports: string;
}

/** Runs the command of a stock script as a run would. */
function perform(name: string, variables: Readonly<Record<string, string>> = {}): Ended {
  const node = stockNodes().get(name)?.node;
  if (node?.type !== "script") throw new Error(`no stock script ${name}`);
  const output = join(folder, "ports.json");
  rmSync(output, { force: true });
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", node.run], {
    cwd: repository,
    encoding: "utf8",
    env: {
      PATH: `${join(import.meta.dirname, "../fixtures/github")}:${process.env["PATH"] ?? ""}`,
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "T",
      GIT_AUTHOR_EMAIL: "t@example.com",
      GIT_COMMITTER_NAME: "T",
      GIT_COMMITTER_EMAIL: "t@example.com",
      GH_LOG: join(folder, "gh.log"),
      TRAMMEL_RUN: "run-1",
      TRAMMEL_TASK_ID: "T1",
      TRAMMEL_OUTPUT: output,
      TASK: "Add a basket\nwith two handles",
      ...variables,
    },
  });
  let ports = "";
  try {
    ports = readFileSync(output, "utf8");
  } catch {
    // No ports were written.
  }
  return { exit: status, out: stdout.trim(), err: stderr.trim(), ports };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stock-"));
  repository = join(folder, "work");
  mkdirSync(repository);
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(repository, "a.txt"), "a\n");
  git("add", "-A");
  git("commit", "--quiet", "-m", "first");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("git-branch", () => {
  test("makes the branch of the task, and finds it again in the same run", () => {
    expect(perform("git-branch")).toMatchObject({ exit: 0, out: "minion/T1" });
    git("checkout", "--quiet", "main");
    expect(perform("git-branch")).toMatchObject({ exit: 0 });
    expect(git("branch", "--show-current")).toBe("minion/T1");
  });

  test("leaves a branch that another run made as it is, and takes the next name", () => {
    git("branch", "minion/T1");
    const before = git("rev-parse", "minion/T1");
    perform("git-branch", { TRAMMEL_RUN: "other" });
    git("checkout", "--quiet", "main");
    expect(perform("git-branch")).toMatchObject({ exit: 0, out: "minion/T1-3" });
    expect(git("rev-parse", "minion/T1")).toBe(before);
  });

  test("makes a branch name of any task id", () => {
    expect(perform("git-branch", { TRAMMEL_TASK_ID: "JIRA 7: ../é" }).out).toMatch(/^minion\/JIRA-7-+$/);
  });

  test("refuses a tree with changes, untracked files too", () => {
    writeFileSync(join(repository, "b.txt"), "b\n");
    expect(perform("git-branch")).toMatchObject({
      exit: 1,
      err: "the working tree has changes; commit or stash them first",
    });
    expect(git("branch", "--show-current")).toBe("main");
  });

  test("says what is wrong with a repository it cannot branch in", () => {
    git("checkout", "--quiet", "--detach");
    expect(perform("git-branch").err).toBe("HEAD is detached; check out a branch first");
    rmSync(join(repository, ".git"), { recursive: true });
    expect(perform("git-branch").err).toBe("this is no working tree of a git repository");
    git("init", "--quiet");
    expect(perform("git-branch").err).toBe("the repository has no commits yet; make one first");
  });
});

describe("git-commit", () => {
  test("commits everything under the first line of the task, as one argument", () => {
    perform("git-branch");
    appendFileSync(join(repository, "a.txt"), "b\n");
    writeFileSync(join(repository, "new.txt"), "new\n");
    expect(perform("git-commit", { TASK: 'say "$(touch pwned)" `id`\nmore' })).toMatchObject({ exit: 0 });
    expect(git("log", "-1", "--format=%B")).toBe('minion: say "$(touch pwned)" `id`');
    expect(git("status", "--porcelain")).toBe("");
    expect(git("ls-files")).not.toContain("pwned");
  });

  test("cuts the line at 72 characters, not bytes", () => {
    writeFileSync(join(repository, "new.txt"), "new\n");
    perform("git-commit", { TASK: "é".repeat(80) });
    expect(git("log", "-1", "--format=%s")).toBe(`minion: ${"é".repeat(72)}`);
  });

  test("a clean tree is a failure, unless something was committed on the branch", () => {
    perform("git-branch");
    expect(perform("git-commit")).toMatchObject({ exit: 1, err: "no changes to commit" });
    git("commit", "--quiet", "--allow-empty", "-m", "by itself");
    expect(perform("git-commit")).toMatchObject({ exit: 0, out: "already committed" });
  });

  test("a hook that refuses keeps the tree and says why", () => {
    writeFileSync(join(repository, ".git/hooks/pre-commit"), "#!/bin/sh\necho no way >&2\nexit 1\n", { mode: 0o755 });
    writeFileSync(join(repository, "new.txt"), "new\n");
    expect(perform("git-commit")).toMatchObject({ exit: 1, err: "no way" });
    expect(readFileSync(join(repository, "new.txt"), "utf8")).toBe("new\n");
  });
});

test("git-push pushes the branch to origin, twice alike", () => {
  execFileSync("git", ["init", "--quiet", "--bare", join(folder, "origin.git")]);
  git("remote", "add", "origin", join(folder, "origin.git"));
  perform("git-branch");
  expect(perform("git-push")).toMatchObject({ exit: 0 });
  expect(perform("git-push")).toMatchObject({ exit: 0 });
  expect(git("ls-remote", "origin")).toContain("refs/heads/minion/T1");
});

describe("create-pr", () => {
  const asked = (): string => readFileSync(join(folder, "gh.log"), "utf8");

  test("opens one, labelled, and answers with its URL; the second time it is found", () => {
    const url = "https://github.com/acme/shop/pull/7";
    expect(perform("create-pr")).toMatchObject({ exit: 0, out: url });
    expect(asked()).toContain("pr create --title minion: Add a basket --body Add a basket\nwith two handles");
    expect(asked()).toContain("--label minion-generated");
    expect(perform("create-pr")).toMatchObject({ exit: 0, out: url });
    expect(asked().match(/pr create/g)).toHaveLength(1);
    expect(asked()).not.toMatch(/merge(?!ing)/);
  });

  test("takes the template of the repository for the body", () => {
    mkdirSync(join(repository, ".github"));
    writeFileSync(join(repository, ".github/pull_request_template.md"), "## What\n");
    perform("create-pr");
    expect(asked()).toContain("--body ## What");
  });

  test("says that gh is not there by the exit code of a command that could not start", () => {
    expect(perform("create-pr", { PATH: join(folder, "nothing") }).exit).toBe(127);
  });

  test.each(["fails", "silent", "elsewhere"])("is a failure when gh %s", (mode) => {
    const { exit, err } = perform("create-pr", { GH_MODE: mode });
    expect(exit).toBe(1);
    expect(err).not.toBe("");
  });
});

describe("execution-guardian-check", () => {
  test.each([
    ["Rename a helper", 0, "low"],
    ["Add a DB migration for baskets", 0, "medium"],
    ["Delete stale rows in production", 1, "high"],
    ["Reproduce the specific dropdown bug", 0, "low"],
  ])("%s", (task, exit, risk) => {
    const ended = perform("execution-guardian-check", { TASK: task });
    expect([ended.exit, JSON.parse(ended.ports)]).toEqual([exit, { risk }]);
  });
});

test("system-supervisor-quick-audit names file and line of a violation", () => {
  expect(perform("system-supervisor-quick-audit").exit).toBe(0);
  mkdirSync(join(repository, ".claude/memory"), { recursive: true });
  writeFileSync(join(repository, ".claude/memory/current-state.md"), "fine\nVIOLATION: layer\n");
  expect(perform("system-supervisor-quick-audit")).toMatchObject({
    exit: 1,
    out: ".claude/memory/current-state.md:2:VIOLATION: layer",
  });
});
