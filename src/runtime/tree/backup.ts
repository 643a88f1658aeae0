import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, mkdtemp, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Tree } from "./scan.ts";

/** Copies of files of a tree, to put back what should not have changed. */
export interface Backup {
  /** Absolute path of the copy; there is none of a file too large to be kept. */
  pathOf(path: string): string;
  /** Puts a file back as it was, or takes away one that was not there. False where there is no copy of it. */
  restore(path: string): Promise<boolean>;
  dispose(): Promise<void>;
}

/** Copies all files of a scan; where the file system can share blocks, none is read. */
export async function backUp(root: string, tree: Tree): Promise<Backup> {
  const folder = await mkdtemp(join(tmpdir(), "trammel-backup-"));
  for (const [path, { digest }] of tree) if (digest !== null) await copy(join(root, path), join(folder, path));
  return {
    pathOf: (path) => join(folder, path),
    async restore(path) {
      const was = tree.get(path);
      if (was?.digest === null) return false;
      await rm(join(root, path), { recursive: true, force: true });
      if (was !== undefined) await copy(join(folder, path), join(root, path));
      return true;
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const stat = await lstat(from);
  if (stat.isSymbolicLink()) return symlink(await readlink(from), to);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, stat.mode & 0o7777);
}
