import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changedPaths, scanTree, type Tree, type TreeEntry } from "./scan.ts";

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "trammel-scan-"));
  file = join(root, "a");
  writeFileSync(file, "check");
});
afterEach(() => rmSync(root, { recursive: true }));

async function entry(known?: Tree): Promise<TreeEntry> {
  const tree = await scanTree(root, { except: [], ...(known === undefined ? {} : { known }) });
  const found = tree.get("a");
  if (found === undefined) throw new Error("no file");
  return found;
}

test("a write is found that leaves size and times as they were", async () => {
  const known = await scanTree(root, { except: [] });
  const { atime, mtime } = statSync(file);
  writeFileSync(file, "chuck");
  utimesSync(file, atime, mtime);
  expect(changedPaths(known, await scanTree(root, { except: [], known }))).toEqual(["a"]);
});

test("a file is read again where another write could have left the same stamp, and not where it could not", async () => {
  const { digest } = await entry();
  // As it is with two writes within one step of the clock.
  const writing = async (): Promise<TreeEntry> => {
    writeFileSync(file, "chuck");
    return entry();
  };
  let written = await writing();
  // A machine at work on other things may look too late.
  while (!written.fresh) written = await writing();
  const known = (fresh: boolean): Tree => new Map([["a", { ...written, digest, fresh }]]);
  expect((await entry(known(true))).digest).toBe(written.digest);
  expect((await entry(known(false))).digest).toBe(digest);
  await expect.poll(async () => (await entry()).fresh).toBe(false);
});

test("a folder that is taken away while the tree is looked at is not in it", async () => {
  for (const name of "bcd") {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "file"), name);
  }
  const seen: string[] = [];
  const into = (path: string): boolean => {
    if (seen.push(path) === 1)
      for (const other of "bcd") if (other !== path) rmSync(join(root, other), { recursive: true });
    return true;
  };
  const since = { folders: new Set<string>(), shut: new Set<string>(), ignoring: new Map() };
  expect([...(await scanTree(root, { except: [], into, since })).keys()]).toEqual(["a", `${seen[0]}/file`]);
});

test("a root that is not there is no empty tree", async () => {
  await expect(scanTree(join(root, "nowhere"), { except: [] })).rejects.toThrow("ENOENT");
});
