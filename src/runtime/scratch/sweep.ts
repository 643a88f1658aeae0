import { lstat, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../model/limits.ts";
import { identify, self } from "../processes/identity.ts";

const scratchName = /^trammel-(\d+)\.\w+\.\w{6}$/;

/**
 * How the name of this process's folder begins: it tells the owner, so that a later process can see that it is gone.
 */
export function scratchPrefix(): string {
  return prefixOf(self());
}

function prefixOf({ pid, startTime }: { readonly pid: number; readonly startTime: string }): string {
  return `trammel-${pid}.${startTime.replace(/\W/g, "_")}.`;
}

/**
 * Removes the folders in `parent` whose process was killed and which nobody wrote to for
 * `limits.scratchKeptMs`: a process of another container that shares the folder cannot be
 * seen from here. Never fails: what cannot be removed stays.
 */
export async function sweepScratch(parent: string, now: number): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((each) => scratchName.test(each)).slice(0, limits.scratchSwept)) {
    if (!isLeft(name)) continue;
    const folder = path.join(parent, name);
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    if (now - found.mtimeMs > limits.scratchKeptMs)
      await rm(folder, { recursive: true, force: true }).catch(() => null);
  }
}

function isLeft(name: string): boolean {
  const owner = identify(Number(scratchName.exec(name)?.[1]));
  return owner === null || !name.startsWith(prefixOf(owner));
}
