import { existsSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { Place, runIn, trammel } from "./support/cli.ts";

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

/** Performs a script in a committed tree, and answers the run. */
async function run(script: string, more = "workspace: {checkpoint: true}"): Promise<string> {
  const lines = script.replaceAll("\n", "\n      ");
  place.file("b.yaml", `name: b\n${more}\nnodes:\n  a:\n    type: script\n    run: |\n      ${lines}\n`);
  place.git("add", ".");
  place.git("commit", "--quiet", "-m", "first");
  place.file(".env", "KEY=1\n");
  place.file("built/out", "1\n");
  const { code, stdout, stderr } = await trammel(["run", "-b", "b.yaml", "--json"], { place });
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
