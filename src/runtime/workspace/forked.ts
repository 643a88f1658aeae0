import { rm } from "node:fs/promises";
import { limits } from "../../model/limits.ts";
import type { RunStarted } from "../../model/events.ts";
import type { ForkedWorktree, Return, WorkspaceProblem } from "../../ports/workspace.ts";
import { scratchFolder } from "../scratch/scratch.ts";
import { shownName } from "../tree/names.ts";
import { undo, type Undone } from "./changes.ts";
import type { GitOptions } from "./git.ts";
import { picturesOf, type PictureOptions } from "./pictures.ts";
import { refs } from "./refs.ts";
import { commitAt, isGone, treeAt } from "./repository.ts";
import type { Snapshots } from "./snapshots.ts";

type Pass = NonNullable<RunStarted["fork"]>;

/** What the worktree of a fork begins with. */
export interface Beginning {
  /** The commit that was checked out. */
  readonly commit: string;
  /** Keeps the tree as it stood, whatever of it was committed, and whom its files let in. */
  readonly picture: string;
  /** Before its line of forks changed anything. */
  readonly origin: { readonly commit: string; readonly tree: string };
}

/** Found before anything is made; the worktree of the earlier run is only looked at. */
export async function beginningOf(
  { from, worktree, keepTree }: ForkedWorktree,
  project: string,
  pictures: Omit<PictureOptions, "folder" | "project" | "since">,
): Promise<Beginning | WorkspaceProblem> {
  const { run } = from;
  const there = { cwd: project, env: pictures.env };
  const origin = (await keptAt(refs.origin(run), there)) ?? (await keptAt(refs.start(run), there));
  const found = keepTree
    ? await leftIn(from, worktree, there, { ...pictures, project })
    : await keptAt(refs.before(run, from.node, from.pass), there);
  if (found === null) return keepTree ? nothingLeft(run) : noCheckpoint(from, `begins with the tree as ${run} left it`);
  // One of an earlier version does not tell what was checked out.
  const commitOf = ({ commit }: Found): string => commit ?? worktree.commit;
  const first = origin ?? found;
  return {
    commit: commitOf(found),
    picture: found.picture,
    origin: { tree: first.tree, commit: commitOf(first) },
  };
}

interface Found {
  readonly picture: string;
  readonly tree: string;
  readonly commit: string | null;
}

async function keptAt(ref: string, there: GitOptions): Promise<Found | null> {
  const [picture, tree] = [await commitAt(ref, there), await treeAt(ref, there)];
  return picture === null || tree === null ? null : { picture, tree, commit: await commitAt(`${ref}^`, there) };
}

/** The worktree as it is by now; where it is gone, as its run left it. */
async function leftIn(
  { run }: Pass,
  { root, folder, branch }: ForkedWorktree["worktree"],
  there: GitOptions,
  pictures: Omit<PictureOptions, "folder" | "since">,
): Promise<Found | null> {
  if (await isGone(folder)) {
    const end = await keptAt(refs.end(run), there);
    return end === null ? null : { ...end, commit: end.commit ?? (await commitAt(`refs/heads/${branch}`, there)) };
  }
  const indices = await scratchFolder();
  try {
    const snapshots = await picturesOf(folder, { ...pictures, folder: indices, since: refs.start(run) });
    if (snapshots === null) return null;
    const tree = await snapshots.take();
    const picture = await snapshots.keep(refs.forked(run), tree);
    return { picture, tree, commit: await commitAt("HEAD", { ...there, cwd: root }) };
  } finally {
    await rm(indices, { recursive: true, force: true });
  }
}

/** Makes a tree that nobody else works in what it is in a picture; answers why it could not. */
export async function makeLike(snapshots: Snapshots, picture: string): Promise<WorkspaceProblem | null> {
  const left = await snapshots.restore(picture, await snapshots.changed(picture, await snapshots.take()));
  if (left.length === 0) return null;
  return {
    problem: `the worktree of the fork cannot be made as the tree was: ${listed(left)} could not be written`,
    hint: "see that workspace.setup and workspace.carry leave their places free, and fork again",
  };
}

/** Takes a tree that the earlier run worked in back to where it was before the pass. */
export async function takeBack(
  snapshots: Snapshots,
  run: string,
  { idle, ...to }: Return,
): Promise<WorkspaceProblem | null> {
  const before = refs.before(to.run, to.node, to.pass);
  if ((await snapshots.kept(before)) === null) return noCheckpoint(to);
  const undone = await undo(snapshots, run, before, await snapshots.kept(refs.end(to.run)), { idle, whole: true });
  if (!("refused" in undone)) return undone.left.length === 0 ? null : wentBackInPart(undone);
  const touched = undone.refused === "touched" ? `others changed ${listed(undone.paths)}` : null;
  return {
    problem: `the tree cannot go back: since that pass of run ${to.run} ${touched ?? "nothing tells what is its own"}`,
    hint: "put it right yourself, and fork with --keep-tree",
  };
}

/** The earlier run ended with what stays there: nobody forks from a tree that never was. */
function wentBackInPart({ left, ref }: Undone): WorkspaceProblem {
  return {
    problem: `the tree went back but for ${listed(left)}, which could not be written`,
    hint: `put that right yourself, and fork with --keep-tree; the tree as it stood is kept as ${ref}`,
  };
}

export function noCheckpoint({ run, node, pass }: Pass, instead = "leaves the tree as it is"): WorkspaceProblem {
  return {
    problem: `there is no checkpoint of the tree before pass ${pass} of ${node} in run ${run}`,
    hint: `a run with workspace.checkpoint: true keeps them before nodes that work in the tree, so of no gate, wait, call or map; fork at such a node, or with --keep-tree, which ${instead}`,
  };
}

function nothingLeft(run: string): WorkspaceProblem {
  return {
    problem: `the worktree of run ${run} is gone, and nothing tells how it left it`,
    hint: `fork at a node with a checkpoint, without --keep-tree, or do all of it anew: trammel rerun ${run}`,
  };
}

function listed(paths: readonly string[]): string {
  return paths.slice(0, limits.evidenceLines).map(shownName).join(", ");
}
