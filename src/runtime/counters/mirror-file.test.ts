import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SmallDisk } from "../../../test/support/small-disk.ts";
import { read, type Tasks, write } from "./mirror-file.ts";

let disk: SmallDisk;

beforeEach(() => {
  disk = new SmallDisk(mkdtempSync(join(tmpdir(), "trammel-mirror-")), "256k");
});
afterEach(() => {
  disk[Symbol.dispose]();
  rmSync(disk.folder, { recursive: true, force: true });
});

test("a mirror for half of which there is space stays what it was", () => {
  const mirror = join(disk.folder, "state.json");
  const small: Tasks = { task: { fix: { passes: 2, cap: 3 } } };
  const large = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`task-${i}`, small["task"] ?? {}]));
  expect(write(mirror, small)).toBe(null);
  mkdirSync(join(disk.folder, "filler"));
  const { bavail, bsize } = statfsSync(disk.folder);
  writeFileSync(join(disk.folder, "filler", "bytes"), Buffer.alloc((bavail - 2) * bsize));
  expect(write(mirror, large)).toMatchObject({ problem: expect.stringMatching(/cannot be written: ENOSPC$/) });
  expect(read(mirror)).toEqual(small);
  expect(readdirSync(disk.folder).toSorted()).toEqual(["filler", "state.json"]);
});
