import { existsSync, readdirSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { type Finished, Place, runIn, trammel } from "./support/cli.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
  place.git("init", "--quiet", "-b", "main");
  place.git("config", "user.name", "A");
  place.git("config", "user.email", "a@b");
  place.file("src/a", "one\n");
  place.file("tests/t", "one\n");
  place.file(".gitignore", "/.home\n/.config\n/.temporary\n.env\n/built\n");
  return () => place[Symbol.dispose]();
});

/** Performs a script in a committed tree. */
function perform(script: string, workspace: string, node = ""): Promise<Finished> {
  const lines = script.replaceAll("\n", "\n      ");
  const blueprint = `name: b\nworkspace: ${workspace}\nnodes:\n  a:\n    type: script${node}\n    run: |\n      ${lines}\n`;
  place.file("b.yaml", blueprint);
  place.git("add", ".");
  place.git("commit", "--quiet", "-m", "first");
  place.file(".env", "KEY=1\n");
  place.file("built/out", "1\n");
  return trammel(["run", "-b", "b.yaml", "--json"], { place });
}

/** One that succeeds; answers the run. */
async function run(script: string): Promise<string> {
  const { code, stdout, stderr } = await perform(script, "{checkpoint: true}");
  expect([code, stderr]).toEqual([0, ""]);
  return runIn(stdout);
}

describe("what a run hides by rules of its own is shown and taken back", () => {
  it.each([
    [".git/info/exclude", "echo tests/new.py >> .git/info/exclude", []],
    ["core.excludesFile", 'echo tests/new.py > .git/more; git config core.excludesFile "$PWD/.git/more"', []],
    [".gitignore", "echo tests/new.py >> .gitignore", [".gitignore"]],
    ["a .gitignore that names itself", "echo '*' > tests/.gitignore", ["tests/.gitignore"]],
    ["attributes", "echo 'tests/** -diff' > .gitattributes", [".gitattributes"]],
    ["attributes of the repository", "mkdir -p .git/info; echo '* -diff' > .git/info/attributes", []],
    ["the index", "git add -A; git update-index --skip-worktree tests/new.py; git commit -qm x", []],
    ["an assumption", "git add -A; git update-index --assume-unchanged tests/new.py", []],
    ["a sparse checkout", "git add -A; git commit -qm x; git sparse-checkout set src 2>/dev/null; mkdir -p tests", []],
    ["a monitor", "git config core.fsmonitor true; git config core.untrackedCache true", []],
  ])("%s", async (_, hide, also) => {
    const tests = place.read("tests/t");
    const id = await run(`echo new > tests/new.py\n${hide}\necho new > tests/new.py`);
    const { stdout } = await trammel(["diff", id], { place });
    expect(stdout).toContain("+++ b/tests/new.py\n@@ -0,0 +1 @@\n+new\n");
    const undone = await trammel(["undo", id], { place });
    expect(undone.code).toBe(0);
    expect(undone.stderr).toMatch(/^took back /);
    for (const path of [...also, "tests/new.py"]) expect(undone.stderr.split("\n", 1)[0]).toContain(path);
    expect([existsSync(place.path("tests/new.py")), place.read("tests/t")]).toEqual([false, tests]);
    const again = await trammel(["undo", id], { place });
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/^nothing of run \S+ is left/) });
  });
});

it("what was ignored before a run is neither shown nor taken away, though the run lets go of the rules", async () => {
  const id = await run("echo > .gitignore; echo 2 > built/more; git add -f .env; echo two > src/a");
  const { stdout } = await trammel(["diff", id], { place });
  expect(stdout.match(/^diff --git .*$/gm)).toEqual([
    "diff --git a/.gitignore b/.gitignore",
    "diff --git a/src/a b/src/a",
  ]);
  const undone = await trammel(["undo", id], { place });
  expect(undone).toMatchObject({ code: 0, stderr: expect.stringMatching(/^took back \.gitignore, src\/a\n/) });
  expect([".env", "built/out", "built/more", "src/a"].map((path) => place.read(path))).toEqual([
    "KEY=1\n",
    "1\n",
    "2\n",
    "one\n",
  ]);
  expect(place.git("log", "--all", "-p", "--", ".env")).toBe("");
});

it.each([
  ["core.worktree", '"$(dirname "$PWD")"', "core.worktree, a setting of the repository, leads to another folder: "],
  ["core.worktree", "/", "core.worktree, a setting of the repository, leads to another folder: /\n"],
  ["core.worktree", '"$PWD/src"', "core.worktree, a setting of the repository, leads to another folder: "],
  ["core.bare", "true", "no working tree of git any more; see core.bare and core.worktree there\n"],
])("a run that sets %s to %s is told, and nothing is written elsewhere", async (key, value, why) => {
  const id = await run(`echo two > src/a; git config ${key} ${value}`);
  for (const command of ["diff", "undo"]) {
    const { code, stderr } = await trammel([command, id], { place });
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(stderr).toMatch(/^trammel: what the run changed cannot be told: /);
  }
  expect(place.read("src/a")).toBe("two\n");
  place.git("config", "--file", ".git/config", "--unset", key);
  expect(await trammel(["undo", id], { place })).toMatchObject({ code: 0 });
  expect(place.read("src/a")).toBe("one\n");
});

describe("what a node may not write is found and taken back", () => {
  const writes = "\n    writes: [src/**]";
  it.each([
    [
      "a repository in a folder that was there",
      "mkdir tests/.git; echo '[core]' > tests/.git/config",
      writes,
      "tests/.git",
    ],
    ["a repository in a folder that is new", "git init -q lib", writes, "lib/.git"],
    ["a pipe in the place of a test", "rm tests/t; mkfifo tests/t", writes, "tests/t"],
    ["a pipe where nothing may be", "mkfifo tests/conftest.py", "", "tests/conftest.py"],
    ["a socket", 'node -e \'require("net").createServer().listen("tests/s", () => process.exit())\'', "", "tests/s"],
    ["modules", "mkdir -p tests/node_modules/x; echo > tests/node_modules/x/i.js", writes, "tests/node_modules"],
    ["modules that are tracked", "echo 2 > vendor/node_modules/x.js", writes, "vendor/node_modules/x.js"],
    ["a file beside those", "echo 2 > vendor/node_modules/y.js", writes, "vendor/node_modules/y.js"],
    ["an empty folder", "mkdir -p docs/v1", writes, "docs/v1"],
    [
      "a write that the index is told not to see",
      "git update-index --assume-unchanged tests/t; echo 2 > tests/t",
      writes,
      "tests/t",
    ],
    [
      "a write that leaves size and time",
      "touch -r tests/t .env; echo two > tests/t; touch -r .env tests/t",
      writes,
      "tests/t",
    ],
    ["a write through another name", "ln tests/t src/b; echo 2 > src/b; rm src/b", writes, "tests/t"],
    ["a write through a link", "ln -s ../tests src/b; echo 2 > src/b/t", writes, "tests/t"],
    ["a name with a line break", "echo > 'tests/a\nb'", writes, '"tests/a\\nb"'],
    ["a name that is no text", "echo > \"$(printf 'tests/\\377')\"", writes, '"tests/\\udcff"'],
    ["a name in other letters", "mkdir Tests; echo > Tests/t", writes, "Tests/t"],
  ])("%s", async (_, script, node, path) => {
    place.file("vendor/node_modules/x.js", "1\n");
    const { code, stdout, stderr } = await perform(script, '{protect: ["tests/**"]}', node);
    expect([code, stderr]).toEqual([1, ""]);
    const shown = await trammel(["show", runIn(stdout)], { place });
    expect(shown.stdout).toContain(`it changed what it may not: ${path} (taken back)`);
    const status = place.git("status", "--porcelain", "--untracked-files=all").split("\n");
    expect(status.filter((line) => line !== "" && line !== "?? src/b")).toEqual([]);
    expect([place.read("tests/t"), readdirSync(place.path("tests"))]).toEqual(["one\n", ["t"]]);
    expect(existsSync(place.path("lib"))).toBe(false);
  });
});
