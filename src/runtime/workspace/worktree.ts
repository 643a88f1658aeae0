import { copyFile, cp, lstat, mkdir, readFile, readlink, realpath, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Worktree } from "../../model/worktree.ts";
import { limits } from "../../model/limits.ts";
import type { WorkspaceProblem, WorkspaceRequest } from "../../ports/workspace.ts";
import { isUnlocked, locked } from "../lock.ts";
import type { Wait } from "../time/wait.ts";
import { gitFolderOf } from "../tree/git-folder.ts";
import { at, isOfTree } from "../tree/way.ts";
import { git, GitFailure, gitText, pathsOf, type GitOptions } from "./git.ts";
import type { Beginning } from "./forked.ts";
import { baseOf, isGone, repositoryOf } from "./repository.ts";

type Environment = GitOptions["env"];

const elsewhere = "run it in a git repository with a commit and a branch, or without isolate: worktree";

/** Where worktrees are made, and how one is remembered from before it is there. */
export interface Making {
  readonly worktrees: string;
  readonly env: Environment;
  readonly told: Wait["told"];
  readonly remember: (worktree: Worktree) => Promise<void>;
}

/** `left` where something of it may be there still, which whoever remembers it is to take away later. */
export type NoWorktree = WorkspaceProblem & { readonly left?: true };

/**
 * Makes a worktree of the commit that is checked out, or that a fork begins with, on a branch of its own, with what is
 * carried along.
 */
export async function openWorktree(
  { run, blueprint, cwd, signal }: WorkspaceRequest,
  beginning: Beginning | null,
  { worktrees, env, told, remember }: Making,
): Promise<Worktree | NoWorktree> {
  const base = beginning ?? (await baseOf(cwd, env));
  if ("problem" in base) return { problem: `workspace.isolate: worktree: ${base.problem}`, hint: elsewhere };
  const repository = await repositoryOf(cwd, env);
  if (repository === null)
    return { problem: `workspace.isolate: worktree: ${cwd} is in no working tree of git`, hint: elsewhere };
  const root = join(worktrees, run);
  const branch = `trammel/${run}`;
  const { commit } = base;
  const within = relative(repository.root, await realpath(cwd));
  const worktree = { root, folder: join(root, within), branch, commit, repository: repository.root };
  const wait = { signal, told };
  let begun = false;
  try {
    await mkdir(worktrees, { recursive: true, mode: 0o700 });
    await remember(worktree);
    const add = ["worktree", "add", "--quiet", "--no-checkout", "-b", branch, root, commit];
    await registering(repository.commonDir, wait, () => {
      begun = true;
      return git(add, { cwd: repository.root, env });
    });
    // As Git does it itself, but while others may add theirs.
    await git(["reset", "--hard", "--quiet", "--no-recurse-submodules"], { cwd: root, env });
    await carry(repository.root, root, blueprint.workspace.carry ?? [], env);
    if (beginning !== null) await registering(repository.commonDir, wait, () => goOnFrom(beginning, worktree, env));
    if ((await lstat(worktree.folder).catch(() => null))?.isDirectory() === true) return worktree;
    await removeWorktree(worktree, env, wait);
    return { problem: `the commit ${commit.slice(0, 12)} has no folder ${within}`, hint: "commit the folder first" };
  } catch (error) {
    const isLeft = begun && !(await isRemoved(worktree, env, wait));
    if (!(error instanceof Error)) throw error;
    const why = error instanceof GitFailure ? error.message : `what it carries along: ${error.message}`;
    return {
      problem: `no worktree can be made for the run: ${why}`,
      hint: "mend that, or run without isolate: worktree",
      ...(isLeft ? { left: true as const } : {}),
    };
  }
}

/**
 * Does `work` while nobody else does such with the same repository: Git reads the records of all its worktrees to add
 * one or take one away, gives up where one is half made, and does not wait for who writes its configuration. Many may
 * stand before it, and each is done soon.
 */
async function registering<T>(shared: string, wait: Wait, work: () => Promise<T>): Promise<T> {
  const answer = await locked(join(shared, "trammel-worktrees"), work, { ...wait, waitMs: limits.gitCommandMs });
  if (isUnlocked(answer)) throw new GitFailure(`${answer.unlocked}; ${answer.hint}`);
  return answer;
}

/** What a fork begins with may hold the folder though the commit does not, and has commits of the run before. */
async function goOnFrom(
  { origin }: Beginning,
  { folder, branch, repository }: Worktree,
  env: Environment,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(["config", "--local", `branch.${branch}.trammel-start`, origin.commit], { cwd: repository, env });
}

/** Takes the worktree away, and its branch where nothing was committed on it. Answers whether the branch stays. */
export async function removeWorktree(
  worktree: Worktree,
  env: Environment,
  wait: Wait = {},
): Promise<{ readonly branchStays: boolean }> {
  const { root, repository } = worktree;
  // The tree that it was made from may itself be a worktree that is gone by now.
  const shared = (await gitFolderOf(repository)) ?? (await gitFolderOf(root));
  const cwd = (await isGone(repository)) ? (shared ?? repository) : repository;
  const going = goingFolder(root);
  await rename(root, going).catch(() => rm(root, { recursive: true, force: true }));
  const unregistered = (): Promise<{ readonly branchStays: boolean }> => unregister(worktree, { cwd, env });
  const done = await (shared === null ? unregistered() : registering(shared, wait, unregistered));
  // It may hold many files, and whoever is at work with another one does not wait for them.
  await rm(going, { recursive: true, force: true });
  return done;
}

/** What a worktree is called once it goes: nobody works there any more, and whoever finds it may go on with that. */
export function goingFolder(root: string): string {
  return join(dirname(root), `.${basename(root)}${goingEnding}`);
}

export const goingEnding = ".going";

function isRemoved(worktree: Worktree, env: Environment, wait: Wait): Promise<boolean> {
  return removeWorktree(worktree, env, wait).then(
    () => true,
    () => false,
  );
}

async function unregister(
  { root, branch, commit }: Worktree,
  there: GitOptions,
): Promise<{ readonly branchStays: boolean }> {
  // By its name alone: others of the user may be missing because their disk is not mounted. Twice, as of one that Git
  // was killed in the middle of; who asks for it has looked whether somebody locked it. Git may know nothing of it.
  await git(["worktree", "remove", "--force", "--force", root], there).catch(() => undefined);
  const ref = `refs/heads/${branch}`;
  const head = await gitText(["rev-parse", "--verify", "--quiet", ref], there).catch(() => null);
  if (head === null) return { branchStays: false };
  if (head !== commit) return { branchStays: true };
  await git(["update-ref", "-d", ref, commit], there);
  await git(["config", "--local", "--remove-section", `branch.${branch}`], there).catch(() => undefined);
  return { branchStays: false };
}

/** Whether somebody said that it is to stay (`git worktree lock`), be it there or on a disk that is away. */
export async function isLocked({ root, repository }: Pick<Worktree, "root" | "repository">): Promise<boolean> {
  const shared = (await gitFolderOf(root)) ?? (await gitFolderOf(repository));
  if (shared === null) return false;
  const mark = await readFile(join(shared, "worktrees", basename(root), "locked"), "utf8").catch(() => null);
  return mark !== null && mark.trim() !== whileMade;
}

/** What Git itself writes there until a worktree is made; one that is killed leaves it. */
const whileMade = "initializing";

/**
 * Whether taking the worktree away loses nothing of what the run changed: it is all in commits that a name leads to.
 */
export async function isSafe(
  { root }: Worktree,
  changed: readonly string[],
  uncommitted: readonly string[],
  env: Environment,
): Promise<boolean> {
  const open = new Set(uncommitted);
  if (changed.some((path) => open.has(path))) return false;
  const named = ["for-each-ref", "--contains", "HEAD", "--count=1", "refs/heads", "refs/remotes", "refs/tags"];
  return (await gitText(named, { cwd: root, env })) !== "";
}

/** Copies untracked files that the globs name, and nothing through a link. */
async function carry(from: string, to: string, globs: readonly string[], env: Environment): Promise<void> {
  if (globs.length === 0) return;
  const { matcherOf } = await import("../tree/globs.ts");
  const matcher = matcherOf(globs);
  const untracked = pathsOf(await git(["ls-files", "--others", "-z"], { cwd: from, env }));
  const carried = untracked.filter((path) => matcher.matches(path) && !join(from, path).startsWith(to));
  if (carried.length > limits.snapshotFiles)
    throw new Error(`workspace.carry names ${carried.length} files and the most is ${limits.snapshotFiles}`);
  for (const path of carried) {
    if (!(await isOfTree(to, path))) throw new Error(`${path} leads through a link of the commit`);
    const [source, target] = [at(from, path), at(to, path)];
    await mkdir(at(to, dirname(path)), { recursive: true });
    // The commit may hold what was taken out since.
    await rm(target, { force: true });
    const stat = await lstat(source);
    if (stat.isFile()) await copyFile(source, target);
    else if (stat.isSymbolicLink()) await symlink(await readlink(source, { encoding: "buffer" }), target);
    // A repository that lies there; one of these is a folder, whose name is text.
    else await cp(join(from, path), join(to, path), { recursive: true, verbatimSymlinks: true });
  }
}
