import { lstat, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RunStarted } from "../../model/events.ts";
import { locked } from "../lock.ts";
import { git, GitFailure, gitText, type GitOptions } from "./git.ts";
import { indexOf, isIndex } from "./index-turn.ts";
import { refs } from "./refs.ts";
import { rootFile } from "./own-repository.ts";
import {
  discard,
  endWork,
  finishRemovals,
  isHeld,
  mayHaveBegun,
  orphans,
  recordName,
  worktreesIn,
} from "./worktree-records.ts";

/** A run that leaves the journal, and where its pictures are. */
export interface LeavingRun {
  readonly run: string;
  readonly started: Pick<RunStarted, "cwd" | "worktree">;
}

export interface TreePruning {
  readonly home: string;
  readonly env: GitOptions["env"];
  readonly leaving: readonly LeavingRun[];
  /** Whether a run is in the journal. */
  readonly isKnown: (run: string) => boolean;
  /** Roots of trees of runs that may go on. */
  readonly inUse: readonly string[];
  /** Indices that were not used since this time, in milliseconds since the epoch, are not kept. */
  readonly before: number;
  /** Only tells. */
  readonly dryRun: boolean;
  /** Told what could not be removed. */
  readonly notice: (what: string) => void;
}

export interface TreesPruned {
  /** Pictures of trees, kept under refs. */
  readonly refs: number;
  /** Absolute paths. */
  readonly worktrees: readonly string[];
  /** Indices with which pictures were taken. */
  readonly trees: number;
}

/** Removes what is kept of the trees of runs that leave the journal, and of such as never came into it. */
export async function pruneTrees(pruning: TreePruning): Promise<TreesPruned> {
  const { home, env, leaving, isKnown, dryRun, notice } = pruning;
  const there = new Set(await readdir(worktreesIn(home)).catch(() => []));
  // A record without its folder is of a worktree that somebody removed: its branch is left, and what Git knows of it.
  const kept = leaving.map(({ run }) => run).filter((run) => there.has(run) || there.has(recordName(run)));
  const lost = new Set(await orphans(home, isKnown));
  const gone: string[] = [];
  const staying = new Set<string>();
  for (const run of new Set([...kept, ...lost])) {
    const why = await whyKept(pruning, run, lost.has(run));
    if (why === null) {
      gone.push(run);
      continue;
    }
    staying.add(run);
    notice(`the worktree of run ${run} stays, as ${why}: ${join(worktreesIn(home), run)}`);
  }
  // They tell that its run had begun, when nobody locks it any more.
  const removed = await removeRefs({ ...pruning, leaving: leaving.filter(({ run }) => !staying.has(run)) });
  if (!dryRun) {
    await endWork(home, gone);
    for (const run of gone) await discard(home, run, env);
    await finishRemovals(home, env);
  }
  return {
    refs: removed,
    worktrees: gone.map((run) => join(worktreesIn(home), run)),
    trees: await removeIndices(pruning, gone),
  };
}

/** Null where its worktree may go. */
async function whyKept({ home, env }: TreePruning, run: string, isLost: boolean): Promise<string | null> {
  if (await isHeld(home, run)) return "it is locked";
  if (isLost && (await mayHaveBegun(home, run, env))) return "its run had begun, and the store does not know it";
  return null;
}

/** All of a repository at once. One that is gone has taken its refs along. */
async function removeRefs({ leaving, env, dryRun, notice }: TreePruning): Promise<number> {
  const byPlace = Map.groupBy(leaving, ({ started }) => started.worktree?.repository ?? started.cwd);
  let count = 0;
  for (const [cwd, runs] of byPlace) {
    const names = new Set(runs.map(({ run }) => run));
    const listed = await gitText(["for-each-ref", "--format=%(refname)", refs.all], { cwd, env }).catch(() => "");
    const own = listed.split("\n").filter((ref) => names.has(ref.split("/")[2] ?? ""));
    count += own.length;
    if (dryRun || own.length === 0) continue;
    const input = own.map((ref) => `delete ${ref}\n`).join("");
    await git(["update-ref", "--stdin"], { cwd, env, input }).catch((error: unknown) => {
      if (!(error instanceof GitFailure)) throw error;
      count -= own.length;
      notice(`pictures of trees stay in ${cwd}: ${error.message}`);
    });
  }
  return count;
}

async function removeIndices({ home, inUse, before, dryRun }: TreePruning, gone: readonly string[]): Promise<number> {
  const folder = join(home, "trees");
  const used = new Set(inUse.map(indexOf));
  const unused = new Set(gone.map((run) => indexOf(join(worktreesIn(home), run))));
  let count = 0;
  for (const name of (await readdir(folder).catch(() => [])).filter(isIndex)) {
    const place = join(folder, name);
    const isLeft = async (): Promise<boolean> => unused.has(name) || isStale(place, before);
    if (used.has(name) || !(await isLeft())) continue;
    // Whoever has its turn there uses it.
    const removed = dryRun || (await locked(place, () => removeIf(place, isLeft), { waitMs: 0 })) === true;
    if (removed) count += 1;
  }
  return count;
}

async function removeIf(place: string, isLeft: () => Promise<boolean>): Promise<boolean> {
  if (!(await isLeft())) return false;
  await rm(place, { recursive: true, force: true });
  return true;
}

/** Its root is written whenever it is opened, and its index when something has changed. */
async function isStale(place: string, before: number): Promise<boolean> {
  const root = await readFile(join(place, rootFile), "utf8").catch(() => null);
  if (root !== null && (await lstat(root).catch(() => null)) === null) return true;
  const used = ["index", rootFile].map((name) => stat(join(place, name)).catch(() => null));
  return (await Promise.all(used)).every((file) => file === null || file.mtimeMs < before);
}
