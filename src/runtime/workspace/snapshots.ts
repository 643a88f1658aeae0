import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, realpath, rm, rmdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { limits } from "../../model/limits.ts";
import { git, gitText, pathsOf, type GitOptions } from "./git.ts";
import type { Repository } from "./repository.ts";

/**
 * Pictures of a working tree: tracked files and untracked ones, without the ignored, byte for byte. They are objects of the
 * repository under `refs/trammel/`, taken with an index, a configuration and attributes of our own, so that no hook or filter
 * runs and the user's index stays as it is.
 */
export interface Snapshots {
  /** Takes a picture and answers its tree; one after the other. */
  take(): Promise<string>;
  /** Keeps a tree under a ref. */
  keep(ref: string, tree: string): Promise<void>;
  /** The tree that a ref keeps, or null. */
  kept(ref: string): Promise<string | null>;
  /** Paths that differ, relative to the root. */
  changed(from: string, to: string): Promise<readonly string[]>;
  /** Unified, binary files included. */
  diff(from: string, to: string): Promise<Buffer>;
  /** Makes these paths what they are in the tree, and touches no other. Answers those that it could not. */
  restore(tree: string, paths: readonly string[]): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

const author = {
  GIT_AUTHOR_NAME: "Trammel",
  GIT_AUTHOR_EMAIL: "trammel@localhost",
  GIT_COMMITTER_NAME: "Trammel",
  GIT_COMMITTER_EMAIL: "trammel@localhost",
};
/** Stronger than any .gitattributes of the tree. */
const verbatim = "* -text -filter -ident -working-tree-encoding -export-subst\n";

/** `folder` holds the indices of all trees; what is read once is not read again while it stays as it is. */
export async function openSnapshots(
  repository: Repository,
  folder: string,
  env: GitOptions["env"],
  except: readonly string[] = [],
  exceptGlobs: readonly string[] = [],
): Promise<Snapshots> {
  const { root, commonDir } = repository;
  const gitDir = join(folder, indexOf(root));
  const set = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: root,
    GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...author,
  };
  const own = { cwd: root, env, set };
  const there = { cwd: root, env };
  await inTurn(gitDir, () => prepare(repository, gitDir, own, there));
  const record = async (): Promise<string> => {
    const left = [
      ...(await notIgnored(except, own)).map((path) => `:(exclude,top,literal)${path}`),
      ...exceptGlobs.map((glob) => `:(exclude,top,glob)${glob}`),
    ];
    await git(["add", "--all", "--", ".", ...left], { ...own, timeoutMs: limits.snapshotMs });
    return gitText(["write-tree"], own);
  };
  const take = async (): Promise<string> => {
    try {
      return await record();
    } catch {
      // An index of long ago may name objects that are gone by now, and a lock may be left of a process that is.
      await rm(join(gitDir, "index"), { force: true });
      await rm(join(gitDir, "index.lock"), { force: true });
      await readHead(own, there);
      return record();
    }
  };
  return {
    take: () => inTurn(gitDir, take),
    async keep(ref, tree) {
      const commit = await gitText(["commit-tree", tree, "-m", ref], own);
      await git(["update-ref", ref, commit], there);
    },
    kept: (ref) => gitText(["rev-parse", "--verify", "--quiet", `${ref}^{tree}`], there).catch(() => null),
    changed: async (from, to) =>
      pathsOf(await git(["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to], own)),
    diff: (from, to) => git(["diff-tree", "-r", "-p", "--binary", "--no-ext-diff", "--no-textconv", from, to], own),
    restore: (tree, paths) => restore(root, join(gitDir, "restore-index"), own, tree, paths),
    dispose: () => rm(gitDir, { recursive: true, force: true }),
  };
}

/** Git refuses to be told to leave out what it ignores anyway. */
async function notIgnored(paths: readonly string[], own: GitOptions): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const input = paths.map((path) => `${path}\0`).join("");
  // It ends with 1 where none of them is ignored.
  const ignored = await git(["check-ignore", "-z", "--stdin"], { ...own, input }).catch(() => Buffer.alloc(0));
  const known = new Set(pathsOf(ignored));
  return paths.filter((path) => !known.has(path));
}

/** Name of the folder with the index of the tree at `root`. */
export function indexOf(root: string): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 32);
}

/** File in it that says of which tree it is. */
export const rootFile = "root";

/** The index of a tree is one, whoever takes pictures of it in this process. */
const turns = new Map<string, Promise<unknown>>();

async function inTurn<T>(gitDir: string, work: () => Promise<T>): Promise<T> {
  const done = (turns.get(gitDir) ?? Promise.resolve()).then(work);
  const over = done.catch(() => undefined);
  turns.set(gitDir, over);
  try {
    return await done;
  } finally {
    if (turns.get(gitDir) === over) turns.delete(gitDir);
  }
}

async function prepare(repository: Repository, gitDir: string, own: GitOptions, there: GitOptions): Promise<void> {
  const fresh = (await lstat(join(gitDir, "HEAD")).catch(() => null)) === null;
  if (fresh) {
    await mkdir(gitDir, { recursive: true, mode: 0o700 });
    const { GIT_WORK_TREE: _, ...bare } = own.set ?? {};
    const init = ["init", "--quiet", "--bare", "--template=", `--object-format=${repository.objectFormat}`, gitDir];
    await git(init, { ...own, set: bare });
    await git(["config", "--file", join(gitDir, "config"), "core.bare", "false"], own);
  }
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, rootFile), repository.root);
  await writeFile(join(gitDir, "info", "attributes"), verbatim);
  await writeFile(join(gitDir, "info", "exclude"), await excludesOf(repository, there));
  if (fresh) await readHead(own, there);
}

/** What is tracked counts though it is ignored. */
async function readHead(own: GitOptions, there: GitOptions): Promise<void> {
  const head = await gitText(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"], there).catch(() => null);
  if (head !== null) await git(["read-tree", head], own);
}

/** Ignore rules that stand outside the tree: those of the repository and those of the user. */
async function excludesOf({ commonDir }: Repository, there: GitOptions): Promise<string> {
  const named = await gitText(["config", "--type=path", "core.excludesFile"], there).catch(() => "");
  const configured = there.env["XDG_CONFIG_HOME"] ?? join(there.env["HOME"] ?? homedir(), ".config");
  const ofUser = named === "" ? join(configured, "git", "ignore") : named;
  const texts = [ofUser, join(commonDir, "info", "exclude")].map((file) => readFile(file, "utf8").catch(() => ""));
  return (await Promise.all(texts)).join("\n");
}

async function restore(
  root: string,
  index: string,
  own: GitOptions,
  tree: string,
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
      if (!tracked.has(path) && !((await isOfTree(root, path)) && (await remove(root, join(root, path)))))
        left.push(path);
    for (const path of paths)
      if (tracked.has(path))
        ((await isOfTree(root, path)) && !(await isFolder(join(root, path))) ? written : left).push(path);
    if (written.length > 0)
      await git(["checkout-index", "--force", "-z", "--stdin"], { ...scratch, input: `${written.join("\0")}\0` });
    return left;
  } finally {
    await rm(index, { force: true });
  }
}

/** Whether the way to a path leads through folders of the tree only: a link may lead anywhere, and a file would be lost. */
async function isOfTree(root: string, path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const real = await realpath(join(root, folder)).catch(() => null);
    if (real !== null) return real === join(root, folder) && (await isFolder(real));
  }
  return true;
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

async function remove(root: string, file: string): Promise<boolean> {
  if (await isFolder(file)) return false;
  await rm(file, { force: true });
  await removeEmpty(root, dirname(file));
  return true;
}

/** As Git does: a folder is there for what is in it. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== root; at = dirname(at))
    if (
      !(await rmdir(at).then(
        () => true,
        () => false,
      ))
    )
      return;
}
