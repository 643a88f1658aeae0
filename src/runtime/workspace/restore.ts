import { chmod, lstat, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { at, isFolder, isOfTree } from "../tree/way.ts";
import { git, type GitOptions, pathInput, pathsOf } from "./git.ts";
import { isProgram, modeOf, type Modes } from "./modes.ts";

interface Restoring {
  readonly root: string;
  readonly own: GitOptions;
  /** Absolute path of an index of its own. */
  readonly index: string;
  readonly tree: string;
  /** When the picture was taken, in milliseconds since the epoch; null where that is unknown. */
  readonly since: number | null;
  readonly modes: Modes;
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

/** Git knows of a mode only whether a file is a program, and makes every file anew. */
async function write(
  root: string,
  scratch: GitOptions,
  paths: readonly string[],
  modes: Modes,
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const before = new Map<string, number>();
  for (const path of paths) {
    const stat = await lstat(at(root, path)).catch(() => null);
    if (stat?.isFile() === true) before.set(path, stat.mode);
  }
  const done = await git(["checkout-index", "--force", "-z", "--stdin"], { ...scratch, input: pathInput(paths) }).then(
    () => true,
    () => false,
  );
  for (const path of paths) {
    const stat = await lstat(at(root, path)).catch(() => null);
    if (stat?.isFile() !== true) continue;
    const [now, then] = [before.get(path), modeOf(modes, path, stat.mode)];
    const wanted = now === undefined ? then : now & (modes.others.get(path) ?? 0o777);
    if (wanted !== undefined) await letIn(at(root, path), stat.mode, wanted);
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

/** Whoever may read a program may run it. */
async function letIn(file: Buffer, mode: number, wanted: number): Promise<void> {
  const readers = wanted & 0o666;
  const whole = isProgram(mode) ? readers | ((readers & 0o444) >> 2) : readers;
  if (whole !== (mode & 0o777)) await chmod(file, whole).catch(() => undefined);
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
