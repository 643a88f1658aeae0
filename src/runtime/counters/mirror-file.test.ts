import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { read, type Tasks, write } from "./mirror-file.ts";

let disk: string;

beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), "trammel-mirror-"));
  asRoot("mount", "-t", "tmpfs", "-o", `size=256k,mode=0700,uid=${process.getuid?.() ?? 0}`, "tmpfs", disk);
});
afterEach(() => {
  asRoot("umount", "--lazy", disk);
  rmSync(disk, { recursive: true, force: true });
});

function asRoot(...command: readonly string[]): void {
  const argv = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  const { status, stderr } = spawnSync(argv[0] ?? "", argv.slice(1));
  expect([status, stderr.toString()]).toEqual([0, ""]);
}

test("a mirror for half of which there is space stays what it was", () => {
  const mirror = join(disk, "state.json");
  const small: Tasks = { task: { fix: { passes: 2, cap: 3 } } };
  const large = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`task-${i}`, small["task"] ?? {}]));
  expect(write(mirror, small)).toBe(null);
  mkdirSync(join(disk, "filler"));
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "filler", "bytes"), Buffer.alloc((bavail - 2) * bsize));
  expect(write(mirror, large)).toMatchObject({ problem: expect.stringMatching(/cannot be written: ENOSPC$/) });
  expect(read(mirror)).toEqual(small);
  expect(readdirSync(disk).toSorted()).toEqual(["filler", "state.json"]);
});
