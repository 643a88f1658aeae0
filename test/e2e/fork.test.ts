import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { trammel, type Place, runIn } from "./support/cli.ts";
import { committed, succeeded } from "./support/repository.ts";

let place: Place;
beforeEach(async () => {
  place = committed({ "kept.txt": "one\n", "b.yaml": branching });
  place.file("mine.txt", "untracked\n");
  await trammel(["runs"], { place }); // makes the data folder
  place.file(".home/b", "first\n");
  return () => place[Symbol.dispose]();
});

const run = (): Promise<string> => succeeded(place);

const branching = `name: branching
workspace: {checkpoint: true}
entry: a
nodes:
  a: {type: script, run: echo a > kept.txt}
  b: {type: script, run: "cat .home/b >> kept.txt; cat kept.txt"}
edges: [{from: a, to: b}]
`;

const asks = `name: asks
workspace: {checkpoint: true}
entry: a
nodes:
  a: {type: script, run: echo a > kept.txt}
  ask: {type: human, mode: approval, prompt: Go on?}
edges: [{from: a, to: ask}]
`;

describe("fork", () => {
  it("begins with the tree before the node, and leaves a journal that can be recomputed", async () => {
    const id = await run();
    place.file(".home/b", "second\n");
    const forked = await trammel(["fork", id, "--at", "b"], { place });
    expect([forked.code, forked.stdout]).toEqual([0, "a\nsecond\n"]);
    const newest = JSON.parse((await trammel(["runs", "--json"], { place })).stdout).runs[0].run;
    const replayed = await trammel(["replay", newest], { place });
    expect([replayed.code, replayed.stdout]).toEqual([0, expect.stringMatching(/recomputed, the same\n$/)]);
    expect(place.git("show", `refs/trammel/${newest}/undone-1:kept.txt`)).toBe("a\nfirst");
  });

  it("asks the gate before its node again, as the yes was for what the earlier run did, and so does its fork", async () => {
    place.file(
      "gated.yaml",
      `name: gated
entry: ask
nodes:
  ask: {type: human, mode: approval, prompt: "Ship it?"}
  ship: {type: script, run: "echo shipped >> .home/log"}
edges: [{from: ask, when: success, to: ship}]
`,
    );
    const parked = await trammel(["run", "-b", "gated.yaml", "--detach", "--json"], { place });
    let id = runIn(parked.stdout);
    expect((await trammel(["answer", id, "ask", "yes"], { place })).code).toBe(0);
    const alone = await trammel(["fork", id, "--at", "ship", "--keep-tree"], { place });
    expect([alone.code, alone.stderr]).toEqual([
      1,
      expect.stringContaining("what ask approved does not stand, since it was answered for the run that this one is"),
    ]);
    for (const times of [2, 3]) {
      const forked = await trammel(["fork", id, "--at", "ship", "--keep-tree", "--detach", "--json"], { place });
      expect([forked.code, place.read(".home/log").split("\n").length - 1]).toEqual([5, times - 1]);
      id = runIn(forked.stdout);
      expect((await trammel(["answer", id, "ship", "yes"], { place })).code).toBe(0);
      expect(place.read(".home/log")).toBe("shipped\n".repeat(times));
      expect((await trammel(["replay", id], { place })).code).toBe(0);
    }
  });

  it("does not touch what others changed while the run stood still, and neither does undo", async () => {
    place.file("asks.yaml", asks);
    const parked = await trammel(["run", "-b", "asks.yaml", "--detach", "--json"], { place });
    const id = runIn(parked.stdout);
    place.file("mine.txt", "edited\n");
    expect((await trammel(["stop", id], { place })).code).toBe(0);
    const refused = await trammel(["fork", id, "--at", "a"], { place });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/others changed mine\.txt\n.*--keep-tree/),
    ]);
    expect((await trammel(["undo", id], { place })).stderr).toContain("mine.txt");
    expect([place.read("mine.txt"), place.read("kept.txt")]).toEqual(["edited\n", "one\n"]);
  });

  it("does not touch what others changed since, and goes on without with --keep-tree", async () => {
    const id = await run();
    place.file("kept.txt", "mine\n");
    const refused = await trammel(["fork", id, "--at", "b#1"], { place });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/others changed kept\.txt\n.*--keep-tree/),
    ]);
    expect(place.read("kept.txt")).toBe("mine\n");
    const kept = await trammel(["fork", id, "--at", "b", "--keep-tree"], { place });
    expect([kept.code, kept.stdout]).toEqual([0, "mine\nfirst\n"]);
  });
});

describe("fork of a run with a worktree", () => {
  const said = (text: string): string => place.path(`.home/${text}`);

  /** A run that commits, leaves something open, and fails; answers it and its worktree. */
  async function failed(checkpoint = true): Promise<{ readonly id: string; readonly root: string }> {
    place.file(
      "b.yaml",
      `name: branching
workspace: {isolate: worktree, checkpoint: ${checkpoint}, carry: [mine.txt], setup: "cp mine.txt made.txt"}
entry: a
nodes:
  a: {type: script, run: "echo a > kept.txt; git commit -qam a; echo open > open.txt; rm b.yaml; mkdir deep; mv made.txt deep"}
  b: {type: script, run: "cat ${said("b")} >> kept.txt; echo b > open.txt; git commit -qam b; cat kept.txt; exit $(cat ${said("exit")})"}
edges: [{from: a, to: b}]
`,
    );
    place.file(".home/exit", "1");
    const ran = await trammel(["run", "-b", "b.yaml", "--json"], { place });
    const id = runIn(ran.stdout);
    const root = /stays: (\S+) \(branch/.exec(ran.stderr)?.[1] ?? "";
    place.file(".home/b", "second\n");
    place.file("mine.txt", "new\n");
    return { id, root };
  }

  const open = ["?? deep/", "?? mine.txt", "?? open.txt"].join("\n");
  const seen = (root: string): readonly string[] => [
    ...["kept.txt", "open.txt", "mine.txt", "deep/made.txt"].map((path) => readFileSync(`${root}/${path}`, "utf8")),
    place.git("-C", root, "status", "--porcelain"),
    place.git("-C", root, "log", "-2", "--format=%s"),
  ];

  it("works in another one that begins as the tree was before the node, and leaves the first as it is", async () => {
    const { id, root } = await failed();
    const before = seen(root);
    const forked = await trammel(["fork", id, "--at", "b"], { place });
    expect([forked.code, forked.stdout]).toEqual([1, "a\nsecond\n"]);
    const other = /stays: (\S+) \(branch/.exec(forked.stderr)?.[1] ?? "";
    expect(seen(other)).toEqual(["a\nsecond\n", "b\n", "untracked\n", "untracked\n", open, "b\na"]);
    expect([seen(root), before[0]]).toEqual([before, "a\nfirst\n"]);
    expect([place.read("kept.txt"), place.git("branch", "--show-current")]).toEqual(["one\n", "main"]);
  });

  it("needs no worktree of the first any more, and can begin as that left it", async () => {
    const { id, root } = await failed(false);
    const refused = await trammel(["fork", id, "--at", "b"], { place });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(
        /no checkpoint .* of b in run .*\n.*--keep-tree, which begins with the tree as \S+ left it/,
      ),
    ]);
    place.git("worktree", "remove", "--force", root);
    place.file(".home/exit", "0");
    const kept = await trammel(["fork", id, "--at", "b", "--keep-tree"], { place });
    expect([kept.code, kept.stdout]).toEqual([0, "a\nfirst\nsecond\n"]);
    // What the first run had open is open still, so that the worktree stays.
    const other = /stays, as not all .*: (\S+) \(branch/.exec(kept.stderr)?.[1] ?? "";
    expect(seen(other).slice(-2)).toEqual([open, "b\nb"]);
  });
});
