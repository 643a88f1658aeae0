import { realpath } from "node:fs/promises";
import path from "node:path";
import { isRepositoryData, realOf } from "../runtime/tree/plain-file.ts";
import { isInside } from "../runtime/tree/scan.ts";

/** A path of the workspace, links followed: `file` is absolute, `name` as people write it. */
export interface Place {
  /** The workspace, absolute, links followed. */
  readonly root: string;
  readonly file: string;
  readonly name: string;
  /** From the workspace, links followed, with slashes. */
  readonly path: string;
}

/**
 * Finds a path in the workspace, whether or not something is there. Refused are paths that lead out
 * of it (absolute, by `..`, by a symbolic link anywhere on the way, or to where a dangling one
 * points), the insides of `.git`, and a data folder in the workspace.
 */
export async function placeIn(
  workspace: string,
  given: string,
  dataFolder: string,
): Promise<Place | { readonly problem: string }> {
  if (given.includes("\0")) return { problem: "a path cannot hold a NUL byte" };
  if (path.isAbsolute(given))
    return { problem: `${given} is absolute; give a path relative to the workspace, e.g. src/main.ts` };
  const root = await realpath(workspace);
  const wanted = path.resolve(root, given);
  const name = path.relative(root, wanted) || ".";
  if (!isInside(root, wanted)) return { problem: `${given} leads out of the workspace` };
  const file = realOf(wanted);
  if (file === null || !isInside(root, file))
    return { problem: `${name} leads out of the workspace through a symbolic link` };
  const parts = path.relative(root, file).split(path.sep);
  if (parts.some(isRepositoryData)) return { problem: `${name} belongs to git; use the git tools` };
  const data = await realpath(dataFolder).catch(() => dataFolder);
  // A worktree lies in there, and is the run's.
  if (isInside(data, file) && !isInside(data, root)) return { problem: `${name} belongs to Trammel's own data` };
  return { root, file, name, path: parts.join("/") };
}
