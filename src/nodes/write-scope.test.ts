import { execFileSync } from "node:child_process";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { performScoped, type ScopedNode } from "../../test/support/scoped-node.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import { scratchFile } from "../runtime/scratch/scratch.ts";
import { createWriteScope, type WriteScope } from "./write-scope.ts";

let folder: string;
let tree: string;
let scope: WriteScope;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-writes-"));
  tree = join(folder, "tree");
  await mkdir(join(tree, "src"), { recursive: true });
  await mkdir(join(tree, "test", "deep"), { recursive: true });
  await mkdir(join(tree, "data"));
  await writeFile(join(tree, ".gitignore"), "dist/\n.env\n");
  await writeFile(join(tree, ".env"), "KEY=1");
  await writeFile(join(tree, "src", "a.js"), "one\n");
  await writeFile(join(tree, "test", "deep", "a.test.js"), "check\n");
  await writeFile(join(tree, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  await symlink("src", join(tree, "link"));
  scope = createWriteScope({ dataFolder: join(tree, "data"), mask: String });
});

afterEach(() => rm(folder, { recursive: true }));

/** Performs a node that does `work` in the tree. */
function perform(part: ScopedNode, work: () => unknown): Promise<NodeResult> {
  return performScoped(scope, { cwd: tree, blobs: join(folder, "blobs") }, part, work);
}

const put = (path: string, text: string): Promise<void> => writeFile(join(tree, path), text);
const get = (path: string): Promise<string> => readFile(join(tree, path), "utf8");

test("what Trammel itself writes meanwhile is no work of the node, though all around it is", async () => {
  scope = createWriteScope({
    dataFolder: join(tree, "data"),
    isOurs: (file) => file === join(tree, "test", "n.1.jsonl"),
    mask: String,
  });
  const record = (): Promise<void> => put("test/n.1.jsonl", "{}\n");
  expect(await perform({ writes: ["src/**"], protect: ["test"] }, record)).toEqual({ outcome: "success" });
  expect(await get("test/n.1.jsonl")).toBe("{}\n");
  const both = (): Promise<unknown> => Promise.all([record(), put("test/other.jsonl", "")]);
  const { reason } = await perform({ writes: ["src/**"] }, both);
  expect(reason?.text).toContain("it changed what it may not: test/other.jsonl (taken back)");
});

test("the records of the blueprint, which Trammel writes while other nodes are at work, are no work of the node", async () => {
  const records = { state: "state.md", counters: "test/counts.json" };
  const written = ["state.md", "test/counts.json", "test/counts.json.17.tmp"];
  const work = (): Promise<unknown> => Promise.all(written.map((path) => put(path, "{}")));
  expect(await perform({ writes: ["src/**"], protect: ["test"], records }, work)).toEqual({ outcome: "success" });
  const { reason } = await perform({ writes: ["src/**"], records }, () => put("src/../test/state.md", ""));
  expect(reason?.text).toContain("it changed what it may not: test/state.md (taken back)");
});

test("a node without a scope writes what it likes", async () => {
  expect(await perform({}, () => put("src/a.js", "two\n"))).toEqual({ outcome: "success" });
  expect(await get("src/a.js")).toBe("two\n");
});

test("what lies in its scope, is ignored or is our own may change", async () => {
  const result = await perform({ writes: ["src/**"], protect: ["test"] }, async () => {
    await put("src/a.js", "two\n");
    await put("src/new.js", "new");
    await mkdir(join(tree, "dist"));
    await put("dist/out.js", "built");
    await put("data/journal", "x");
  });
  expect(result).toEqual({ outcome: "success" });
  expect(await get("src/new.js")).toBe("new");
});

test("what is ignored is told by the rules that were there before it began", async () => {
  const hidden = async (): Promise<void> => {
    await mkdir(join(tree, "evil"));
    await put("evil/.gitignore", "*\n");
    await put("evil/conftest.py", "x");
  };
  const { reason } = await perform({ writes: ["src/**"] }, hidden);
  expect(reason?.text).toContain("it changed what it may not: evil/.gitignore, evil/conftest.py (taken back)");
  await expect(get("evil/.gitignore")).rejects.toThrow("ENOENT");
  const ruled = (): Promise<unknown> =>
    Promise.all([put(".gitignore", "new.js\n"), put("new.js", "x"), put(".env", "")]);
  const result = await perform({ writes: ["src/**", ".gitignore"] }, ruled);
  expect(result.reason?.text).toContain("it changed what it may not: new.js (taken back)");
});

test("modules are held where they are named, and left alone otherwise", async () => {
  await mkdir(join(tree, "node_modules/p"), { recursive: true });
  await put(".gitignore", "node_modules/\n");
  await put("node_modules/p/index.js", "good");
  const evil = (): Promise<void> => put("node_modules/p/index.js", "evil");
  const { reason } = await perform({ protect: ["node_modules/**"] }, evil);
  expect(reason?.text).toContain("it changed what it may not: node_modules/p/index.js (taken back)");
  expect(await get("node_modules/p/index.js")).toBe("good");
  const others = ["**/*.js", "node_modules/q/**"];
  expect(await perform({ protect: others, writes: ["src/**"] }, evil)).toEqual({ outcome: "success" });
});

test("a node whose tree Git cannot tell about does not begin", async () => {
  scope = createWriteScope({
    dataFolder: join(tree, "data"),
    tracked: () => Promise.reject(new Error("bad index file")),
    mask: String,
  });
  const begun: string[] = [];
  const result = await perform({ writes: ["src/**"] }, () => Promise.resolve(begun.push("n")));
  expect(result).toMatchObject({ outcome: "error", beforeEffect: true });
  expect(result.reason?.text).toBe("its writes cannot be watched: bad index file");
  expect(begun).toEqual([]);
});

test("a folder of hooks that it may not write is held where Git ignores what is in it, too", async () => {
  await put(".gitignore", "dist\n.husky/_\n");
  await mkdir(join(tree, ".husky/_"), { recursive: true });
  await put(".husky/_/pre-commit", "true\n");
  const writes = ["!.husky/**", "!dist/**"];
  const { reason } = await perform({ writes }, () => put(".husky/_/pre-commit", "evil\n"));
  expect(reason?.text).toContain("it changed what it may not: .husky/_/pre-commit (taken back)");
  expect(await get(".husky/_/pre-commit")).toBe("true\n");
  await mkdir(join(tree, "dist"));
  expect(await perform({ writes }, () => put("dist/out.js", "built"))).toEqual({ outcome: "success" });
});

describe("a breach is a failure and taken back", () => {
  const cases: readonly [string, ScopedNode, () => Promise<unknown>, string][] = [
    ["a changed file", { writes: ["src/**"] }, () => put("test/deep/a.test.js", "nothing"), "test/deep/a.test.js"],
    ["a new file", { writes: ["src/**"] }, () => put("new.js", "x"), "new.js"],
    [
      "a removed folder",
      { writes: ["src/**"] },
      () => rm(join(tree, "test"), { recursive: true }),
      "test/deep/a.test.js",
    ],
    [
      "a folder that became a file",
      { writes: ["src/**"] },
      () => rm(join(tree, "test"), { recursive: true }).then(() => put("test", "x")),
      "test",
    ],
    ["a mode", { writes: ["src/**"] }, () => chmod(join(tree, "run.sh"), 0o644), "run.sh"],
    [
      "a link",
      { writes: ["src/**"] },
      () => rm(join(tree, "link")).then(() => symlink("/etc", join(tree, "link"))),
      "link",
    ],
    [
      "a protected file in its scope",
      { writes: ["**"], protect: ["*.test.js"] },
      () => put("test/deep/a.test.js", ""),
      "test/deep/a.test.js",
    ],
    [
      "a file that became a pipe",
      { writes: ["src/**"] },
      () => rm(join(tree, "run.sh")).then(() => execFileSync("mkfifo", [join(tree, "run.sh")])),
      "run.sh",
    ],
    [
      "a new pipe",
      { protect: ["test/**"] },
      () => Promise.resolve(execFileSync("mkfifo", [join(tree, "test/conftest.py")])),
      "test/conftest.py",
    ],
    [
      "a write through another name",
      { writes: ["src/**"] },
      async () => {
        await link(join(tree, "run.sh"), join(tree, "src/b.js"));
        await put("src/b.js", "evil");
        await rm(join(tree, "src/b.js"));
      },
      "run.sh",
    ],
    ["a protected file that is ignored", { protect: ["./.env"] }, () => put(".env", "KEY=2"), ".env"],
  ];

  test.each(cases)("%s", async (_name, part, work, path) => {
    const before = await picture();
    const result = await perform({ ...part, result: { outcome: "success", option: "approve", value: 1 } }, work);
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "write_scope" }, beforeEffect: false });
    expect(result.reason?.text).toContain(`it changed what it may not: ${path}`);
    expect(result.reason?.text).toContain("(taken back)");
    expect(result).not.toHaveProperty("option");
    expect(await picture()).toEqual(before);
  });

  test("while what it may change stays", async () => {
    await perform({ writes: ["src/**"] }, async () => {
      await put("src/a.js", "two\n");
      await put("new.js", "x");
    });
    expect(await get("src/a.js")).toBe("two\n");
  });

  test("and is not turned into a success by `expect: failure`", async () => {
    const result = await perform({ writes: [], expect: "failure" }, () => put("new.js", "x"));
    expect(result).toMatchObject({ outcome: "error", reason: { code: "write_scope" } });
  });

  test("but no stronger cause than a stop or a timeout", async () => {
    const stopped = { outcome: "cancelled", reason: { code: "cancelled", text: "stopped" } } as const;
    const result = await perform({ writes: [], result: stopped }, () => put("new.js", "x"));
    expect(result).toMatchObject({
      outcome: "cancelled",
      reason: { code: "cancelled", text: expect.stringContaining("stopped; it changed") },
    });
    expect(await readdir(tree)).not.toContain("new.js");
  });

  test("naming the first of many", async () => {
    const { reason } = await perform({ writes: [] }, () =>
      Promise.all(Array.from({ length: 9 }, (_, n) => put(`n${n}`, ""))),
    );
    expect(reason?.text).toContain(`n4 and ${9 - limits.evidenceLines} more`);
  });
});

test("nothing is taken back where another node was at work in the tree", async () => {
  const gate = Promise.withResolvers<undefined>();
  const other = perform({}, () => gate.promise);
  const result = await perform({ writes: [] }, () => put("new.js", "x"));
  gate.resolve(undefined);
  await other;
  expect(result.reason?.text).toContain("left as it is, since other nodes were at work");
  expect(await get("new.js")).toBe("x");
  expect((await perform({ writes: [] }, () => put("other.js", "x"))).reason?.text).toContain("taken back");
});

test("no copies are left behind", async () => {
  const copies = (): Promise<readonly string[]> => readdir(dirname(scratchFile()));
  const before = await copies();
  await perform({ writes: [] }, () => put("new.js", "x"));
  expect(await copies()).toEqual(before);
});

/** Every file of the tree with content, mode or target. */
async function picture(): Promise<readonly string[]> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (entry) => {
    const file = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return `${file} -> ${await readlink(file)}`;
    return entry.isFile() ? `${file} ${(await stat(file)).mode} ${await readFile(file, "utf8")}` : file;
  });
  return (await Promise.all(lines)).toSorted();
}

describe("what git keeps for itself", () => {
  beforeEach(async () => {
    await mkdir(join(tree, ".git", "hooks"), { recursive: true });
    await mkdir(join(tree, ".git", "objects"));
    await writeFile(join(tree, ".git", "config"), "[core]\n");
  });

  const plant = async (): Promise<void> => {
    await writeFile(join(tree, ".git", "hooks", "pre-commit"), "#!/bin/sh\n", { mode: 0o755 });
    await writeFile(join(tree, ".git", "config"), "[core]\nhooksPath = x\n");
    await writeFile(join(tree, ".git", "objects", "x"), "an object");
  };

  test.each<[string, ScopedNode]>([
    ["protect", { protect: [".git/hooks/**", ".git/config"] }],
    ["writes", { writes: ["!.git/hooks/**", "!.git/config"] }],
  ])("is held by %s as far as that names it", async (_name, part) => {
    expect(await perform(part, plant)).toMatchObject({
      outcome: "failure",
      reason: { text: expect.stringContaining("may not: .git/config, .git/hooks/pre-commit (taken back)") },
    });
    expect(await readdir(join(tree, ".git", "hooks"))).toEqual([]);
    expect(await readFile(join(tree, ".git", "config"), "utf8")).toBe("[core]\n");
    expect(await readdir(join(tree, ".git", "objects"))).toEqual(["x"]);
  });

  test("is left alone where nothing names it", async () => {
    expect(await perform({ protect: ["*"] }, plant)).toMatchObject({ outcome: "success" });
  });
});
