import { join } from "node:path";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Worktree } from "../../model/worktree.ts";
import type { RunStatus } from "../../model/outcome.ts";
import { messageOf } from "../../model/thrown.ts";
import type {
  ForkedWorktree,
  Workspace,
  WorkspaceProblem,
  WorkspaceRequest,
  Workspaces,
} from "../../ports/workspace.ts";
import { type Beginning, beginningOf, makeLike, noCheckpoint, takeBack } from "./forked.ts";
import { gitText } from "./git.ts";
import { picturesOf } from "./pictures.ts";
import { refs } from "./refs.ts";
import { isGone, repositoryOf } from "./repository.ts";
import type { Snapshots } from "./snapshots.ts";
import {
  discard,
  endWork,
  finishRemovals,
  forget,
  isHeld,
  mayHaveBegun,
  orphans,
  remember,
  worktreesIn,
} from "./worktree-records.ts";
import { isLocked, isSafe, openWorktree, removeWorktree } from "./worktree.ts";

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
  /** What that began with, where the run is a fork. */
  readonly beginning: Beginning | null;
  /** Whether a picture of its start may be there; without one Git is not asked about its end. */
  begun: boolean;
  /** Whether it was taken in this process. */
  hasStart: boolean;
}

export function gitWorkspaces(options: WorkspaceOptions): GitWorkspaces {
  const { notice } = options;
  const opened = new Map<string, Open>();
  /** Of runs whose worktree was gone when they were opened again. */
  const lost = new Map<string, Worktree>();
  let swept = false;
  const snapshotsOf = async (run: string): Promise<Snapshots | null> => (await opened.get(run)?.snapshots()) ?? null;
  return {
    snapshotsOf,
    async open(request) {
      const { run, blueprint, cwd, fork } = request;
      const beginning = fork === undefined ? null : await beginningIn(options, request, fork);
      if (beginning !== null && "problem" in beginning) return beginning;
      // Once, and before a worktree is made: runs come by the thousand, crashes do not.
      if (!swept || blueprint.workspace.isolate === "worktree") await removeOrphans(options);
      swept = true;
      const worktree = await makeWorktree(options, request, beginning);
      if (worktree !== null && "problem" in worktree) return worktree;
      const open = enter(options, { run, blueprint, project: cwd, worktree, made: true, beginning });
      opened.set(run, open);
      // What is set up finds the tree as it is to be.
      return (beginning === null ? null : await becomeLike(open, beginning)) ?? open.workspace;
    },
    async reopen(run, blueprint, { cwd, worktree, parent }) {
      if (worktree !== undefined && (await isGone(worktree.folder))) {
        if (parent === undefined) lost.set(run, worktree);
        return gone(run, worktree);
      }
      if (worktree === undefined && (await isGone(cwd))) return away(run, cwd);
      const place = { run, project: cwd, worktree: worktree ?? null, made: false, beginning: null };
      const open = enter(options, { blueprint, ...place });
      open.begun = parent === undefined;
      opened.set(run, open);
      return open.workspace;
    },
    async discard(run) {
      const open = opened.get(run);
      opened.delete(run);
      if (open?.made === true) await unmake(options, run, open.workspace);
    },
    async goBack(run, to) {
      const open = opened.get(run);
      if (open !== undefined && open.beginning !== null) return becomeLike(open, open.beginning);
      const snapshots = await snapshotsOf(run);
      return snapshots === null ? noCheckpoint(to) : takeBack(snapshots, run, to);
    },
    async begin(run) {
      const open = opened.get(run);
      if (open !== undefined) open.begun = true;
      const isKept = await orSay(notice, `what run ${run} changes cannot be told`, async () => {
        const snapshots = await snapshotsOf(run);
        await snapshots?.keep(refs.start(run), await snapshots.take());
        const origin = open?.beginning?.origin;
        if (origin !== undefined) await snapshots?.keep(refs.origin(run), origin.tree, origin.commit);
      });
      if (open !== undefined) open.hasStart = isKept;
      // Said once; a worktree has an end all the same.
      if (open !== undefined && !isKept && open.workspace.worktree === undefined) open.begun = false;
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

interface Place extends Pick<Open, "made" | "beginning"> {
  readonly run: string;
  readonly blueprint: Blueprint;
  /** Absolute folder in which the run was asked for. */
  readonly project: string;
  readonly worktree: Worktree | null;
}

function enter(options: WorkspaceOptions, { run, blueprint, project, worktree, made, beginning }: Place): Open {
  const { home, env, record } = options;
  const workspace = worktree === null ? { cwd: project } : { cwd: worktree.folder, worktree };
  let pictures: Promise<Snapshots | null> | undefined;
  const snapshots = (): Promise<Snapshots | null> => {
    const own = { home, env, folder: join(home, "trees"), project, records: blueprint.records, record };
    return (pictures ??= picturesOf(workspace.cwd, { ...own, since: refs.start(run) }));
  };
  return { workspace, snapshots, made, beginning, begun: false, hasStart: false };
}

function beginningIn(
  { home, env, record }: WorkspaceOptions,
  { cwd, blueprint: { records } }: WorkspaceRequest,
  fork: ForkedWorktree,
): Promise<Beginning | WorkspaceProblem> {
  return beginningOf(fork, cwd, { home, env, record, records }).catch(cannotBegin);
}

async function becomeLike({ snapshots }: Open, { picture }: Beginning): Promise<WorkspaceProblem | null> {
  const pictures = await snapshots();
  return pictures === null ? null : makeLike(pictures, picture).catch(cannotBegin);
}

function cannotBegin(error: unknown): WorkspaceProblem {
  return { problem: `no worktree can be made for the fork: ${messageOf(error)}`, hint: "mend that, and fork again" };
}

/** Null where the run is to have none. */
async function makeWorktree(
  options: WorkspaceOptions,
  request: WorkspaceRequest,
  beginning: Beginning | null,
): Promise<Worktree | WorkspaceProblem | null> {
  const { home, env, notice: told } = options;
  const problem = await problemOf(request, env);
  if (problem !== null) return problem;
  if (request.blueprint.workspace.isolate !== "worktree") return null;
  const { run } = request;
  const making = { worktrees: worktreesIn(home), env, told, remember: (made: Worktree) => remember(home, run, made) };
  const worktree = await openWorktree(request, beginning, making);
  if ("problem" in worktree && worktree.left !== true) await forget(home, run);
  return worktree;
}

async function unmake(
  { home, env, notice: told }: WorkspaceOptions,
  run: string,
  { worktree }: Workspace,
): Promise<void> {
  if (worktree === undefined) return;
  await removeWorktree(worktree, env, { told });
  await forget(home, run);
}

async function removeOrphans({ home, env, notice, isKnown }: WorkspaceOptions): Promise<void> {
  if (isKnown === undefined) return;
  await finishRemovals(home, env);
  for (const run of await orphans(home, isKnown)) {
    if ((await isHeld(home, run)) || (await mayHaveBegun(home, run, env))) continue;
    await endWork(home, [run]);
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
  if (checkpoint !== true) return null;
  const hint = "run it in a git repository, or without checkpoint";
  return repositoryOf(cwd, env).then(
    (found) => (found === null ? { problem: `workspace.checkpoint: ${cwd} is in no working tree of git`, hint } : null),
    (error: unknown) => ({
      problem: `workspace.checkpoint: ${messageOf(error)}`,
      hint: "mend that, or run it without",
    }),
  );
}

/** Not where only the folder in it is gone: the rest may hold what is nowhere else. */
async function clearLost(options: WorkspaceOptions, run: string, status: RunStatus, worktree: Worktree): Promise<void> {
  if (!isDone(status)) return;
  if ((await isGone(worktree.root)) && !(await isLocked(worktree))) await clear(options, run, worktree);
  else stays(options, run, worktree);
}

async function orSay(notice: WorkspaceOptions["notice"], what: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    notice(`${what}: ${messageOf(error)}`);
    return false;
  }
}

function gone(run: string, { root }: Worktree): WorkspaceProblem {
  return { problem: `the worktree of run ${run} is gone: ${root}`, hint: "start the task anew" };
}

/** Its nodes would all fail there, and it for good. */
function away(run: string, cwd: string): WorkspaceProblem {
  const hint = `put it back, as by mounting its disk, or let go of the run: trammel stop ${run}`;
  return { problem: `the folder that run ${run} works in is not there: ${cwd}`, hint };
}

/** What was begun is ended: only what has a picture of its start gets one of its end. */
async function leave(options: WorkspaceOptions, run: string, status: RunStatus, open: Open): Promise<void> {
  const { worktree } = open.workspace;
  const snapshots = await open.snapshots();
  // Asked for at once: who has the tree next waits for this picture before it begins.
  const early = open.hasStart ? snapshots?.take() : undefined;
  early?.catch(() => undefined); // seen below
  const start = (await snapshots?.kept(refs.start(run))) ?? null;
  if (snapshots === null || start === null) return worktree === undefined ? undefined : stays(options, run, worktree);
  const end = await (early ?? snapshots.take());
  await snapshots.keep(refs.end(run), end);
  if (worktree === undefined) return;
  const { env } = options;
  const head = await gitText(["rev-parse", "HEAD^{tree}"], { cwd: worktree.root, env });
  // What a fork found changed and not committed is to be found again, too.
  const before = (await snapshots.kept(refs.origin(run))) ?? start;
  const [changed, uncommitted] = await Promise.all([snapshots.changed(before, end), snapshots.changed(head, end)]);
  if (!isDone(status)) return stays(options, run, worktree);
  if (!(await isSafe(worktree, changed, uncommitted, env)))
    return stays(options, run, worktree, "not all that the run changed is committed");
  if (await isLocked(worktree)) return stays(options, run, worktree, "it is locked");
  await clear(options, run, worktree);
  await snapshots.dispose();
}

/** Takes a worktree away, and what Git and this keep of one that is gone. */
async function clear({ home, env, notice }: WorkspaceOptions, run: string, worktree: Worktree): Promise<void> {
  const removed = await removeWorktree(worktree, env, { told: notice }).catch((error: unknown) => messageOf(error));
  if (typeof removed === "string")
    return notice(`what is left of the worktree of run ${run} goes with the next one, or with prune: ${removed}`);
  await forget(home, run);
  if (removed.branchStays) notice(`what run ${run} committed is on branch ${worktree.branch}`);
}

/** A worktree is evidence of what failed, and the place where a run goes on. */
function isDone(status: RunStatus): boolean {
  return status === "succeeded" || status === "rejected" || status === "stopped";
}

function stays({ notice }: WorkspaceOptions, run: string, { root, branch }: Worktree, why?: string): void {
  notice(`the worktree of run ${run} stays${why === undefined ? "" : `, as ${why}`}: ${root} (branch ${branch})`);
}
