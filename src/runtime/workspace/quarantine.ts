import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { GitOptions } from "./git.ts";

/** As Git names such a folder, whose `gc` takes one away that a crash left. */
const prefix = "tmp_objdir-trammel-";

/**
 * Objects that `work` makes come into the folder `objects` once it succeeded. Of one that fails, on a full disk or in
 * the middle of a file that is too large, nothing is left: Git leaves what it had written until it is two weeks old.
 */
export async function inQuarantine<T>(
  objects: string,
  own: GitOptions,
  work: (held: GitOptions) => Promise<T>,
): Promise<T> {
  const place = await mkdtemp(join(objects, prefix));
  try {
    const set = { ...own.set, GIT_OBJECT_DIRECTORY: place, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects) };
    const done = await work({ ...own, set });
    await moveIn(place, objects);
    return done;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** A plain path would end at a colon. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** Git has written the files to the disk; the ref that it flushes next brings the new names along. */
async function moveIn(from: string, to: string): Promise<void> {
  const folders = await readdir(from);
  if (folders.length === 0) return;
  const { mode } = await stat(to);
  for (const folder of folders) {
    // A repository that several people write to lets them write to each of its folders.
    const made = await mkdir(join(to, folder), { recursive: true });
    if (made !== undefined) await chmod(made, mode & 0o7777);
    for (const file of (await readdir(join(from, folder))).toSorted(indexLast))
      await rename(join(from, folder, file), join(to, folder, file));
  }
}

/** Git takes a pack for whole once its index is there. */
function indexLast(a: string, b: string): number {
  return Number(a.endsWith(".idx")) - Number(b.endsWith(".idx"));
}
