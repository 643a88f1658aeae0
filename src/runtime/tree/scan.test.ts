import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scanTree } from "./scan.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-scan-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a folder that is taken away while the tree is looked at is not in it", async () => {
  for (const name of ["a", "b", "c"]) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "file"), name);
  }
  const seen: string[] = [];
  const tree = await scanTree(folder, {
    except: [],
    enter: (path) => {
      if (path === "") return;
      if (seen.push(path) === 1)
        for (const other of "abc") if (other !== path) rmSync(join(folder, other), { recursive: true });
    },
  });
  expect([...tree.keys()]).toEqual([`${seen[0]}/file`]);
});

test("a root that is not there is no empty tree", async () => {
  await expect(scanTree(join(folder, "nowhere"), { except: [] })).rejects.toThrow("ENOENT");
});
