import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Blueprint } from "../../model/blueprint.ts";
import { indexOf, inTurn } from "./index-turn.ts";
import { pruneTrees } from "./pruning.ts";
import { refs } from "./refs.ts";
import { gitWorkspaces, type GitWorkspaces } from "./workspaces.ts";

let place: string;
let asked: string;
let notices: string[];
let workspaces: GitWorkspaces;
// Nothing else is looked at.
const blueprint = { workspace: {}, records: {} } as unknown as Blueprint;
const isolated = { ...blueprint, workspace: { isolate: "worktree" } } as const;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "trammel-workspaces-"));
  asked = join(place, "asked");
  mkdirSync(join(place, "bin"));
  writeFileSync(join(place, "bin", "git"), `#!/bin/sh\necho "$@" >> "${asked}"\nexit 1\n`, { mode: 0o755 });
  notices = [];
  const env = { PATH: `${join(place, "bin")}:${process.env["PATH"]}` };
  workspaces = gitWorkspaces({ home: join(place, "home"), env, notice: (what) => notices.push(what) });
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

test("a run that shares its tree works where it is, and git is never asked", async () => {
  expect(await workspaces.open({ run: "r", blueprint, cwd: place })).toEqual({ cwd: place });
  await workspaces.close("r", "succeeded");
  expect([existsSync(asked), notices]).toEqual([false, []]);
});

test("a run that has a folder to itself in no working tree has no pictures, and git is not asked either", async () => {
  await workspaces.open({ run: "r", blueprint, cwd: place });
  await workspaces.begin("r");
  await workspaces.close("r", "succeeded");
  expect([existsSync(asked), notices]).toEqual([false, []]);
});

test.each(["", "/folder/below"])("where a .git stands, git says whether there is a tree (%j)", async (below) => {
  mkdirSync(join(place, ".git"));
  mkdirSync(join(place, "folder/below"), { recursive: true });
  await workspaces.open({ run: "r", blueprint, cwd: `${place}${below}` });
  await workspaces.begin("r");
  await workspaces.close("r", "succeeded");
  expect([existsSync(asked), notices]).toEqual([
    true,
    ["what run r changes cannot be told: git rev-parse ended with 1"],
  ]);
});

test.each([
  ["not a git repository (or any of the parent directories): .git", []],
  ["this operation must be run in a work tree", []],
  [
    `detected dubious ownership in repository at '/x'
To add an exception for this directory, call:

	git config --global --add safe.directory /x`,
    [
      "what run r changes cannot be told: detected dubious ownership in repository at '/x' To add an exception for this directory, call: git config --global --add safe.directory /x",
    ],
  ],
])("what git says decides whether there is no tree, or one that it does not read: %j", async (words, said) => {
  writeFileSync(join(place, "bin", "git"), `#!/bin/sh\ncat >&2 <<'E'\nfatal: ${words}\nE\nexit 128\n`, { mode: 0o755 });
  mkdirSync(join(place, ".git"));
  const checked = { ...blueprint, workspace: { checkpoint: true } };
  const refused = await workspaces.open({ run: "c", blueprint: checked, cwd: place });
  expect("problem" in refused && refused.problem).toMatch(said.length === 0 ? /in no working tree of git$/ : /dubious/);
  await workspaces.open({ run: "r", blueprint, cwd: place });
  await workspaces.begin("r");
  await workspaces.close("r", "succeeded");
  expect(notices).toEqual(said);
});

test.each(["tapes [1]", "."])(
  "cassettes that are recorded into %j are no work of the run, what else lies there is",
  async (folder) => {
    const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: place, encoding: "utf8" });
    rmSync(join(place, "bin"), { recursive: true });
    git("init", "-q");
    mkdirSync(join(place, folder), { recursive: true });
    writeFileSync(join(place, ".gitignore"), "home/\nignored.1.jsonl\n");
    const record = join(place, folder);
    const recorded = gitWorkspaces({
      home: join(place, "home"),
      env: process.env,
      notice: (what) => notices.push(what),
      record,
    });
    await recorded.open({ run: "r", blueprint, cwd: place });
    await recorded.begin("r");
    for (const name of ["fix.1.jsonl", "fix.12.jsonl", "ignored.1.jsonl", "work.jsonl", "a.txt"])
      writeFileSync(join(record, name), name);
    await recorded.close("r", "succeeded");
    const changed = git(
      "diff-tree",
      "-r",
      "-z",
      "--name-only",
      "refs/trammel/r/start^{tree}",
      "refs/trammel/r/end^{tree}",
    );
    const names = changed.split("\0").filter((path) => path !== "");
    expect([names, notices]).toEqual([
      ["a.txt", "work.jsonl"].map((name) => (folder === "." ? name : `${folder}/${name}`)),
      [],
    ]);
  },
);

/** A repository with one commit, and what makes runs with a worktree there. */
function isolating(): {
  readonly git: (...args: readonly string[]) => string;
  readonly real: GitWorkspaces;
  readonly open: (run: string, cwd?: string) => Promise<string>;
} {
  const project = join(place, "project");
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: project, encoding: "utf8" });
  mkdirSync(project);
  git("init", "-q", "-b", "main");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first");
  const real = gitWorkspaces({ home: join(place, "home"), env: process.env, notice: (what) => notices.push(what) });
  const open = async (run: string, cwd = project): Promise<string> => {
    const opened = await real.open({ run, blueprint: isolated, cwd });
    if ("problem" in opened) throw new Error(opened.problem);
    return opened.cwd;
  };
  return { git, real, open };
}

test("a worktree that git cannot take away goes by its name, and worktrees whose disk is away stay", async () => {
  const { git, real, open } = isolating();
  git("worktree", "add", "-q", "-b", "mine", join(place, "disk"));
  renameSync(join(place, "disk"), join(place, "unmounted"));
  for (const run of ["r1", "r2"]) {
    const cwd = await open(run);
    rmSync(run === "r1" ? cwd : join(cwd, ".git"), { recursive: true });
    await real.discard(run);
  }
  const kept = git("worktree", "list", "--porcelain").match(/^branch .*$/gm);
  expect(kept).toEqual(["branch refs/heads/main", "branch refs/heads/mine"]);
  renameSync(join(place, "unmounted"), join(place, "disk"));
  expect(git("-C", join(place, "disk"), "status", "--porcelain")).toBe("");
});

test("a worktree that was locked stays, and is not pruned", async () => {
  const { git, real, open } = isolating();
  const root = await open("r");
  await real.begin("r");
  git("worktree", "lock", root);
  await real.close("r", "succeeded");
  expect(notices).toEqual([`the worktree of run r stays, as it is locked: ${root} (branch trammel/r)`]);
  const home = join(place, "home");
  const leaving = [{ run: "r", started: { cwd: join(place, "project") } }];
  const pruning = { home, env: process.env, leaving, isKnown: () => true, inUse: [], before: 0, dryRun: false };
  const pruned = await pruneTrees({ ...pruning, notice: (what) => notices.push(what) });
  expect([pruned.worktrees, notices[1], existsSync(root)]).toEqual([
    [],
    `the worktree of run r stays, as it is locked: ${root}`,
    true,
  ]);
  expect(git("for-each-ref", "--format=%(refname)", "refs/trammel/r/start")).toBe("refs/trammel/r/start\n");
});

test("when the store knows nothing of them, only a worktree goes that nobody locked and in which no run had begun", async () => {
  const { git, real, open } = isolating();
  const roots = [await open("begun"), await open("left"), await open("locked")];
  await real.begin("begun");
  git("worktree", "lock", roots[2] ?? "");
  const home = join(place, "home");
  for (const run of ["begun", "left", "locked"]) {
    const record = join(home, "worktrees", `${run}.json`);
    const { owner, worktree } = JSON.parse(readFileSync(record, "utf8"));
    writeFileSync(record, JSON.stringify({ owner: { ...owner, startTime: "1" }, worktree }));
  }
  const other = { home, env: process.env, notice: (what: string) => notices.push(what), isKnown: () => false };
  await gitWorkspaces(other).open({ run: "other", blueprint, cwd: place });
  expect(roots.map((root) => existsSync(root))).toEqual([true, false, true]);
  expect(notices.splice(0)).toEqual(["removed the worktree of run left, which a crash kept from beginning"]);
  const pruned = await pruneTrees({ ...other, leaving: [], inUse: [], before: 0, dryRun: false });
  expect([pruned.worktrees, roots.map((root) => existsSync(root))]).toEqual([[], [true, false, true]]);
  expect(notices).toEqual([
    `the worktree of run begun stays, as its run had begun, and the store does not know it: ${roots[0]}`,
    `the worktree of run locked stays, as it is locked: ${roots[2]}`,
  ]);
});

test("a worktree in whose making git was killed goes as a whole", async () => {
  const { git, real, open } = isolating();
  const root = await open("r");
  writeFileSync(join(place, "project/.git/worktrees/r/locked"), "initializing");
  await real.discard("r");
  expect([existsSync(root), git("worktree", "list", "--porcelain").match(/^worktree/gm)]).toEqual([
    false,
    ["worktree"],
  ]);
  expect(git("branch", "--list", "trammel/*")).toBe("");
});

test("a worktree goes though the one that it was made from is gone", async () => {
  const { git, real, open } = isolating();
  const linked = join(place, "linked");
  git("worktree", "add", "-q", "-b", "linked", linked);
  const root = await open("r", linked);
  await real.begin("r");
  rmSync(linked, { recursive: true });
  await real.close("r", "succeeded");
  expect([existsSync(root), git("branch", "--list", "trammel/*"), notices]).toEqual([false, "", []]);
});

test("what the next run in its tree changes is none of what a run left", async () => {
  const [tree, env] = [join(realpathSync(place), "tree"), { PATH: process.env["PATH"] }];
  const run = (...args: string[]) => execFileSync("git", args, { cwd: tree, env, encoding: "utf8" });
  mkdirSync(tree);
  run("init", "--quiet");
  const real = gitWorkspaces({ home: join(place, "home"), env, notice: (what) => notices.push(what) });
  for (const one of ["a", "b"]) await real.open({ run: one, blueprint, cwd: tree });
  await real.begin("a");
  await real.snapshotsOf("b");
  const index = join(place, "home/trees", indexOf(tree));
  const others = Promise.withResolvers<void>();
  const held = inTurn(index, () => others.promise);
  const closed = real.close("a", "succeeded");
  const begun = real.begin("b");
  await new Promise(setImmediate);
  const changed = inTurn(index, async () => writeFileSync(join(tree, "later.txt"), ""));
  others.resolve();
  await Promise.all([held, closed, begun, changed]);
  expect(run("diff", "--name-only", "refs/trammel/a/start", "refs/trammel/a/end")).toBe("");
  expect(notices).toEqual([]);
});

test.each([true, false])(
  "the worktree of a fork lets in whom the one before it let in (as it was left: %s)",
  async (keepTree) => {
    const { real, open } = isolating();
    const root = await open("r");
    await real.begin("r");
    writeFileSync(join(root, "key"), "", { mode: 0o600 });
    const pictures = await real.snapshotsOf("r");
    await pictures?.keep(refs.before("r", "node", 1), await pictures.take());
    await real.close("r", "failed");
    const project = join(place, "project");
    const worktree = { root, folder: root, repository: project, branch: "trammel/r", commit: "HEAD" };
    const fork = { from: { run: "r", node: "node", pass: 1 }, worktree, keepTree };
    const opened = await real.open({ run: "f", blueprint: isolated, cwd: project, fork });
    const key = "problem" in opened ? opened.problem : join(opened.cwd, "key");
    expect((statSync(key).mode & 0o777).toString(8)).toBe("600");
  },
);

test("worktrees of one repository are added and taken away one after the other", async () => {
  const { git } = isolating();
  const bin = join(place, "turns");
  mkdirSync(bin);
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  // Each stays for long enough to meet the next one.
  const meeting = `case " $* " in
*" worktree add "* | *" worktree remove "* | *" config --local "*)
  mkdir '${bin}/busy' 2>/dev/null || touch '${bin}/met'
  sleep 0.1
  rmdir '${bin}/busy' 2>/dev/null ;;
esac
exec '${real}' "$@"`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${meeting}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` };
  const slow = gitWorkspaces({ home: join(place, "other"), env, notice: (what) => notices.push(what) });
  const request = { blueprint: isolated, cwd: join(place, "project") };
  const opened = await Promise.all(["a", "b", "c"].map((run) => slow.open({ run, ...request })));
  expect(opened.map((one) => "problem" in one)).toEqual([false, false, false]);
  await Promise.all(["a", "b", "c"].map((run) => slow.discard(run)));
  expect([existsSync(join(bin, "met")), notices]).toEqual([false, []]);
  expect(git("worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
  expect(existsSync(join(place, "project/.git/trammel-worktrees.lock"))).toBe(false);
});
