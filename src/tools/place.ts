import { lstat, realpath } from "node:fs/promises";
import path from "node:path";

/** A path of the workspace, links resolved: `file` is absolute, `name` as people write it. */
export interface Place {
  readonly file: string;
  readonly name: string;
}

/**
 * Finds a path in the workspace, whether or not something is there. Refused are paths that lead out of it (absolute, by `..`,
 * by a symbolic link anywhere on the way, or to where a dangling one points), the insides of `.git`, and the data folder.
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
  const file = await realOf(wanted);
  if (file === null || !isInside(root, file))
    return { problem: `${name} leads out of the workspace through a symbolic link` };
  if (path.relative(root, file).split(path.sep).some(isRepositoryData))
    return { problem: `${name} belongs to git; use the git tools` };
  if (isInside(await realpath(dataFolder).catch(() => dataFolder), file))
    return { problem: `${name} belongs to Trammel's own data` };
  return { file, name };
}

/** Where a path leads once every link is followed; null where a link leads to nothing. */
async function realOf(wanted: string): Promise<string | null> {
  try {
    return await realpath(wanted);
  } catch {
    const isDangling = await lstat(wanted).then(
      () => true,
      () => false,
    );
    if (isDangling || path.dirname(wanted) === wanted) return null;
    const parent = await realOf(path.dirname(wanted));
    return parent === null ? null : path.join(parent, path.basename(wanted));
  }
}

function isInside(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** File systems that ignore case find `.GIT` too. */
function isRepositoryData(part: string): boolean {
  return part.toLowerCase() === ".git";
}
