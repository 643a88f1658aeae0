import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nameBytes, nameText } from "./names.ts";

/** What the file system is asked for a path of a tree. */
export function at(root: string, path: string): Buffer {
  return nameBytes(join(root, path));
}

/**
 * Whether the way to a path leads through folders of the tree only: a link may lead anywhere, and a file would be lost.
 */
export async function isOfTree(root: string, path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const real = await realpath(at(root, folder), { encoding: "buffer" }).catch(() => null);
    if (real !== null) return nameText(real) === join(root, folder) && (await isFolder(root, folder));
  }
  return true;
}

export async function isFolder(root: string, path: string): Promise<boolean> {
  return (await lstat(at(root, path)).catch(() => null))?.isDirectory() === true;
}
