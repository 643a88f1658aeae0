import { existsSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { gitDirIn } from "../tree/git-folder.ts";
import { git, GitFailure, gitText, type GitOptions } from "./git.ts";

type Environment = GitOptions["env"];

/** A working tree of Git. All paths are absolute. */
export interface Repository {
  readonly root: string;
  /** What all its working trees share. */
  readonly commonDir: string;
  readonly objectFormat: string;
}

/**
 * The working tree around a folder; null where there is none, as in a bare repository. Rejects with {@link GitFailure}
 * where there is one that Git does not read, as of another owner, or that says that its tree is elsewhere.
 */
export async function repositoryOf(cwd: string, env: Environment): Promise<Repository | null> {
  const folder = await realpath(cwd).catch(() => null);
  if (folder === null || !isInTree(folder)) return null;
  const ask = (...what: readonly string[]): Promise<string> => gitText(["rev-parse", ...what], { cwd, env });
  const said = await ask("--show-object-format", "--git-common-dir", "--show-toplevel").catch(ifNone);
  if (said === null) return null;
  const [objectFormat = "", ...folders] = said.split("\n");
  // One with a line break in its name stands on several lines.
  const [common = "", root = ""] =
    folders.length <= 2 ? folders : [await ask("--git-common-dir"), await ask("--show-toplevel")];
  const real = await realpath(root);
  if (real !== treeAround(folder) && !(await leadsTo(real, await ask("--absolute-git-dir"))))
    throw new GitFailure(`core.worktree, a setting of the repository, leads to another folder: ${root}`);
  return { root: real, commonDir: await realpath(resolve(cwd, common)), objectFormat };
}

/** Whether the `.git` in a folder leads to that one. */
async function leadsTo(folder: string, gitDir: string): Promise<boolean> {
  const own = await gitDirIn(folder);
  if (own === undefined || own === null) return false;
  return (await realpath(own).catch(() => null)) === (await realpath(gitDir));
}

function ifNone(error: unknown): null {
  const isNone = /^not a git repository \(|^this operation must be run in a work tree/;
  if (error instanceof GitFailure && isNone.test(error.message)) return null;
  throw error;
}

/**
 * Git takes a folder for one of a working tree only where it, or one above
 * it, holds a `.git`; to ask it costs a process.
 */
export function isInTree(folder: string): boolean {
  return treeAround(folder) !== null;
}

/** The innermost folder at or above this one that holds a `.git`. */
function treeAround(folder: string): string | null {
  if (existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? null : treeAround(dirname(folder));
}

export async function isGone(path: string | Buffer): Promise<boolean> {
  return (await lstat(path).catch(() => null)) === null;
}

/** The commit that a name leads to, or null. */
export function commitAt(name: string, there: GitOptions): Promise<string | null> {
  return objectAt(`${name}^{commit}`, there);
}

/** The tree of what a name leads to, or null. */
export function treeAt(name: string, there: GitOptions): Promise<string | null> {
  return objectAt(`${name}^{tree}`, there);
}

function objectAt(name: string, there: GitOptions): Promise<string | null> {
  return gitText(["rev-parse", "--verify", "--quiet", name], there).catch(() => null);
}

/** Why no worktree can be made from here, as one sentence, or the commit that it begins with. */
export async function baseOf(
  cwd: string,
  env: Environment,
): Promise<{ readonly commit: string } | { readonly problem: string }> {
  const bare = await gitText(["rev-parse", "--is-bare-repository"], { cwd, env }).catch(ofGit);
  if (bare instanceof GitFailure)
    return { problem: `${cwd} is in no git repository that can be used: ${bare.message}` };
  if (bare === "true") return { problem: `the git repository in ${cwd} is bare: it has no working tree` };
  const commit = await gitText(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd, env }).catch(ofGit);
  if (commit instanceof GitFailure) return { problem: `the git repository in ${cwd} has no commits yet` };
  const branch = await git(["symbolic-ref", "--quiet", "HEAD"], { cwd, env }).catch(ofGit);
  if (branch instanceof GitFailure) return { problem: `HEAD of the git repository in ${cwd} is detached` };
  return { commit };
}

function ofGit(error: unknown): GitFailure {
  if (error instanceof GitFailure) return error;
  throw error;
}
