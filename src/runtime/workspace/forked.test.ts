import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeBack } from "./forked.ts";
import { refs } from "./refs.ts";
import { repositoryOf } from "./repository.ts";
import { openSnapshots, type Snapshots } from "./snapshots.ts";

let place: string;
let root: string;
let snapshots: Snapshots;

beforeEach(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "trammel-forked-")));
  root = join(place, "project");
  mkdirSync(root);
  execFileSync("git", ["init", "-q"], { cwd: root });
  const repository = await repositoryOf(root, process.env);
  if (repository === null) throw new Error("no repository");
  snapshots = await openSnapshots(repository, join(place, "trees"), process.env);
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const back = { run: "r", node: "n", pass: 1, idle: [] };

test("a tree that goes back in part only is none to fork in: what stays is named, and where all of it is kept", async () => {
  write(".gitignore", "cache\n");
  for (const name of ["mended", "replaced"]) write(name, "before\n");
  await snapshots.keep(refs.before("r", "n", 1), await snapshots.take());
  write("mended", "after\n");
  rmSync(join(root, "replaced"));
  mkdirSync(join(root, "replaced"));
  // Ignored, so that the folder is neither empty nor in any picture: it gives way to nothing.
  write("replaced/cache", "");
  await snapshots.keep(refs.end("r"), await snapshots.take());
  expect(await takeBack(snapshots, "f", back)).toEqual({
    problem: "the tree went back but for replaced, which could not be written",
    hint: expect.stringContaining(`--keep-tree; the tree as it stood is kept as ${refs.undone("f", 1)}`),
  });
  expect(readFileSync(join(root, "mended"), "utf8")).toBe("before\n");
  expect(await snapshots.kept(refs.undone("f", 1))).toBe(await snapshots.kept(refs.end("r")));
});
