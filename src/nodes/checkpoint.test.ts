import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Blueprint } from "../model/blueprint.ts";
import type { NodeType } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { ActionContext, Performer, Progress } from "../ports/performer.ts";
import { picturesOf } from "../runtime/workspace/pictures.ts";
import { createCheckpoints } from "./checkpoint.ts";

const env = { PATH: process.env["PATH"], HOME: "/nowhere" };
const error: NodeResult = { outcome: "error" };
let place: string;
let root: string;
let checkpoint: ReturnType<typeof createCheckpoints>;
let said: string[];

beforeEach(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-checkpoint-")));
  root = join(place, "project");
  mkdirSync(root);
  git("init", "--quiet", "-b", "main");
  write("code.txt", "one\n");
  git("add", ".");
  commit("first");
  write("mine.txt", "untracked\n");
  said = [];
  const options = { home: join(place, "home"), env, folder: join(place, "trees"), project: root, records: {} };
  const snapshots = await picturesOf(root, { ...options, since: "refs/trammel/r/start" });
  checkpoint = createCheckpoints(() => Promise.resolve(snapshots));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, env, encoding: "utf8" }).trim();
}

function commit(message: string): void {
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", message);
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

type Work = () => Promise<NodeResult> | NodeResult;

function perform(attempt: number, work: Work, node = "a", type: NodeType = "script"): Promise<NodeResult> {
  const performer: Performer = {
    type,
    class: "deterministic",
    missing: () => null,
    perform: () => Promise.resolve(work()),
  };
  const context = {
    run: "r",
    cwd: root,
    attempt: { node, pass: 1, attempt },
    blueprint: { workspace: { checkpoint: true } } as Blueprint,
    report: (progress: Progress) => void (progress.kind === "line" && said.push(progress.text)),
  } as unknown as ActionContext; // nothing else is looked at
  return checkpoint(performer).perform(context);
}

test("a retry begins from the tree before the pass; what is the user's and what was committed stays", async () => {
  await perform(1, () => {
    write("code.txt", "broken\n");
    git("add", "code.txt");
    commit("by the agent");
    write("half.txt", "half\n");
    return error;
  });
  const head = git("rev-parse", "HEAD");
  write("later.txt", "by the user\n");
  await perform(2, () => {
    expect([read("code.txt"), existsSync(join(root, "half.txt"))]).toEqual(["one\n", false]);
    expect([read("mine.txt"), read("later.txt")]).toEqual(["untracked\n", "by the user\n"]);
    return { outcome: "success" };
  });
  expect(git("rev-parse", "HEAD")).toBe(head);
  expect(git("show", "refs/trammel/r/a#1.1:half.txt")).toBe("half");
  expect(git("show", "refs/trammel/r/a#1:mine.txt")).toBe("untracked");
  expect(said).toEqual([]);
});

test("what others changed since is left as it is, and said", async () => {
  await perform(1, () => {
    write("code.txt", "broken\n");
    return error;
  });
  write("code.txt", "mended by hand\n");
  await perform(2, () => ({ outcome: "success" }));
  expect(read("code.txt")).toBe("mended by hand\n");
  expect(said).toEqual(["not taken back from the attempt before: code.txt"]);
});

test("nothing is taken back where another node was at work in the same tree", async () => {
  const together = Promise.withResolvers<void>();
  const first = perform(1, async () => {
    write("code.txt", "broken\n");
    await together.promise;
    return error;
  });
  await perform(1, () => ({ outcome: "success" }), "b");
  together.resolve();
  await first;
  await perform(2, () => ({ outcome: "success" }));
  expect(read("code.txt")).toBe("broken\n");
  expect(said).toEqual([expect.stringMatching(/^the tree stays as the attempt before left it/)]);
});

test("a tree that cannot be kept is an error before any effect", async () => {
  rmSync(join(root, ".git"), { recursive: true });
  const performed: string[] = [];
  const result = await perform(1, () => {
    performed.push("a");
    return { outcome: "success" };
  });
  expect(result).toMatchObject({ outcome: "error", beforeEffect: true, reason: { code: "could_not_start" } });
  expect(performed).toEqual([]);
});

test("a gate has nothing to do with the tree", async () => {
  await perform(1, () => error, "a", "human");
  expect(git("for-each-ref", "refs/trammel")).toBe("");
});
