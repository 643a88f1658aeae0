import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readMounts } from "./mounts.ts";

let cwd: string;
let home: string;

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "trammel-mounts-"));
  home = path.join(cwd, "home");
  for (const name of ["data", "home/inner", "a,b"]) mkdirSync(path.join(cwd, name), { recursive: true });
  symlinkSync(home, path.join(cwd, "link"));
});
afterAll(() => rmSync(cwd, { recursive: true }));

test("a mount is read-only and at its own path unless it says otherwise", () => {
  const from = path.join(cwd, "data");
  expect(readMounts(["data", "./data:/d", `${from}:/d:rw`, "data:ro"], cwd, home)).toEqual([
    { from, to: from, writable: false },
    { from, to: "/d", writable: false },
    { from, to: "/d", writable: true },
    { from, to: from, writable: false },
  ]);
});

test.each([
  ["none", "does not exist"],
  ["data:d", "no absolute path"],
  ["data:/a/../b", "no absolute path"],
  ["data:/", "no absolute path"],
  ["data:/a:/b", "HOST:BOX"],
  [":/a", "HOST:BOX"],
  ["a,b:/a", "comma"],
  ["home:/h", "own data"],
  ["home/inner:/h", "own data"],
  ["link:/h", "own data"],
  [".:/all", "own data"],
])("%s is refused: %s", (mount, why) => {
  expect(readMounts(["data", mount], cwd, home)).toMatchObject({ fault: expect.stringContaining(why) as string });
});
