import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readPlainFile, realOf } from "./plain-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "trammel-plain-")));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a plain file is read as a whole", async () => {
  await writeFile(join(folder, "a"), "text");
  expect((await readPlainFile(join(folder, "a"), 4)).toString()).toBe("text");
});

test.each<[string, (path: string) => unknown, string]>([
  ["a folder", (path) => mkdir(path), "it is a folder"],
  ["a pipe nobody writes to", (path) => execFileSync("mkfifo", [path]), "it is no plain file"],
  ["a link", (path) => symlink("/dev/zero", path), "ELOOP"],
  ["too much", (path) => writeFile(path, "12345"), "it is larger than 4 bytes"],
  ["nothing", () => undefined, "ENOENT"],
])("neither reads nor waits for %s", async (_, make, why) => {
  await make(join(folder, "a"));
  await expect(readPlainFile(join(folder, "a"), 4)).rejects.toThrow(why);
});

test("a path is followed to where it would be written", async () => {
  await mkdir(join(folder, "real"));
  await symlink("real", join(folder, "link"));
  await symlink("nowhere/at/all", join(folder, "dangling"));
  expect(realOf(join(folder, "link", "new", "file"))).toBe(join(folder, "real", "new", "file"));
  expect(realOf(join(folder, "dangling"))).toBeNull();
  expect(realOf(join(folder, "dangling", "file"))).toBeNull();
});

test("a file that another process makes and takes away is no link to nothing", async () => {
  const file = join(folder, "flickers");
  const flicker = `const fs = require("fs"); for (;;) { fs.writeFileSync(process.argv[1], ""); fs.unlinkSync(process.argv[1]); }`;
  const other = spawn(process.execPath, ["-e", flicker, file], { stdio: "ignore" });
  try {
    const seen = { there: 0, gone: 0 };
    while (seen.there < 1_000 || seen.gone < 1_000) {
      expect(realOf(file)).toBe(file);
      seen[existsSync(file) ? "there" : "gone"] += 1;
    }
  } finally {
    other.kill("SIGKILL");
    await once(other, "exit");
  }
});
