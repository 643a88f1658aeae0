import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { performScoped, type ScopedNode } from "../../test/support/scoped-node.ts";
import type { NodeResult } from "../model/outcome.ts";
import { createWriteScope, type WriteScope } from "./write-scope.ts";

let folder: string;
let tree: string;
let scope: WriteScope;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-unseen-"));
  tree = join(folder, "tree");
  await mkdir(join(tree, "src"), { recursive: true });
  await mkdir(join(tree, "test", "deep"), { recursive: true });
  await put("test/deep/a.test.js", "check\n");
  scope = createWriteScope({ dataFolder: join(tree, "data"), mask: String });
});
afterEach(() => rm(folder, { recursive: true }));

const put = (path: string, text: string): Promise<void> => writeFile(join(tree, path), text);
const get = (path: string): Promise<string> => readFile(join(tree, path), "utf8");

/** Performs a node that does `work` in the tree. */
function perform(part: ScopedNode, work: () => unknown): Promise<NodeResult> {
  return performScoped(scope, { cwd: tree, blobs: join(folder, "blobs") }, part, work);
}

test("modules that are tracked or new are held; those that were there are left alone, ignored or not", async () => {
  await mkdir(join(tree, "node_modules/p"), { recursive: true });
  await put("node_modules/p/index.js", "good");
  const more = (): Promise<void> => put("node_modules/p/more.js", "evil");
  expect(await perform({ writes: ["src/**"] }, more)).toEqual({ outcome: "success" });
  scope = createWriteScope({
    dataFolder: join(tree, "data"),
    tracked: () => Promise.resolve(["node_modules/p/index.js"]),
    mask: String,
  });
  const work = (): Promise<unknown> => Promise.all([put("node_modules/p/index.js", ""), put("node_modules/p/new", "")]);
  const { reason } = await perform({ writes: ["src/**"] }, work);
  expect(reason?.text).toContain("may not: node_modules/p/index.js, node_modules/p/new (taken back)");
  const install = async (): Promise<void> => {
    await mkdir(join(tree, "test/node_modules/q"), { recursive: true });
    await put("test/node_modules/q/index.js", "");
  };
  const installed = await perform({ writes: ["src/**"] }, install);
  expect(installed.reason?.text).toContain("it changed what it may not: test/node_modules (taken back)");
  await expect(stat(join(tree, "test/node_modules"))).rejects.toThrow("ENOENT");
  const spelled = ["src/**", "test/node_modules/q/**"];
  expect(await perform({ writes: spelled }, install)).toEqual({ outcome: "success" });
});

test("a repository that was there is left alone, and one that is new is taken back", async () => {
  await mkdir(join(tree, "test/.git"));
  await put("test/.git/config", "");
  const init = async (): Promise<void> => {
    await put("test/.git/config", "[core]\n");
    await mkdir(join(tree, "test/deep/.git/hooks"), { recursive: true });
    await put("test/deep/.git/config", "[core]\n");
    await mkdir(join(tree, "made"));
    await put("made/.git", "gitdir: /elsewhere\n");
  };
  const { reason } = await perform({ writes: ["src/**"], protect: ["test/**"] }, init);
  expect(reason?.text).toContain("it changed what it may not: made/.git, test/deep/.git (taken back)");
  expect(await get("test/.git/config")).toBe("[core]\n");
  for (const path of ["made", "test/deep/.git"]) await expect(stat(join(tree, path))).rejects.toThrow("ENOENT");
  const inside = await perform({ writes: ["src/**"] }, () => mkdir(join(tree, "src/.git")));
  expect(inside).toEqual({ outcome: "success" });
});

test("a folder that is new and empty is a change where nothing that it may write could lie in it", async () => {
  const make = (): Promise<unknown> => mkdir(join(tree, "docs/api"), { recursive: true });
  for (const writes of [["docs/api/v1/*.md"], ["docs/**"], ["**/*.md"], ["*.md"], ["!src/**"]]) {
    expect(await perform({ writes }, make)).toEqual({ outcome: "success" });
    await rm(join(tree, "docs"), { recursive: true });
  }
  const { reason } = await perform({ writes: ["src/**"] }, make);
  expect(reason?.text).toContain("it changed what it may not: docs/api (taken back)");
  await expect(stat(join(tree, "docs"))).rejects.toThrow("ENOENT");
});

test("a pipe that was there may be used, and is not read", async () => {
  execFileSync("mkfifo", [join(tree, "test/pipe"), join(tree, "test/.gitignore")]);
  const use = (): void =>
    void execFileSync("sh", ["-c", "exec 3<>test/pipe; echo x >&3; touch test/pipe"], { cwd: tree });
  expect(await perform({ writes: ["src/**"] }, async () => use())).toEqual({ outcome: "success" });
  const { reason } = await perform({ writes: ["src/**"] }, () => rm(join(tree, "test/pipe")));
  expect(reason?.text).toContain("it changed what it may not: test/pipe (taken back, but not test/pipe)");
});

test("a tree that cannot be looked at afterwards is a failure", async () => {
  const result = await perform({ writes: ["src/**"] }, () => rm(tree, { recursive: true }));
  expect(result).toMatchObject({ outcome: "failure", reason: { code: "write_scope" } });
  expect(result.reason?.text).toContain("what it changed cannot be told: ENOENT");
});
