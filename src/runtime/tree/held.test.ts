import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isOpenedAt, replaceIn } from "./held.ts";

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "trammel-held-")));
  root = join(folder, "root");
  await mkdir(join(root, "deep"), { recursive: true });
  await mkdir(join(folder, "outside"));
  await writeFile(join(folder, "outside", "a"), "theirs");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a file is replaced as a whole, its folders are made, its permissions stay", async () => {
  await replaceIn(root, join(root, "new", "folder", "a"), "one");
  await writeFile(join(root, "tool"), "old", { mode: 0o755 });
  await replaceIn(root, join(root, "tool"), "new");
  expect(await readFile(join(root, "new", "folder", "a"), "utf8")).toBe("one");
  expect([await readFile(join(root, "tool"), "utf8"), (await stat(join(root, "tool"))).mode & 0o777]).toEqual([
    "new",
    0o755,
  ]);
  expect(await readdir(root)).toEqual(["deep", "new", "tool"]);
});

test("a link that was put in the way after the path was looked at is not followed", async () => {
  await rename(join(root, "deep"), join(root, "moved"));
  await symlink(join(folder, "outside"), join(root, "deep"));
  await expect(replaceIn(root, join(root, "deep", "a"), "ours")).rejects.toThrow("became a link");
  await expect(replaceIn(root, join(root, "deep", "more", "a"), "ours")).rejects.toThrow("became a link");
  expect(await readFile(join(folder, "outside", "a"), "utf8")).toBe("theirs");
  expect(await readdir(join(folder, "outside"))).toEqual(["a"]);
});

test("a link in the place of the file is replaced, not what it leads to", async () => {
  await symlink(join(folder, "outside", "a"), join(root, "a"));
  await replaceIn(root, join(root, "a"), "ours");
  expect([await readFile(join(root, "a"), "utf8"), await readFile(join(folder, "outside", "a"), "utf8")]).toEqual([
    "ours",
    "theirs",
  ]);
});

test("an open file knows whether it is the one of its path", async () => {
  await writeFile(join(root, "deep", "a"), "ours");
  await symlink(join(folder, "outside"), join(root, "link"));
  const paths = [join(root, "deep", "a"), join(root, "link", "a")];
  const handles = await Promise.all(paths.map((path) => open(path)));
  expect(await Promise.all(handles.map((handle, at) => isOpenedAt(handle, paths[at] ?? "")))).toEqual([true, false]);
  await Promise.all(handles.map((handle) => handle.close()));
});

test("while somebody swaps a folder and a link for one another, nothing outside is written", async () => {
  const swaps = 'while :; do mv -T deep moved && ln -s "$1" deep && rm deep && mv -T moved deep; done 2>/dev/null';
  const racer = spawn("sh", ["-c", swaps, "sh", join(folder, "outside")], { cwd: root });
  await once(racer, "spawn");
  let written = 0;
  for (let n = 0; n < 500; n += 1)
    await replaceIn(root, join(root, "deep", "a"), "ours").then(
      () => (written += 1),
      () => undefined,
    );
  racer.kill("SIGKILL");
  await once(racer, "close");
  expect(written).toBeGreaterThan(0);
  expect(await readFile(join(folder, "outside", "a"), "utf8")).toBe("theirs");
  expect(await readdir(join(folder, "outside"))).toEqual(["a"]);
});
