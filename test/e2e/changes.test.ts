import { existsSync, readFileSync, rmSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { lastLine, start, trammel, Place, runIn } from "./support/cli.ts";
import { committed, succeeded } from "./support/repository.ts";

/** A run that has its tree to itself, changes a file, makes one, takes one away and commits. */
const work = `name: work
entry: a
nodes:
  a:
    type: script
    writes: ["**"]
    run: |
      echo two > kept.txt
      rm mine.txt
      git add kept.txt
      git commit --quiet -m agent
      mkdir made
      echo new > made/new.txt
edges: []
`;

let place: Place;
beforeEach(() => {
  place = committed({ "kept.txt": "one\n", "b.yaml": work });
  place.file("mine.txt", "untracked\n");
  return () => place[Symbol.dispose]();
});

const run = (): Promise<string> => succeeded(place);

describe("diff", () => {
  it("shows what the run changed, committed or not, and nothing that came later", async () => {
    const id = await run();
    place.file("later.txt", "by the user\n");
    const { code, stdout } = await trammel(["diff", id], { place });
    expect(code).toBe(0);
    expect(stdout.match(/^diff --git .*$/gm)).toEqual([
      "diff --git a/kept.txt b/kept.txt",
      "diff --git a/made/new.txt b/made/new.txt",
      "diff --git a/mine.txt b/mine.txt",
    ]);
    expect(stdout).toContain("-one\n+two\n");
  });

  it("says so where nothing was kept", async () => {
    place.file("b.yaml", work.replace(/ {4}writes.*\n/, ""));
    const { code, stderr } = await trammel(["diff", await run()], { place });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^trammel: nothing tells what run \S+ changed\n {2}/)]);
  });

  it("says where it looked for pictures that are gone", async () => {
    const id = await run();
    for (const ref of place.git("for-each-ref", "--format=%(refname)", "refs/trammel").split("\n"))
      place.git("update-ref", "-d", ref);
    expect(await trammel(["diff", id], { place })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(`No pictures of it, refs/trammel/${id}, are in .+: it is no repository, `),
    });
  });

  it("of a run inside another is told of the one around it", async () => {
    place.file("outer.yaml", "name: outer\nentry: sub\nnodes:\n  sub: {type: call, blueprint: ./b.yaml}\n");
    place.git("add", "outer.yaml");
    place.git("commit", "--quiet", "-m", "outer");
    const done = await trammel(["run", "-b", "outer.yaml", "--json"], { place });
    const id = String(lastLine(done)["run"]);
    const inner = /^ +(\w{20}) {2}work/m.exec((await trammel(["show", id], { place })).stdout)?.[1] ?? "";
    const { code, stderr } = await trammel(["diff", inner], { place });
    expect([code, stderr]).toEqual([
      2,
      `trammel: run ${inner} is part of sub in run ${id}\n  What changed is told of all of it: trammel diff ${id}\n`,
    ]);
    expect((await trammel(["diff", id], { place })).stdout).toContain("-one\n+two\n");
  });
});

describe("fork", () => {
  it("puts the tree back for one of two at the same moment, and not while that one works", async () => {
    const [go, log] = [place.path("go"), place.path("log.txt")];
    place.file(".gitignore", ".home\n.config\n.temporary\ngo\n");
    place.file(
      "b.yaml",
      `name: b
workspace: {checkpoint: true}
nodes:
  a: {type: script, run: "echo a > log.txt"}
  b: {type: script, run: "echo b >> log.txt; until test -e go; do sleep 0.02; done"}
edges: [{from: a, to: b}]
`,
    );
    place.file("go", "");
    const id = await run();
    rmSync(go);
    const forks = [1, 2].map(() => start(["fork", id, "--at", "b", "--json"], { place }));
    const loser = await Promise.race(forks.map(({ end }) => end));
    expect([loser.code, loser.stderr]).toEqual([
      2,
      expect.stringMatching(/^trammel: run \S+ \(b\) (waits for|is working in) /),
    ]);
    await expect.poll(() => readFileSync(log, "utf8")).toBe("a\nb\n");
    place.file("go", "");
    const ends = await Promise.all(forks.map(({ end }) => end));
    expect(ends.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(readFileSync(log, "utf8")).toBe("a\nb\n");
  });
});

describe("undo", () => {
  it("names the repositories that it cannot bring back or take away", async () => {
    place.git("init", "-q", "theirs/deep");
    place.file("theirs/deep/x.txt", "mine\n");
    place.file(
      "b.yaml",
      work.replace(/run: \|[^]*?(?=edges)/, `run: "git init -q made; echo x > made/x; rm -r theirs"\n`),
    );
    const { code, stderr } = await trammel(["undo", await run()], { place });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^ {2}No repository any more, and its commits do not come back: theirs\/deep$/m);
    expect(stderr).toMatch(/^ {2}A repository since the run began, whose \.git stays: made$/m);
    expect([place.read("theirs/deep/x.txt"), existsSync(place.path("made/x"))]).toEqual(["mine\n", false]);
  });

  it("takes back what the run changed and touches nothing else; its commit stays", async () => {
    const id = await run();
    const head = place.git("rev-parse", "HEAD");
    place.file("later.txt", "by the user\n");
    const undone = await trammel(["undo", id], { place });
    expect(undone.code).toBe(0);
    expect([place.read("kept.txt"), place.read("mine.txt"), place.read("later.txt")]).toEqual([
      "one\n",
      "untracked\n",
      "by the user\n",
    ]);
    expect([existsSync(place.path("made")), place.git("rev-parse", "HEAD")]).toEqual([false, head]);
    expect(place.git("show", `refs/trammel/${id}/undone-1:made/new.txt`)).toBe("new");
    const again = await trammel(["undo", id], { place });
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/^nothing of run \S+ is left/) });
  });

  it("refuses where others changed the same paths since, and with --force keeps what they wrote", async () => {
    const id = await run();
    place.file("kept.txt", "three\n");
    const refused = await trammel(["undo", id], { place });
    expect([refused.code, refused.stderr, place.read("kept.txt")]).toEqual([
      2,
      expect.stringMatching(/^trammel: since run \S+ others changed kept\.txt\n {2}--force/),
      "three\n",
    ]);
    expect(existsSync(place.path("made/new.txt"))).toBe(true);
    expect((await trammel(["undo", id, "--force"], { place })).code).toBe(0);
    expect(place.read("kept.txt")).toBe("one\n");
    expect(place.git("show", `refs/trammel/${id}/undone-1:kept.txt`)).toBe("three");
  });

  it("is done once where two ask for it at the same moment, and what stood there before is kept", async () => {
    const id = await run();
    const both = await Promise.all([1, 2].map(() => trammel(["undo", id], { place })));
    expect(both.some(({ stderr }) => stderr.startsWith("took back"))).toBe(true);
    for (const { stderr } of both) expect(stderr).toMatch(/^took back|^nothing of run|waits for/);
    expect([place.read("kept.txt"), place.read("mine.txt")]).toEqual(["one\n", "untracked\n"]);
    expect(place.git("show", `refs/trammel/${id}/undone-1:made/new.txt`)).toBe("new");
  });

  it("waits for a run that is not over", async () => {
    place.file("b.yaml", work.replace("echo two", "until test -e go; do sleep 0.05; done; echo two"));
    const running = start(["run", "-b", "b.yaml", "--json"], { place });
    await running.until(/"node\.process"/);
    const id = runIn(running.stdout);
    const refused = await trammel(["undo", id, "--force"], { place });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^trammel: run \S+ is not over\n/)]);
    place.file("go", "");
    expect((await running.end).code).toBe(0);
  });
});

/** The first attempt leaves something half done and cannot go on; the second wants to find nothing of it. */
const retried = `name: retried
workspace: {checkpoint: true}
entry: a
nodes:
  a:
    type: script
    idempotent: true
    retry: 1
    run: |
      if mkdir .home/once 2>/dev/null; then echo half > half.txt; echo two > kept.txt; exit 127; fi
      test ! -e half.txt && cat kept.txt mine.txt
edges: []
`;

describe("checkpoint", () => {
  it("lets a retry begin from the tree before it", async () => {
    place.file("b.yaml", retried);
    const { code, stdout, stderr } = await trammel(["run", "-b", "b.yaml", "--plain"], { place });
    expect([code, stdout, stderr]).toEqual([0, "one\nuntracked\n", expect.stringContaining("again in")]);
  });

  it("is refused where there is no repository", async () => {
    using elsewhere = new Place();
    elsewhere.file("b.yaml", retried);
    const { code, stderr } = await trammel(["run", "-b", "b.yaml"], { place: elsewhere });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/workspace\.checkpoint: \S+ is in no working tree of git\n/),
    ]);
  });
});

describe("a worktree of the run's own", () => {
  it("is prepared by a command that finds the inputs of the run", async () => {
    place.file(
      "b.yaml",
      `name: prepared
inputs: {who: string}
workspace: {isolate: worktree, setup: 'echo "$TRAMMEL_INPUT_WHO: $TRAMMEL_INPUT_TASK" > who.txt'}
nodes: {say: {type: script, run: cat who.txt}}
`,
    );
    const ran = await trammel(["run", "greet", "-b", "b.yaml", "--input", "who=Ada"], { place });
    expect(ran).toMatchObject({ code: 0, stdout: "Ada: greet\n" });
  });

  it("is said not to be prepared with what the command said, a line each", async () => {
    const setup = "echo one >&2; echo two; exit 7";
    place.file(
      "b.yaml",
      `name: x\nworkspace: {isolate: worktree, setup: '${setup}'}\nnodes: {a: {type: script, run: ls}}\n`,
    );
    expect((await trammel(["run", "-b", "b.yaml"], { place })).stderr).toMatch(
      /^trammel: workspace\.setup did not succeed \(exit 7\)\n {2}one\n {2}two\n {2}mend it/m,
    );
  });

  it("is where git works, though a hook that started Trammel was told of another place", async () => {
    place.file(
      "b.yaml",
      `name: committing
workspace: {isolate: worktree}
nodes: {save: {type: script, run: "echo two > kept.txt && git commit --quiet -a -m agent && git rev-parse --abbrev-ref HEAD"}}
`,
    );
    const told = { GIT_DIR: place.path(".git"), GIT_INDEX_FILE: place.path(".git/index"), GIT_PREFIX: "" };
    const ran = await trammel(["run", "-b", "b.yaml"], { place, env: told });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^trammel\//) });
    expect([
      place.git("log", "--format=%s"),
      place.git("diff", "--cached", "--name-only"),
      place.read("kept.txt"),
    ]).toEqual(["first", "", "one\n"]);
  });

  it("is shown while it is there, and its changes can be seen but not undone once it is gone", async () => {
    place.file(
      "b.yaml",
      work.replace("entry: a", "workspace: {isolate: worktree}\nentry: a").replace("rm mine.txt", ""),
    );
    const id = await idOfStaying();
    const shown = await trammel(["show", id], { place });
    const root = /^worktree +(\S+)$/m.exec(shown.stdout)?.[1] ?? "";
    expect(readFileSync(`${root}/made/new.txt`, "utf8")).toBe("new\n");
    expect([place.read("kept.txt"), existsSync(place.path("made"))]).toEqual(["one\n", false]);
    place.git("worktree", "remove", "--force", root);
    const seen = await trammel(["diff", id], { place });
    expect(seen.stdout.match(/^diff --git .*$/gm)).toEqual([
      "diff --git a/kept.txt b/kept.txt",
      "diff --git a/made/new.txt b/made/new.txt",
    ]);
    const undone = await trammel(["undo", id], { place });
    expect([undone.code, undone.stderr]).toEqual([
      2,
      expect.stringMatching(/^trammel: the worktree of run \S+ is gone/),
    ]);
  });
});

/** A run whose worktree stays, which it says. */
async function idOfStaying(): Promise<string> {
  const { code, stdout, stderr } = await trammel(["run", "-b", "b.yaml", "--json"], { place });
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(
      /^the worktree of run \S+ stays, as not all that the run changed is committed: \S+ \(branch trammel\/\S+\)\n$/,
    ),
  ]);
  return runIn(stdout);
}
