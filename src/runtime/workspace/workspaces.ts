import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Blueprint } from "../../model/blueprint.ts";
import type { RunStarted } from "../../model/events.ts";
import type { Worktree } from "../../model/worktree.ts";
import { limits } from "../../model/limits.ts";
import type { RunStatus } from "../../model/outcome.ts";
import { messageOf } from "../../model/thrown.ts";
import type { Workspace, WorkspaceProblem, WorkspaceRequest, Workspaces } from "../../ports/workspace.ts";
import { shownName } from "../tree/names.ts";
import { undo } from "./changes.ts";
import { gitText } from "./git.ts";
import { picturesOf } from "./pictures.ts";
import { refs } from "./refs.ts";
import { repositoryOf } from "./repository.ts";
import type { Snapshots } from "./snapshots.ts";
import { discard, forget, orphans, remember, worktreesIn } from "./worktree-records.ts";
import { isSafe, openWorktree, removeWorktree } from "./worktree.ts";

export interface WorkspaceOptions {
  /** Absolute folder of all state. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly notice: (what: string) => void;
  /** Absolute folder that cassettes are written to, which are no work of a run. */
  readonly record?: string;
  /** Whether a run is in the journal; worktrees of others are removed when the next run begins. */
  readonly isKnown?: (run: string) => boolean;
}

/** Trees in git repositories, and whatever folder a run that wants no more than a folder works in. */
export interface GitWorkspaces extends Workspaces {
  /** Pictures of the tree that an open run works in; null where it is in no repository. */
  snapshotsOf(run: string): Promise<Snapshots | null>;
}

interface Open {
  readonly workspace: Workspace;
  readonly snapshots: () => Promise<Snapshots | null>;
  /** Whether its worktree was made for this opening. */
  readonly made: boolean;
  /** Whether a picture of its start may be there; without one Git is not asked about its end. */
  begun: boolean;
}

export function gitWorkspaces(options: WorkspaceOptions): GitWorkspaces {
  const { home, env, notice, record } = options;
  const opened = new Map<string, Open>();
  /** Of runs whose worktree was gone when they were opened again. */
  const lost = new Map<string, Worktree>();
  let swept = false;
  const enter = (
    run: string,
    blueprint: Blueprint,
    project: string,
    worktree: Worktree | null,
    made: boolean,
  ): Workspace => {
    const workspace = worktree === null ? { cwd: project } : { cwd: worktree.folder, worktree };
    let pictures: Promise<Snapshots | null> | undefined;
    const snapshots = (): Promise<Snapshots | null> => {
      const at = { home, env, folder: join(home, "trees"), project, records: blueprint.records, record };
      return (pictures ??= picturesOf(workspace.cwd, at));
    };
    opened.set(run, { workspace, snapshots, made, begun: false });
    return workspace;
  };
  const snapshotsOf = async (run: string): Promise<Snapshots | null> => (await opened.get(run)?.snapshots()) ?? null;
  return {
    snapshotsOf,
    async open(request) {
      const { run, blueprint, cwd } = request;
      // Once, and before a worktree is made: runs come by the thousand, crashes do not.
      if (!swept || blueprint.workspace.isolate === "worktree") await removeOrphans(options);
      swept = true;
      const worktree = await makeWorktree(options, request);
      return worktree !== null && "problem" in worktree ? worktree : enter(run, blueprint, cwd, worktree, true);
    },
    async reopen(run, blueprint, { cwd, worktree, parent }) {
      if (worktree !== undefined && (await isGone(worktree.folder))) {
        if (parent === undefined) lost.set(run, worktree);
        return gone(run, worktree);
      }
      const workspace = enter(run, blueprint, cwd, worktree ?? null, false);
      const open = opened.get(run);
      if (open !== undefined) open.begun = parent === undefined;
      return workspace;
    },
    async discard(run) {
      const open = opened.get(run);
      opened.delete(run);
      if (open?.made === true) await unmake(options, run, open.workspace);
    },
    async goBack(run, to) {
      const snapshots = await snapshotsOf(run);
      return snapshots === null ? noCheckpoint(to) : takeBack(snapshots, run, to);
    },
    async begin(run) {
      const open = opened.get(run);
      if (open !== undefined) open.begun = true;
      await orSay(notice, `what run ${run} changes cannot be told`, async () => {
        const snapshots = await snapshotsOf(run);
        await snapshots?.keep(refs.start(run), await snapshots.take());
      });
    },
    async close(run, status) {
      const [open, removed] = [opened.get(run), lost.get(run)];
      opened.delete(run);
      lost.delete(run);
      const left = removed === undefined ? undefined : () => clearLost(options, run, status, removed);
      const ended = open?.begun === true ? () => leave(options, run, status, open) : left;
      if (ended !== undefined) await orSay(notice, `what run ${run} changed cannot be told`, ended);
    },
  };
}

/** Null where the run is to have none. */
async function makeWorktree(
  options: WorkspaceOptions,
  request: WorkspaceRequest,
): Promise<Worktree | WorkspaceProblem | null> {
  const { home, env } = options;
  const problem = await problemOf(request, env);
  if (problem !== null) return problem;
  if (request.blueprint.workspace.isolate !== "worktree") return null;
  const { run } = request;
  const worktree = await openWorktree(request, worktreesIn(home), env, (made) => remember(home, run, made));
  if ("problem" in worktree) await forget(home, run);
  return worktree;
}

async function unmake({ home, env }: WorkspaceOptions, run: string, { worktree }: Workspace): Promise<void> {
  if (worktree === undefined) return;
  await removeWorktree(worktree, env);
  await forget(home, run);
}

async function removeOrphans({ home, env, notice, isKnown }: WorkspaceOptions): Promise<void> {
  if (isKnown === undefined) return;
  for (const run of await orphans(home, isKnown)) {
    await discard(home, run, env);
    notice(`removed the worktree of run ${run}, which a crash kept from beginning`);
  }
}

async function problemOf(
  { blueprint, cwd }: WorkspaceRequest,
  env: WorkspaceOptions["env"],
): Promise<WorkspaceProblem | null> {
  const { isolate, carry, setup, checkpoint } = blueprint.workspace;
  const alone = [carry === undefined ? null : "carry", setup === undefined ? null : "setup"].find(
    (key) => key !== null,
  );
  if (alone !== undefined && isolate !== "worktree")
    return {
      problem: `workspace.${alone} is for a worktree, and the run has none`,
      hint: "add isolate: worktree, or take it out",
    };
  if (checkpoint === true && (await repositoryOf(cwd, env)) === null)
    return {
      problem: `workspace.checkpoint: ${cwd} is in no working tree of git`,
      hint: "run it in a git repository, or without checkpoint",
    };
  return null;
}

/** Not where only the folder in it is gone: the rest may hold what is nowhere else. */
async function clearLost(options: WorkspaceOptions, run: string, status: RunStatus, worktree: Worktree): Promise<void> {
  if (!isDone(status)) return;
  if (await isGone(worktree.root)) await clear(options, run, worktree);
  else stays(options, run, worktree);
}

async function orSay(notice: WorkspaceOptions["notice"], what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notice(`${what}: ${messageOf(error)}`);
  }
}

async function isGone(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) === null;
}

function gone(run: string, { root }: Worktree): WorkspaceProblem {
  return { problem: `the worktree of run ${run} is gone: ${root}`, hint: "start the task anew" };
}

type Pass = NonNullable<RunStarted["fork"]>;

async function takeBack(snapshots: Snapshots, run: string, to: Pass): Promise<WorkspaceProblem | null> {
  const before = refs.before(to.run, to.node, to.pass);
  if ((await snapshots.kept(before)) === null) return noCheckpoint(to);
  const undone = await undo(snapshots, run, before, await snapshots.kept(refs.end(to.run)), false);
  if (!("refused" in undone)) return null;
  const touched =
    undone.refused === "touched"
      ? `others changed ${undone.paths.slice(0, limits.evidenceLines).map(shownName).join(", ")}`
      : null;
  return {
    problem: `the tree cannot go back: since run ${to.run} ${touched ?? "nothing tells what is its own"}`,
    hint: "put it right yourself, and fork with --keep-tree",
  };
}

function noCheckpoint({ run, node, pass }: Pass): WorkspaceProblem {
  return {
    problem: `there is no checkpoint of the tree before pass ${pass} of ${node} in run ${run}`,
    hint: "a run with workspace.checkpoint: true keeps them before nodes that work in the tree, so of no gate, wait, call or map; fork at such a node, or with --keep-tree, which leaves the tree as it is",
  };
}

/** What was begun is ended: only what has a picture of its start gets one of its end. */
async function leave(options: WorkspaceOptions, run: string, status: RunStatus, open: Open): Promise<void> {
  const { worktree } = open.workspace;
  const snapshots = await open.snapshots();
  const start = (await snapshots?.kept(refs.start(run))) ?? null;
  if (snapshots === null || start === null) return worktree === undefined ? undefined : stays(options, run, worktree);
  const end = await snapshots.take();
  await snapshots.keep(refs.end(run), end);
  if (worktree === undefined) return;
  const { env } = options;
  const head = await gitText(["rev-parse", "HEAD^{tree}"], { cwd: worktree.root, env });
  const [changed, uncommitted] = await Promise.all([snapshots.changed(start, end), snapshots.changed(head, end)]);
  if (!isDone(status)) return stays(options, run, worktree);
  if (!(await isSafe(worktree, changed, uncommitted, env)))
    return stays(options, run, worktree, "not all that the run changed is committed");
  await clear(options, run, worktree);
  await snapshots.dispose();
}

/** Takes a worktree away, and what Git and this keep of one that is gone. */
async function clear({ home, env, notice }: WorkspaceOptions, run: string, worktree: Worktree): Promise<void> {
  const { branchStays } = await removeWorktree(worktree, env);
  await forget(home, run);
  if (branchStays) notice(`what run ${run} committed is on branch ${worktree.branch}`);
}

/** A worktree is evidence of what failed, and the place where a run goes on. */
function isDone(status: RunStatus): boolean {
  return status === "succeeded" || status === "rejected" || status === "stopped";
}

function stays({ notice }: WorkspaceOptions, run: string, { root, branch }: Worktree, why?: string): void {
  notice(`the worktree of run ${run} stays${why === undefined ? "" : `, as ${why}`}: ${root} (branch ${branch})`);
}
