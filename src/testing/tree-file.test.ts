import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareGround } from "./ground.ts";
import { writeInTree } from "./tree-file.ts";

let place = "";
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "trammel-tree-file-"));
  mkdirSync(join(place, "tree/.git"), { recursive: true });
  mkdirSync(join(place, "outside"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

test("writes, replaces and removes, and makes folders", async () => {
  const tree = join(place, "tree");
  await writeInTree(tree, "a/b/c.txt", "1");
  await writeInTree(tree, "a/b/c.txt", "2");
  expect(readFileSync(join(tree, "a/b/c.txt"), "utf8")).toBe("2");
  await writeInTree(tree, "a/b/c.txt", null);
  await writeInTree(tree, "a/b/never.txt", null);
  expect(readdirSync(join(tree, "a/b"))).toEqual([]);
});

test("a link is replaced, not followed", async () => {
  writeFileSync(join(place, "outside/kept"), "kept");
  symlinkSync(join(place, "outside/kept"), join(place, "tree/link"));
  await writeInTree(join(place, "tree"), "link", "mine");
  expect(readFileSync(join(place, "outside/kept"), "utf8")).toBe("kept");
  expect(readFileSync(join(place, "tree/link"), "utf8")).toBe("mine");
});

test.each([
  ["../outside", "out/x leads out of the working folder by a link"],
  [".git", "out/x leads into .git by a link"],
  ["nowhere", "out/x leads out of the working folder by a link"],
])("nothing is written or removed through a link to %s", async (target, message) => {
  const tree = join(place, "tree");
  writeFileSync(join(place, "outside/x"), "kept");
  symlinkSync(target, join(tree, "out"));
  for (const content of ["mine", null]) await expect(writeInTree(tree, "out/x", content)).rejects.toThrow(message);
  expect(readFileSync(join(place, "outside/x"), "utf8")).toBe("kept");
  expect(readdirSync(join(tree, ".git"))).toEqual([]);
});

test("the repository of a test has one commit and runs nothing that its fixture brings", async () => {
  const fixture = join(place, "fixture");
  mkdirSync(join(fixture, ".git"), { recursive: true });
  const told = join(place, "told");
  writeFileSync(join(fixture, ".git/config"), `[core]\n\tfsmonitor = "touch ${told}; false"\n`);
  writeFileSync(join(fixture, "a.txt"), "a");
  const at = { start: 0, end: 0 };
  const folder = join(place, "ground");
  await prepareGround(folder, { name: "a", git: true, fixture: { value: "fixture", at }, expect: {} }, place);
  expect(readdirSync(folder).toSorted()).toEqual([".git", "a.txt"]);
  expect(readdirSync(place)).not.toContain("told");
});
