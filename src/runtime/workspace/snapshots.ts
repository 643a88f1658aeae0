import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../model/limits.ts";
import type { OwnFiles } from "../tree/own-files.ts";
import { git, GitFailure, gitText, pathInput, pathsOf, type GitOptions } from "./git.ts";
import { indexOf, inTurn } from "./index-turn.ts";
import { addAll, type Nested, writeWith } from "./nested.ts";
import { addIgnored, isPrepared, prepare } from "./own-repository.ts";
import { modeLines, modesIn } from "./modes.ts";
import { inQuarantine } from "./quarantine.ts";
import { commitAt, type Repository, treeAt } from "./repository.ts";
import { restorePaths } from "./restore.ts";

/**
 * Pictures of a working tree: tracked files and untracked ones, without the ignored, byte for byte, those of submodules
 * and of other repositories inside it included. They are objects of the repository under `refs/trammel/`, taken with an
 * index, a configuration and attributes of our own, so that no hook or filter runs and the user's index stays as it is.
 * Paths are relative to the root, as `nameText` reads them.
 */
export interface Snapshots {
  /** Takes a picture and answers its tree; one after the other. */
  take(): Promise<string>;
  /**
   * Keeps a tree under a ref, and with it a commit: the one that is checked out
   * when absent. Answers the commit that the ref leads to.
   */
  keep(ref: string, tree: string, commit?: string): Promise<string>;
  /** The tree that a ref keeps, or null. */
  kept(ref: string): Promise<string | null>;
  /** Paths that differ. */
  changed(from: string, to: string): Promise<readonly string[]>;
  /** Unified, binary files included. */
  diff(from: string, to: string): Promise<Buffer>;
  /**
   * Makes these paths what they are in a tree, by its name or what keeps it, and touches no other. Answers those
   * that it could not. A folder that is left empty goes, unless it is older than what is kept under the ref.
   */
  restore(from: string, paths: readonly string[]): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

const author = {
  GIT_AUTHOR_NAME: "Trammel",
  GIT_AUTHOR_EMAIL: "trammel@localhost",
  GIT_COMMITTER_NAME: "Trammel",
  GIT_COMMITTER_EMAIL: "trammel@localhost",
};

/** `folder` holds the indices of all trees; what is read once is not read again while it stays as it is. */
export function openSnapshots(
  repository: Repository,
  folder: string,
  env: GitOptions["env"],
  leftOut: OwnFiles = { paths: [], globs: [] },
): Promise<Snapshots> {
  return openIn(repository, { folder, env, objects: join(repository.commonDir, "objects") }, leftOut);
}

interface Keeping {
  readonly folder: string;
  readonly env: GitOptions["env"];
  /** Where objects are kept: those of a tree inside another stand with that one's. */
  readonly objects: string;
}

async function openIn(repository: Repository, keeping: Keeping, leftOut: OwnFiles): Promise<Snapshots> {
  const { root } = repository;
  const { folder, env, objects } = keeping;
  const gitDir = join(folder, indexOf(root));
  const set = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: root,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_COUNT: "0",
    ...author,
  };
  const own = { cwd: root, env, set };
  const there = { cwd: root, env };
  const ready = async (): Promise<void> => {
    await prepare(repository, gitDir, own, there);
    await inQuarantine(objects, own, (held) => addIgnored(held, there));
  };
  await inTurn(gitDir, ready);
  const inside = async ({ path, repository: nested }: Nested): Promise<{ path: string; tree: string }> => {
    const format = { ...nested, objectFormat: repository.objectFormat };
    const snapshots = await openIn(format, keeping, within(leftOut, path));
    return { path, tree: await snapshots.take() };
  };
  const record = async (held: GitOptions): Promise<string> => {
    const left = [
      ...(await notIgnored(leftOut.paths, own)).map((path) => `:(exclude,top,literal)${path}`),
      ...leftOut.globs.map((glob) => `:(exclude,top,glob)${glob}`),
    ];
    const nested = await addAll(root, left, { ...held, timeoutMs: limits.snapshotMs });
    if (nested.length === 0) return gitText(["write-tree"], held);
    const trees: Awaited<ReturnType<typeof inside>>[] = [];
    for (const one of nested) trees.push(await inside(one));
    return writeWith(trees, gitDir, held);
  };
  return {
    take: () =>
      inTurn(gitDir, async () => {
        // It may have been pruned since.
        if (!(await isPrepared(gitDir))) await ready();
        return recordAnew(objects, own, there, record);
      }),
    async keep(ref, tree, at) {
      const head = at ?? (await commitAt("HEAD", there));
      const modes = await modeLines(own, tree, head);
      const message = `${ref}\n\n${timeKey}${await fileTime(gitDir)}\n${modes}`;
      const parents = head === null ? [] : ["-p", head];
      const commit = await gitText(["commit-tree", tree, ...parents], { ...own, input: message });
      await git(["update-ref", ref, commit], there);
      return commit;
    },
    kept: (ref) => treeAt(ref, there),
    changed: async (from, to) =>
      pathsOf(await git(["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to], own)),
    diff: (from, to) => git(["diff-tree", "-r", "-p", "--binary", "--no-ext-diff", "--no-textconv", from, to], own),
    async restore(from, paths) {
      const tree = await gitText(["rev-parse", "--verify", `${from}^{tree}`], there);
      const commit = await gitText(["cat-file", "commit", from], there).catch(() => "");
      const said = commit.split("\n").find((line) => line.startsWith(timeKey));
      const since = said === undefined ? null : Number(said.slice(timeKey.length));
      const restoring = { root, own, index: join(gitDir, "restore-index"), tree, since, modes: modesIn(commit) };
      return inTurn(gitDir, () => restorePaths(restoring, paths));
    },
    dispose: () => rm(gitDir, { recursive: true, force: true }),
  };
}

/** With what was known before; where that fails, without. `own` leads to the folder with the index. */
async function recordAnew(
  objects: string,
  own: GitOptions & { readonly set: { readonly GIT_DIR: string } },
  there: GitOptions,
  record: (held: GitOptions) => Promise<string>,
): Promise<string> {
  try {
    return await inQuarantine(objects, own, record);
  } catch (error) {
    if (error instanceof GitFailure && error.isSlow) throw error;
    // An index of long ago may name objects that are gone by now, and a lock may be left of a process that is.
    for (const name of ["index", "index.lock"]) await rm(join(own.set.GIT_DIR, name), { force: true });
    return inQuarantine(objects, own, async (held) => {
      await addIgnored(held, there);
      return record(held);
    });
  }
}

/** Line of the commit that keeps a picture: when, in milliseconds since the epoch. */
const timeKey = "Taken-at: ";

/** By the clock that tells how old a folder is. */
async function fileTime(gitDir: string): Promise<number> {
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  const file = join(gitDir, "time");
  await writeFile(file, "");
  return (await stat(file)).mtimeMs;
}

/** As it is said from a tree inside. */
function within({ paths, globs }: OwnFiles, path: string): OwnFiles {
  const prefix = `${path}/`;
  const inside = (all: readonly string[]): readonly string[] =>
    all.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  return { paths: inside(paths), globs: inside(globs) };
}

/** Git refuses to be told to leave out what it ignores anyway. */
async function notIgnored(paths: readonly string[], own: GitOptions): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  // It ends with 1 where none of them is ignored.
  const asked = git(["check-ignore", "-z", "--stdin"], { ...own, input: pathInput(paths) });
  const known = new Set(pathsOf(await asked.catch(() => Buffer.alloc(0))));
  return paths.filter((path) => !known.has(path));
}
