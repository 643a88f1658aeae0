import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { performScoped } from "../../test/support/scoped-node.ts";
import { limits } from "../model/limits.ts";
import { createRedactor } from "../runtime/redaction/redactor.ts";
import { createWriteScope } from "./write-scope.ts";

let folder: string;
let tree: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-breach-"));
  tree = join(folder, "tree");
  await mkdir(join(tree, "test"), { recursive: true });
});

afterEach(() => rm(folder, { recursive: true }));

const put = (path: string, text: string): Promise<void> => writeFile(join(tree, path), text);

/** Has a node that may change nothing in `test` do `work`; what is said of it, and the patch that is kept. */
async function breach(work: () => unknown): Promise<{ readonly text: string; readonly patch: string }> {
  const redactor = createRedactor(["canary-5d1"]);
  const scope = createWriteScope({ dataFolder: join(folder, "data"), mask: (text) => redactor.text(text) });
  const result = await performScoped(scope, { cwd: tree, blobs: join(folder, "blobs") }, { protect: ["test"] }, work);
  const text = result.reason?.text ?? "";
  return { text, patch: await readFile(/kept in (.+)$/.exec(text)?.[1] ?? "", "utf8") };
}

test("what was written is kept as a patch", async () => {
  await put("test/a.test.js", "check\n");
  expect((await breach(() => put("test/a.test.js", "skip\n"))).patch).toContain("-check\n+skip\n");
});

test("no secret is told or kept, whether it stood there or was written", async () => {
  await put("test/keys", "old canary-5d1\n");
  const { text, patch } = await breach(() =>
    Promise.all([put("test/keys", "new\n"), put("test/canary-5d1", "canary-5d1\n")]),
  );
  expect(patch).toContain("-old ***\n+new\n");
  expect(patch).toContain("+++ b/test/***\n");
  expect(text).toContain("test/***");
  expect(text + patch).not.toContain("canary");
  expect(await readFile(join(tree, "test/keys"), "utf8")).toBe("old canary-5d1\n");
});

test("what is cut off leaves no part of a secret before it", async () => {
  const secrets = "xxxxx" + "canary-5d1".repeat(Math.floor(limits.snapshotFileBytes / 10));
  const { patch } = await breach(() => put("test/keys", secrets));
  expect(patch.replaceAll("***", "").match(/ca|na|5d/)).toBeNull();
  const long = await breach(() => put("test/keys", "y".repeat(limits.snapshotFileBytes - 10)));
  expect(long.patch).toMatch(/yyy\n… cut\n$/);
});
