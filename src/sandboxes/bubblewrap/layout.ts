import { chmod, lstat, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { limits } from "../../model/limits.ts";
import { isAbsent } from "../../model/thrown.ts";

/** Files of one box on the host. `workspace` outlives the box; `scratch` is everything that does not. */
export interface BoxFolder {
  readonly root: string;
  readonly workspace: string;
  readonly scratch: string;
  /** Who holds it, as a label; see owner.ts. */
  readonly owner: string;
  /** Control groups made for it, one path a line. */
  readonly groups: string;
}

export function boxesIn(folder: string): string {
  return path.join(folder, "boxes");
}

export function boxFolder(folder: string, id: string): BoxFolder {
  const root = path.join(boxesIn(folder), id);
  return {
    root,
    workspace: path.join(root, "workspace"),
    scratch: path.join(root, "scratch"),
    owner: path.join(root, "owner"),
    groups: path.join(root, "groups"),
  };
}

/** What one of these files says; null where it is not, or no longer: other engines clear up, too. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Removes a tree that a box wrote: never through a link, and also where a folder in it was made unwritable. */
export async function removeTree(folder: string): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      // A removal that failed may still be taking things away.
      if (round === limits.custodySweepRounds) throw error;
      await openUp(folder);
    }
  }
}

async function openUp(folder: string): Promise<void> {
  const pending = [folder];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      if (!(await lstat(next)).isDirectory()) continue;
      await chmod(next, 0o700);
      for (const entry of await readdir(next, { withFileTypes: true }))
        if (entry.isDirectory()) pending.push(path.join(next, entry.name));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
}
