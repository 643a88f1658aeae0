import { realpath, rm } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { messageOf } from "../model/thrown.ts";
import { replaceIn } from "../runtime/tree/held.ts";
import { isRepositoryData, realOf } from "../runtime/tree/plain-file.ts";
import { isInside } from "../runtime/tree/scan.ts";

/**
 * Writes a file of a tree, with the folders it stands in, or removes it (null). Rejects, saying
 * why, where a link leads out of the tree or into what git keeps.
 */
export async function writeInTree(tree: string, path: string, content: string | null): Promise<void> {
  const root = await realpath(tree);
  const folder = realOf(dirname(join(root, path)));
  if (folder === null || !isInside(root, folder)) throw new Error(`${path} leads out of the working folder by a link`);
  if (relative(root, folder).split(sep).some(isRepositoryData)) throw new Error(`${path} leads into .git by a link`);
  const file = join(folder, basename(path));
  try {
    if (content === null) await rm(file, { force: true });
    else await replaceIn(root, file, content);
  } catch (error) {
    throw new Error(`${path} cannot be written: ${messageOf(error)}`);
  }
}
