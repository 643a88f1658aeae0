import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { Worktree } from "../../model/worktree.ts";
import { endOrphans } from "../processes/custody.ts";
import { isAlive, self } from "../processes/identity.ts";
import { git, type GitOptions, gitText } from "./git.ts";
import { refs } from "./refs.ts";
import { goingEnding, goingFolder, isLocked, removeWorktree } from "./worktree.ts";

/**
 * What is remembered beside each worktree from before it is made: a crash may come before its run is in the journal.
 */
interface WorktreeRecord {
  readonly owner: ProcessIdentity;
  readonly worktree: Worktree;
}

const ending = ".json";

export function worktreesIn(home: string): string {
  return join(home, "worktrees");
}

/** The file beside the worktree of a run. */
export function recordName(run: string): string {
  return run + ending;
}

export async function remember(home: string, run: string, worktree: Worktree): Promise<void> {
  const folder = worktreesIn(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const record: WorktreeRecord = { owner: self(), worktree };
  const temporary = join(folder, `.${run}`);
  await writeFile(temporary, JSON.stringify(record), { mode: 0o600 });
  await rename(temporary, join(folder, recordName(run)));
}

export function forget(home: string, run: string): Promise<void> {
  return rm(join(worktreesIn(home), recordName(run)), { force: true });
}

/** Worktrees of runs that no journal knows and nobody is making: a crash came between the two. Answers their runs. */
export async function orphans(home: string, isKnown: (run: string) => boolean): Promise<readonly string[]> {
  const names = await readdir(worktreesIn(home)).catch(() => []);
  const runs = new Set(names.filter((name) => !name.startsWith(".")).map((name) => name.replace(/\.json$/, "")));
  const found: string[] = [];
  for (const run of runs) {
    if (isKnown(run)) continue;
    const record = await recordOf(home, run);
    // Written before the worktree is made, so that one without is of long ago.
    if (record !== null && isAlive(record.owner)) continue;
    // Its owner may have come to the journal, and to its end, since it was looked for there.
    if (!isKnown(run)) found.push(run);
  }
  return found;
}

/** Goes on to take away worktrees where a process died that had begun to. */
export async function finishRemovals(home: string, env: GitOptions["env"]): Promise<void> {
  const names = await readdir(worktreesIn(home)).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(goingEnding))) {
    const run = name.slice(1, -goingEnding.length);
    const record = await recordOf(home, run);
    if (record === null || !isAlive(record.owner)) await discard(home, run, env);
  }
}

/** Whether somebody locked the worktree of a run: then it is not to be taken away, whatever became of the run. */
export async function isHeld(home: string, run: string): Promise<boolean> {
  return isLocked(await placeOf(home, run));
}

/**
 * Whether a run that no journal knows had begun to work in its worktree, or nobody can tell: the store may have been
 * moved aside, or one of earlier put in its place, and what it did may be nowhere else.
 */
export async function mayHaveBegun(home: string, run: string, env: GitOptions["env"]): Promise<boolean> {
  const { repository } = await placeOf(home, run);
  const asked = gitText(["for-each-ref", "--format=%(refname)", refs.start(run)], { cwd: repository, env });
  return (await asked.catch(() => "unknown")) !== "";
}

async function placeOf(home: string, run: string): Promise<Pick<Worktree, "root" | "repository">> {
  const root = join(worktreesIn(home), run);
  return (await recordOf(home, run))?.worktree ?? { root, repository: root };
}

/** Ends what engines that are gone left at work in worktrees of theirs, as a setup does that they were killed in. */
export async function endWork(home: string, runs: readonly string[]): Promise<void> {
  const records = await Promise.all(runs.map((run) => recordOf(home, run)));
  await endOrphans(...records.flatMap((record) => (record === null ? [] : [record.owner])));
}

/** Takes a worktree away for good, whatever is in it; commits on its branch stay with the branch. */
export async function discard(home: string, run: string, env: GitOptions["env"]): Promise<void> {
  const root = join(worktreesIn(home), run);
  const record = await recordOf(home, run);
  if (record !== null) await removeWorktree(record.worktree, env).catch(() => undefined);
  else await unregister(root, env);
  // The repository may be gone before its worktree.
  for (const folder of [root, goingFolder(root)]) await rm(folder, { recursive: true, force: true });
  await forget(home, run);
}

async function unregister(root: string, env: GitOptions["env"]): Promise<void> {
  const common = await git(["rev-parse", "--path-format=absolute", "--git-common-dir"], { cwd: root, env }).catch(
    () => null,
  );
  if (common === null) return;
  const cwd = common.toString().trimEnd();
  await git(["worktree", "remove", "--force", root], { cwd, env }).catch(() => undefined);
}

async function recordOf(home: string, run: string): Promise<WorktreeRecord | null> {
  try {
    // Written by `remember`.
    return JSON.parse(await readFile(join(worktreesIn(home), recordName(run)), "utf8")) as WorktreeRecord;
  } catch {
    return null;
  }
}
