import { existsSync, mkdtempSync, renameSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileBlobs } from "./files.ts";
import { sweepBlobs } from "./sweep.ts";

let folder: string;
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), "trammel-sweep-")), "blobs");
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

const now = Date.now();
const sweep = (used: readonly string[], dryRun = false) =>
  sweepBlobs(folder, { isUsed: (hash) => used.includes(hash), before: now - 1_000, dryRun });

async function old(text: string): Promise<string> {
  const hash = await fileBlobs(folder).put(Buffer.from(text));
  utimesSync(fileBlobs(folder).pathOf(hash), 1, 1);
  return hash;
}
const isThere = (hash: string): boolean => existsSync(fileBlobs(folder).pathOf(hash));

it("removes what is old and used by none, and counts the same beforehand", async () => {
  const [used, unused] = [await old("used"), await old("unused")];
  const fresh = await fileBlobs(folder).put(Buffer.from("fresh"));
  expect(await sweep([used], true)).toEqual({ blobs: 1, bytes: 6 });
  expect(isThere(unused)).toBe(true);
  expect(await sweep([used])).toEqual({ blobs: 1, bytes: 6 });
  expect([used, unused, fresh].map(isThere)).toEqual([true, false, true]);
  expect(await sweep([used])).toEqual({ blobs: 0, bytes: 0 });
});

it("leaves a blob alone that somebody puts again", async () => {
  const hash = await old("again");
  await fileBlobs(folder).put(Buffer.from("again"));
  expect(await sweep([])).toEqual({ blobs: 0, bytes: 0 });
  expect(isThere(hash)).toBe(true);
});

it("puts back what a sweep that was killed had put aside, even beside a writer that tidies up", async () => {
  const [used, unused] = [await old("used"), await old("unused")];
  for (const hash of [used, unused])
    renameSync(fileBlobs(folder).pathOf(hash), path.join(folder, "tmp", `prune-${hash}`));
  await fileBlobs(folder).put(Buffer.from("another"));
  expect(await sweep([used])).toEqual({ blobs: 1, bytes: 6 });
  expect([used, unused].map(isThere)).toEqual([true, false]);
  expect(Buffer.from((await fileBlobs(folder).get(used)) ?? []).toString()).toBe("used");
});

it("takes what was put aside for no newer than what somebody put there since", async () => {
  const hash = await old("again");
  renameSync(fileBlobs(folder).pathOf(hash), path.join(folder, "tmp", `prune-${hash}`));
  await fileBlobs(folder).put(Buffer.from("again"));
  expect(await sweep([])).toEqual({ blobs: 0, bytes: 0 });
  expect(isThere(hash)).toBe(true);
  expect(existsSync(path.join(folder, "tmp", `prune-${hash}`))).toBe(false);
});

it("has nothing to do where there are no blobs", async () => {
  expect(await sweep([])).toEqual({ blobs: 0, bytes: 0 });
});
