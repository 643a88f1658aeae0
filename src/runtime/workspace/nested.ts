import { copyFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { git, GitFailure, gitText, type GitOptions, pathInput, pathsOf } from "./git.ts";
import { type Repository, repositoryOf } from "./repository.ts";

/** A working tree inside another: a submodule, or a clone that lies there. */
export interface Nested {
  /** Relative to the tree around it. */
  readonly path: string;
  readonly repository: Repository;
}

/** Takes something of a tree into the index; answers repositories that it met and did not take. */
export type Adding = () => Promise<readonly string[]>;

/**
 * Takes all that `add` takes; answers the working trees inside, whose content Git leaves to them. The index holds such
 * only where `mayHold`.
 */
export async function addAll(root: string, add: Adding, mayHold: boolean, own: GitOptions): Promise<readonly Nested[]> {
  const met = await add();
  const links = mayHold ? await linksIn(own) : [];
  const nested = await nestedAt(root, [...new Set([...links, ...met])], own);
  const stale = links.filter((path) => !nested.some((one) => one.path === path));
  if (stale.length === 0) return nested;
  // What was a working tree of its own is an ordinary folder now, or gone.
  await git(["update-index", "--force-remove", "-z", "--stdin"], { ...own, input: pathInput(stale) });
  await add();
  return nested;
}

/** All that is not ignored now. */
export function addNow(left: readonly string[], own: GitOptions): Adding {
  return async () => {
    const add = ["add", "--all", "--", ".", ...left];
    try {
      await git(add, own);
      return [];
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      // Git adds nothing at all where there is a repository without a commit.
      const { inside } = await othersIn(["--exclude-standard"], left, own);
      if (inside.length === 0) throw error;
      await git([...add, ...inside.map((path) => `:(exclude,top,literal)${path}`)], own);
      return inside;
    }
  };
}

/** All that no line of a file with patterns names, whatever is ignored now. */
export function addBy(patterns: string, left: readonly string[], own: GitOptions): Adding {
  return async () => {
    await git(["add", "--update", "--", ".", ...left], own);
    const { files, inside } = await othersIn([`--exclude-from=${patterns}`], left, own);
    if (files.length > 0) await addPaths(files, own);
    return inside;
  };
}

/** Adds what is there of these paths, be it ignored, and takes out what is not. */
export async function addPaths(paths: readonly string[], own: GitOptions): Promise<void> {
  const update = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
  await git(update, { ...own, input: pathInput(paths) });
}

async function othersIn(
  ignoring: readonly string[],
  left: readonly string[],
  own: GitOptions,
): Promise<{ readonly files: readonly string[]; readonly inside: readonly string[] }> {
  const others = pathsOf(await git(["ls-files", "--others", ...ignoring, "-z", "--", ".", ...left], own));
  const inside = others.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
  return { files: inside.length === 0 ? others : others.filter((path) => !path.endsWith("/")), inside };
}

/** Writes a tree in which the content of working trees inside stands as if it were of the one around. */
export async function writeWith(
  trees: readonly { readonly path: string; readonly tree: string }[],
  gitDir: string,
  own: GitOptions,
): Promise<string> {
  const index = join(gitDir, "nested-index");
  const scratch = { ...own, set: { ...own.set, GIT_INDEX_FILE: index } };
  try {
    await copyFile(join(gitDir, "index"), index);
    const input = pathInput(trees.map(({ path }) => path));
    await git(["update-index", "--force-remove", "-z", "--stdin"], { ...scratch, input });
    for (const { path, tree } of trees) await git(["read-tree", "-i", `--prefix=${path}/`, tree], scratch);
    return await gitText(["write-tree"], scratch);
  } finally {
    await rm(index, { force: true });
  }
}

async function linksIn(own: GitOptions): Promise<readonly string[]> {
  const staged = await git(["ls-files", "--stage", "-z"], own);
  // Most trees have none, and are long.
  if (!staged.includes(linkMode)) return [];
  return pathsOf(staged).flatMap((entry) => (entry.startsWith(linkMode) ? [entry.slice(entry.indexOf("\t") + 1)] : []));
}

const linkMode = "160000 ";

async function nestedAt(root: string, paths: readonly string[], { env }: GitOptions): Promise<readonly Nested[]> {
  const found: Nested[] = [];
  // A name of other bytes cannot be said to Git as an argument.
  for (const path of paths.filter((one) => one.isWellFormed())) {
    const folder = await realpath(join(root, path)).catch(() => null);
    const repository = folder === null ? null : await repositoryOf(folder, env).catch(() => null);
    if (repository !== null && repository.root === join(root, path)) found.push({ path, repository });
  }
  return found;
}
