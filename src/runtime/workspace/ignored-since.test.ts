import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { repositoryOf } from "./repository.ts";
import { openSnapshots, type Snapshots } from "./snapshots.ts";

const start = "refs/trammel/r/start";
let place: string;
let root: string;
let env: Record<string, string | undefined>;

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-ignored-since-")));
  root = join(place, "project");
  env = { PATH: process.env["PATH"], HOME: join(place, "home") };
  mkdirSync(root);
  git("init", "--quiet", "-b", "main");
  files({
    "kept.txt": "one\n",
    ".gitignore": "*.log\n.env\n/deep/built\nlocal/\n",
    "forced.log": "tracked though ignored\n",
    "deep/code.c": "int a;\n",
    "deep/.gitignore": "*.o\n/here\n!keep.o\n",
    "../home/.config/git/ignore": ".idea\n",
  });
  git("add", "--force", ".");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "first");
  files({
    ".env": "KEY=1\n",
    ".idea/state": "x",
    "a.log": "x",
    "deep/a.o": "x",
    "deep/here": "x",
    "deep/built/out": "x",
    "deep/x/local/y": "x",
    "venv/.gitignore": "*\n",
    "venv/lib/code.py": "x",
  });
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, env, encoding: "utf8" }).trim();
}

function files(contents: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

async function open(folder: string): Promise<Snapshots> {
  const repository = await repositoryOf(root, env);
  if (repository === null) throw new Error("no repository");
  return openSnapshots(repository, join(place, folder), env, undefined, start);
}

async function begin(): Promise<{ readonly snapshots: Snapshots; readonly before: string }> {
  const snapshots = await open("trees");
  const before = await snapshots.take();
  await snapshots.keep(start, before);
  return { snapshots, before };
}

/** What changed as each sees it that looks: who took the first picture, another process, one without its index. */
async function changedIn({ snapshots, before }: Awaited<ReturnType<typeof begin>>): Promise<readonly string[]> {
  const changed = await snapshots.changed(before, await snapshots.take());
  for (const folder of ["trees", "others"]) {
    const other = await open(folder);
    expect(await other.changed(before, await other.take())).toEqual(changed);
  }
  return changed;
}

test.each<readonly [string, () => void, readonly string[]]>([
  ["exclude", () => files({ ".git/info/exclude": "new.py\n" }), []],
  ["excludesFile", () => (files({ "../ex": "new.py\n" }), git("config", "core.excludesFile", join(place, "ex"))), []],
  ["the user's own file", () => files({ "../home/.config/git/ignore": "new.py\n.idea\n" }), []],
  ["the .gitignore at the root", () => files({ ".gitignore": "new.py\n" }), [".gitignore"]],
  ["a .gitignore of its own", () => files({ "made/.gitignore": "*\n" }), ["made/.gitignore"]],
  ["a .gitignore in a folder that was there", () => files({ "deep/.gitignore": "*\n" }), ["deep/.gitignore"]],
])("what is new is not hidden by rules that came meanwhile: %s", async (_, hide, also) => {
  const begun = await begin();
  hide();
  files({ "new.py": "x", "made/new.py": "x", "deep/new.py": "x" });
  const changed = [...also, "deep/new.py", "made/new.py", "new.py"].toSorted();
  expect(await changedIn(begun)).toEqual(changed);
  const undone = await open("others");
  expect(await undone.restore(start, changed)).toEqual([]);
  expect(await changedIn(begun)).toEqual([]);
});

test("what was ignored before is none of what changed, whatever became of the rules", async () => {
  const begun = await begin();
  const status = git("status", "--porcelain");
  for (const path of [".gitignore", "deep/.gitignore", "venv/.gitignore", "../home/.config/git/ignore"])
    files({ [path]: "" });
  git("add", "--force", ".env");
  files({ "b.log": "built meanwhile", "deep/b.o": "x", "deep/keep.o": "x", ".env": "KEY=2\n", "forced.log": "two\n" });
  expect(await changedIn(begun)).toEqual([".gitignore", "deep/.gitignore", "deep/keep.o", "forced.log"]);
  expect(status).toBe("");
});

test("rules of the user that are new before the next run are taken over", async () => {
  files({ secret: "x", "b.txt": "x" });
  await begin();
  files({ ".gitignore": `${readFileSync(join(root, ".gitignore"), "utf8")}secret\n` });
  git("update-ref", "-d", start);
  const begun = await begin();
  expect(git("ls-tree", "-r", "--name-only", begun.before)).not.toContain("secret");
  files({ secret: "y", "b.txt": "y" });
  expect(await changedIn(begun)).toEqual(["b.txt"]);
});

test("a repository inside keeps its rules, and one that is made meanwhile has none", async () => {
  git("init", "--quiet", "inner");
  files({ "inner/.gitignore": "*.tmp\n", "inner/code": "x", "inner/a.tmp": "x", "inner/.git/info/exclude": "own\n" });
  files({ "inner/own": "x", "deep/built/more": "x" });
  const begun = await begin();
  files({ "inner/.gitignore": "", "inner/.git/info/exclude": "new\n", "inner/new": "x", "inner/b.tmp": "x" });
  expect(await changedIn(begun)).toEqual(["inner/.gitignore", "inner/new"]);
  rmSync(join(root, "inner/.git"), { recursive: true });
  expect(await changedIn(begun)).toEqual(["inner/.gitignore", "inner/new"]);
  git("init", "--quiet", "made");
  files({ "made/.gitignore": "*\n", "made/code": "x", "made/.git/info/exclude": "code\n", "made/a.log": "x" });
  expect(await changedIn(begun)).toEqual(["inner/.gitignore", "inner/new", "made/.gitignore", "made/code"]);
});

test("many rules hold as few do", async () => {
  const many = Array.from({ length: limits.listedRules }, (_, n) => `/none${n}\n`).join("");
  files({ "deep/.gitignore": `${many}*.o\n`, "big/.gitignore": "*.o\n" });
  const begun = await begin();
  git("init", "--quiet", "made");
  git("-C", "made", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "first");
  files({ "made/code": "x", "made/a.log": "x", "made/.gitignore": "code\n", "deep/b.o": "x", "new.py": "x" });
  const made = ["made/.gitignore", "made/code", "new.py"];
  expect(await changedIn(begun)).toEqual(made);
  files({ "deep/.gitignore": "*.py\n", "deep/new.py": "x" });
  expect(await changedIn(begun)).toEqual(["deep/.gitignore", "deep/new.py", ...made]);
  files({ "deep/.gitignore": `${many}*.o\n`, "big/.gitignore": "*\n", "big/new.py": "x" });
  expect(await changedIn(begun)).toEqual(["big/.gitignore", "big/new.py", "deep/new.py", ...made]);
});

test("a picture that the repository says another one stands for is what it was", async () => {
  const begun = await begin();
  files({ "new.py": "x" });
  const forged = git("rev-parse", "HEAD");
  git("replace", git("rev-parse", start), forged);
  files({ ".git/info/exclude": "new.py\n" });
  expect(await changedIn(begun)).toEqual(["new.py"]);
  expect(await (await open("others")).kept(start)).toBe(begun.before);
});
