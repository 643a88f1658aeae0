import { chmod, lstat, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { at, isFolder, isOfTree } from "../tree/way.ts";
import { git, type GitOptions, pathInput, pathsOf } from "./git.ts";

interface Restoring {
  readonly root: string;
  readonly own: GitOptions;
  /** Absolute path of an index of its own. */
  readonly index: string;
  readonly tree: string;
  /** When the picture was taken, in milliseconds since the epoch; null where that is unknown. */
  readonly since: number | null;
  /** Whom files let in that are brought back, by path; others let in whom any new file does. */
  readonly modes: ReadonlyMap<string, number>;
}

/** Makes paths of the working tree what they are in a tree of Git. Answers those that it could not. */
export async function restorePaths(
  { root, index, own, tree, since, modes }: Restoring,
  paths: readonly string[],
): Promise<readonly string[]> {
  const scratch = { ...own, set: { ...own.set, GIT_INDEX_FILE: index } };
  try {
    await git(["read-tree", tree], scratch);
    const tracked = new Set(pathsOf(await git(["ls-files", "-z"], scratch)));
    const left: string[] = [];
    const written: string[] = [];
    // What was not there goes first: a file may stand where a folder was.
    for (const path of paths)
      if (!tracked.has(path) && !((await isOfTree(root, path)) && (await remove(root, path, since)))) left.push(path);
    for (const path of paths)
      if (tracked.has(path))
        ((await isOfTree(root, path)) && !(await isFolder(root, path)) ? written : left).push(path);
    return [...left, ...(await write(root, scratch, written, modes))];
  } finally {
    await rm(index, { force: true });
  }
}

/** Git knows of a mode only whether a file is executable: whom else a file that stands there lets in stays. */
async function write(
  root: string,
  scratch: GitOptions,
  paths: readonly string[],
  kept: Restoring["modes"],
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const modes = new Map<string, number>();
  for (const path of paths) {
    const stat = await lstat(at(root, path)).catch(() => null);
    const mode = stat?.isFile() === true ? stat.mode : kept.get(path);
    if (mode !== undefined) modes.set(path, mode);
  }
  const done = await git(["checkout-index", "--force", "-z", "--stdin"], { ...scratch, input: pathInput(paths) }).then(
    () => true,
    () => false,
  );
  for (const [path, mode] of modes) {
    const stat = await lstat(at(root, path)).catch(() => null);
    if (stat?.isFile() !== true) continue;
    const readers = mode & 0o666;
    const wanted = (stat.mode & 0o100) === 0 ? readers : readers | ((readers & 0o444) >> 2);
    if (wanted !== (stat.mode & 0o777)) await chmod(at(root, path), wanted).catch(() => undefined);
  }
  if (done) return [];
  // It goes on after one that it cannot write.
  await git(["update-index", "-q", "--refresh"], scratch).catch(() => undefined);
  const differ = await git(["diff-files", "-z", "--name-only"], scratch).then(
    (listed) => new Set(pathsOf(listed)),
    () => null,
  );
  // Where nobody can tell, none of them counts as brought back.
  return differ === null ? paths : paths.filter((path) => differ.has(path));
}

async function remove(root: string, path: string, since: number | null): Promise<boolean> {
  if (await isFolder(root, path)) return false;
  const isGone = await rm(at(root, path), { force: true }).then(
    () => true,
    () => false,
  );
  if (isGone) await removeEmpty(root, dirname(path), since);
  return isGone;
}

/** As Git does: a folder is there for what is in it. One that was there before stays, since it stood empty then. */
async function removeEmpty(root: string, folder: string, since: number | null): Promise<void> {
  for (let path = folder; path !== "."; path = dirname(path)) {
    const stat = await lstat(at(root, path)).catch(() => null);
    if (stat === null || (since !== null && stat.birthtimeMs < since)) return;
    const isGone = await rmdir(at(root, path)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
