import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ended, StockBench } from "./stock-bench.ts";

let bench: StockBench;
beforeEach(() => {
  bench = new StockBench();
});
afterEach(() => bench[Symbol.dispose]());

function perform(name: string, variables: Readonly<Record<string, string>> = {}): Ended {
  return bench.perform(name, variables);
}

describe("git-branch", () => {
  test("makes the branch of the task, and finds it again in the same run", () => {
    expect(perform("git-branch")).toMatchObject({ exit: 0, out: "minion/T1" });
    bench.git("checkout", "--quiet", "main");
    expect(perform("git-branch")).toMatchObject({ exit: 0, out: "minion/T1" });
    expect(bench.git("branch", "--show-current")).toBe("minion/T1");
  });

  test("leaves a branch that another run made as it is, and takes the next name", () => {
    bench.git("branch", "minion/T1");
    const before = bench.git("rev-parse", "minion/T1");
    perform("git-branch", { TRAMMEL_RUN: "other" });
    bench.git("checkout", "--quiet", "main");
    expect(perform("git-branch")).toMatchObject({ exit: 0, out: "minion/T1-3" });
    expect(bench.git("rev-parse", "minion/T1")).toBe(before);
  });

  test("makes a branch name of any task id", () => {
    expect(perform("git-branch", { TRAMMEL_TASK_ID: "JIRA 7: ../é" }).out).toMatch(/^minion\/JIRA-7-+$/);
  });

  test("refuses a tree with changes, untracked files too", () => {
    bench.write("b.txt", "b\n");
    const { exit, err } = perform("git-branch");
    expect([exit, err.split("; ")[0]]).toEqual([1, "?? b.txt\nthe working tree has changes"]);
    expect(bench.git("branch", "--show-current")).toBe("main");
    // A user who does not want to see untracked files does not want them committed either.
    bench.git("config", "status.showUntrackedFiles", "no");
    expect(perform("git-branch").exit).toBe(1);
  });

  test("takes what Trammel writes itself for no change", () => {
    bench.write("state.md", "ESCALATED\n");
    expect(perform("git-branch").exit).toBe(1);
    expect(perform("git-branch", own)).toMatchObject({ exit: 0, out: "minion/T1" });
  });

  test("takes the next name where the branch is known at origin", () => {
    bench.git("update-ref", "refs/remotes/origin/minion/T1", "HEAD");
    expect(perform("git-branch")).toMatchObject({ exit: 0, out: "minion/T1-2" });
  });

  test("says what is wrong with a repository it cannot branch in", () => {
    bench.git("checkout", "--quiet", "--detach");
    expect(perform("git-branch").err).toBe("HEAD is detached; check out a branch first");
    rmSync(join(bench.repository, ".git"), { recursive: true });
    expect(perform("git-branch").err).toBe("this is no working tree of a git repository");
    bench.git("init", "--quiet");
    expect(perform("git-branch").err).toBe("the repository has no commits yet; make one first");
    bench.git("config", "core.bare", "true");
    expect(perform("git-branch").err).toBe("this is no working tree of a git repository");
  });
});

/** What a run tells of files that Trammel itself writes. */
const own = { TRAMMEL_OWN_FILES: ":(exclude,glob)[s]tate.md\n:(exclude,glob)[s]tate.md/**" };

describe("git-commit", () => {
  test("commits nothing that Trammel writes itself, ignored or not", () => {
    perform("git-branch");
    bench.write("state.md", "ESCALATED\n");
    expect(perform("git-commit", own)).toMatchObject({ exit: 1, err: "no changes to commit" });
    bench.write("new.txt", "new\n");
    expect(perform("git-commit", own)).toMatchObject({ exit: 0 });
    expect(bench.git("ls-files")).toBe("a.txt\nnew.txt");
    bench.write(".gitignore", "state.md\n");
    expect(perform("git-commit", own)).toMatchObject({ exit: 0 });
    expect(bench.git("ls-files")).toBe(".gitignore\na.txt\nnew.txt");
  });

  test.each(["git-commit", "git-push", "create-pr"])(
    "%s works on no other branch than the one the run made, wherever an agent left HEAD",
    (name) => {
      perform("git-branch");
      bench.git("checkout", "--quiet", "main");
      bench.write("new.txt", "new\n");
      expect(perform(name)).toMatchObject({
        exit: 1,
        err: "HEAD is on main, and not on minion/T1, which this run made",
      });
      expect(bench.git("log", "--format=%s", "main")).toBe("first");
    },
  );

  test("is done on the branch that its flow says, in a fork of the run that made it too", () => {
    perform("git-branch", { TRAMMEL_RUN: "other" });
    bench.write("new.txt", "new\n");
    bench.git("checkout", "--quiet", "main");
    expect(perform("git-commit", { MADE_BRANCH: "minion/T1\n" }).err).toContain(
      "HEAD is on main, and not on minion/T1",
    );
    bench.git("checkout", "--quiet", "minion/T1");
    expect(perform("git-commit", { MADE_BRANCH: "minion/T1\n" }).exit).toBe(0);
  });

  test("is done on the branch of a worktree, with which a fork goes on without that of the run before", () => {
    perform("git-branch", { TRAMMEL_RUN: "other" });
    bench.git("checkout", "--quiet", "-b", "trammel/run-1", "main");
    const told = { MADE_BRANCH: "minion/T1\n" };
    expect(perform("git-commit", told).err).toBe("no changes to commit");
    bench.git("config", "branch.trammel/run-1.trammel-start", bench.git("rev-parse", "HEAD"));
    bench.commit("new.txt", "new\n");
    expect(perform("git-commit", told)).toMatchObject({ exit: 0, out: "already committed" });
    expect(perform("git-commit", { ...told, TRAMMEL_RUN: "run-2" }).err).toContain("and not on minion/T1");
  });

  test("is done where it is in a run that made no branch", () => {
    perform("git-branch", { TRAMMEL_RUN: "other" });
    bench.git("checkout", "--quiet", "main");
    bench.write("new.txt", "new\n");
    expect(perform("git-commit").exit).toBe(0);
  });

  test("takes the first line that says something, of a task in a file too, or the task id", () => {
    const said = (variables: Readonly<Record<string, string>>): string => {
      appendFileSync(join(bench.repository, "a.txt"), "more\n");
      expect(perform("git-commit", variables).exit).toBe(0);
      return bench.git("log", "-1", "--format=%s");
    };
    expect(said({ TASK: "\n  \n  Add a basket\nmore" })).toBe("minion: Add a basket");
    const file = join(bench.folder, "task");
    writeFileSync(file, `Add many baskets\n${"x".repeat(200_000)}`);
    expect(said({ TASK: "", TASK_FILE: file })).toBe("minion: Add many baskets");
    expect(said({ TASK: "" })).toBe("minion: T1");
  });

  test("a signature that cannot be made keeps the tree and says why", () => {
    perform("git-branch");
    bench.git("config", "commit.gpgsign", "true");
    bench.git("config", "gpg.program", "/bin/false");
    bench.write("new.txt", "new\n");
    const { exit, err } = perform("git-commit");
    expect([exit, err]).toEqual([128, expect.stringContaining("gpg failed to sign")]);
    expect(bench.git("log", "--format=%s")).toBe("first");
    expect(readFileSync(join(bench.repository, "new.txt"), "utf8")).toBe("new\n");
  });

  test("commits everything under the first line of the task, as one argument", () => {
    perform("git-branch");
    appendFileSync(join(bench.repository, "a.txt"), "b\n");
    bench.write("new.txt", "new\n");
    expect(perform("git-commit", { TASK: 'say "$(touch pwned)" `id`\nmore' })).toMatchObject({ exit: 0 });
    expect(bench.git("log", "-1", "--format=%B")).toBe('minion: say "$(touch pwned)" `id`');
    expect(bench.git("status", "--porcelain")).toBe("");
    expect(bench.git("ls-files")).not.toContain("pwned");
  });

  test("cuts the line at 72 characters, not bytes", () => {
    bench.write("new.txt", "new\n");
    perform("git-commit", { TASK: "é".repeat(80) });
    expect(bench.git("log", "-1", "--format=%s")).toBe(`minion: ${"é".repeat(72)}`);
  });

  test("a clean tree is a failure, unless something was committed on the branch", () => {
    perform("git-branch");
    expect(perform("git-commit")).toMatchObject({ exit: 1, err: "no changes to commit" });
    bench.git("commit", "--quiet", "--allow-empty", "-m", "by itself");
    expect(perform("git-commit")).toMatchObject({ exit: 0, out: "already committed" });
  });

  test("a hook that refuses keeps the tree and says why", () => {
    writeFileSync(join(bench.repository, ".git/hooks/pre-commit"), "#!/bin/sh\necho no way >&2\nexit 1\n", {
      mode: 0o755,
    });
    bench.write("new.txt", "new\n");
    expect(perform("git-commit")).toMatchObject({ exit: 1, err: "no way" });
    expect(readFileSync(join(bench.repository, "new.txt"), "utf8")).toBe("new\n");
  });
});

test("git-push pushes the branch to origin, twice alike", () => {
  execFileSync("git", ["init", "--quiet", "--bare", join(bench.folder, "origin.git")]);
  bench.git("remote", "add", "origin", join(bench.folder, "origin.git"));
  perform("git-branch");
  expect(perform("git-push")).toMatchObject({ exit: 0 });
  expect(perform("git-push")).toMatchObject({ exit: 0 });
  expect(bench.git("ls-remote", "origin")).toContain("refs/heads/minion/T1");
});
