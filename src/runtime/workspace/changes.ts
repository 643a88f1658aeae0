import { lstat, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scratchFolder } from "../scratch/scratch.ts";
import type { RunStarted } from "../../model/events.ts";
import type { IdleSpan } from "../../model/idle-span.ts";
import { limits } from "../../model/limits.ts";
import { at } from "../tree/way.ts";
import { GitFailure } from "./git.ts";
import { picturesOf, type PictureOptions } from "./pictures.ts";
import { refs } from "./refs.ts";
import { isGone, treeAt } from "./repository.ts";
import type { Snapshots } from "./snapshots.ts";

/** What a run changed in its tree. */
export interface RunChanges {
  /** Unified. To the tree as the run left it, or as it is now where the run is not over. */
  diff(): Promise<Buffer>;
  undo(options?: UndoOptions): Promise<WholeUndone | UndoRefusal>;
  dispose(): Promise<void>;
}

export interface UndoOptions {
  /** Also what others changed since, or where nobody knows how the run left the tree. */
  readonly force?: boolean;
  /** Times between its start and its end in which nothing of the run was at work. */
  readonly idle?: readonly IdleSpan[];
  /** Refuse, rather than leave them, where others changed paths in such a time. */
  readonly whole?: boolean;
}

export interface Undone {
  readonly paths: readonly string[];
  /** Paths that could not be put back. */
  readonly left: readonly string[];
  /** Paths that stay, since others changed them last while nothing of the run was at work. */
  readonly others: readonly string[];
  /** Where the tree is kept as it was before. */
  readonly ref: string;
}

export interface WholeUndone extends Undone {
  readonly repositories: Repositories;
}

/** Those inside the tree that are others than when the run began: what Git keeps for itself is in no picture. */
interface Repositories {
  /** Folders that are repositories now. */
  readonly made: readonly string[];
  /** Folders that were. */
  readonly gone: readonly string[];
}

/**
 * `touched`: paths were changed by others since the run ended, or, where all are to go back, while it was idle;
 * `unended`: nothing says how the run left the tree.
 */
export type UndoRefusal =
  | { readonly refused: "touched"; readonly paths: readonly string[] }
  | { readonly refused: "unended" }
  | { readonly refused: "gone"; readonly root: string };

export interface ChangesOptions extends Omit<PictureOptions, "folder" | "project" | "since"> {
  readonly run: string;
  readonly started: Pick<RunStarted, "cwd" | "worktree">;
  /** Whether the run is over or halted: what stands in the tree by now need not be its own. */
  readonly ended: boolean;
}

/** Null where no picture was taken when the run began. */
export async function changesOf(options: ChangesOptions): Promise<RunChanges | null> {
  const { run, started, ended } = options;
  const { cwd, worktree } = started;
  const wasRemoved = worktree !== undefined && (await isGone(worktree.folder));
  const folder = await scratchFolder();
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const place = wasRemoved ? worktree.repository : (worktree?.folder ?? cwd);
  const snapshots = await picturesOf(place, { ...options, folder, project: cwd, since: refs.start(run) }).catch(
    async (error: unknown) => {
      await dispose();
      throw error;
    },
  );
  const start = (await snapshots?.kept(refs.start(run))) ?? null;
  if (snapshots === null || start === null) {
    await dispose();
    if (snapshots === null && (await treeAt(refs.start(run), { cwd: place, env: options.env })) !== null)
      throw new GitFailure(`${place} is in no working tree of git any more; see core.bare and core.worktree there`);
    return null;
  }
  const endOf = async (): Promise<string | null> => (ended || wasRemoved ? snapshots.kept(refs.end(run)) : null);
  return {
    diff: async () => snapshots.diff(start, (await endOf()) ?? (wasRemoved ? start : await snapshots.take())),
    async undo(options) {
      if (wasRemoved) return { refused: "gone", root: worktree.root };
      const undone = await undo(snapshots, run, refs.start(run), await endOf(), options);
      if ("refused" in undone) return undone;
      return { ...undone, repositories: await repositoriesSince(snapshots, refs.start(run), undone.paths) };
    },
    dispose,
  };
}

/**
 * Takes back what a run did since the picture that the ref `from` keeps, up to another.
 * `end` is null where none was taken of how it left the tree.
 */
export async function undo(
  snapshots: Snapshots,
  run: string,
  from: string,
  end: string | null,
  { force = false, idle = [], whole = false }: UndoOptions = {},
): Promise<Undone | UndoRefusal> {
  const start = await snapshots.kept(from);
  if (start === null || (end === null && !force)) return { refused: "unended" };
  const now = await snapshots.take();
  const own = new Set(await snapshots.changed(start, end ?? now));
  // What is as it was before the run needs nothing.
  const changed = (await snapshots.changed(start, now)).filter((path) => own.has(path));
  const others = new Set(force ? [] : await changedWhile(idle, snapshots.root, changed));
  if (whole && others.size > 0) return { refused: "touched", paths: [...others] };
  const paths = changed.filter((path) => !others.has(path));
  const later = new Set(end === null ? [] : await snapshots.changed(end, now));
  const touched = paths.filter((path) => later.has(path));
  if (touched.length > 0 && !force) return { refused: "touched", paths: touched };
  const ref = await freeRef(snapshots, run);
  await snapshots.keep(ref, now);
  return { paths, left: paths.length === 0 ? [] : await snapshots.restore(from, paths), others: [...others], ref };
}

/** Paths that were changed last in one of these times, by the clock of their file system. */
async function changedWhile(
  idle: readonly IdleSpan[],
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of idle.length === 0 ? [] : paths) {
    const time = (await lstat(at(root, path)).catch(() => null))?.ctimeMs;
    // What is changed next may be said to be changed a little earlier.
    const isOf = ({ from, to, followed }: IdleSpan): boolean =>
      time !== undefined && from < time && time < to - (followed ? limits.fileTimeSlackMs : 0);
    if (idle.some(isOf)) found.push(path);
  }
  return found;
}

async function repositoriesSince(snapshots: Snapshots, first: string, paths: readonly string[]): Promise<Repositories> {
  const { root } = snapshots;
  const before = await snapshots.repositories(first);
  if (before === null) return { made: [], gone: [] };
  const [made, gone]: [string[], string[]] = [[], []];
  for (const folder of new Set(paths.flatMap(foldersAround)))
    if (!before.includes(folder) && !(await isGone(at(root, join(folder, ".git"))))) made.push(folder);
  for (const folder of before) if (await isGone(at(root, join(folder, ".git")))) gone.push(folder);
  return { made, gone };
}

function foldersAround(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [...foldersAround(folder), folder];
}

/** What an earlier undo kept stays. */
async function freeRef(snapshots: Snapshots, run: string): Promise<string> {
  for (let n = 1; ; n += 1) if ((await snapshots.kept(refs.undone(run, n))) === null) return refs.undone(run, n);
}
