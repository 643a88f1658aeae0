import { setTimeout as pause } from "node:timers/promises";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import { aliveAmong, identityOf, isAlive, isOfThisBoot } from "./identity.ts";
import { carriesEngine, carriesWord, custodyVariable } from "./marker.ts";
import { hasProcfs, type ProcessRow, readVariable } from "./procfs.ts";
import { findMembers, findNewer, type Tree } from "./tree.ts";

/** The tree of one child: its root and whatever it started, in any session. */
export function treeOf(root: ProcessIdentity, word: string): Tree {
  return { root, since: Number(root.startTime), carries: (custody) => carriesWord(custody, word) };
}

/**
 * Ends a tree: TERM, `graceMs`, KILL, repeated until nothing of it lives.
 * Answers the survivors, which are empty but for processes the kernel will not let go or that belong to another user.
 */
export async function endTreeOf(
  tree: Tree,
  graceMs: number = limits.terminationGraceMs,
  look: () => Promise<readonly ProcessRow[]> = () => findMembers(tree),
): Promise<readonly ProcessIdentity[]> {
  let members = await look();
  if (graceMs > 0 && members.length > 0) {
    signalAll(tree, members, "SIGTERM");
    await waitUntilGone(members, graceMs);
    members = await look();
  }
  for (let round = 0; round < limits.custodySweepRounds && members.length > 0; round += 1) {
    signalAll(tree, members, "SIGKILL");
    await waitUntilGone(members, limits.custodySettleMs / limits.custodySweepRounds);
    members = await look();
  }
  return members.map(identityOf);
}

/**
 * Ends what a child that has just ended left running. `ranMs` is how long ago it was started: the cheap look, at
 * processes newer than the child, is only exact while pids cannot have come round again.
 */
export function endLeftovers(
  tree: Tree & { readonly root: ProcessIdentity },
  ranMs: () => number,
): Promise<readonly ProcessIdentity[]> {
  const isCheap = (): boolean => hasProcfs && ranMs() < limits.custodyShortLivedMs;
  return endTreeOf(tree, limits.terminationGraceMs, () =>
    isCheap() ? findNewer(tree, tree.root.pid) : findMembers(tree),
  );
}

/** Ends the tree of a process known from a journal. Nothing happens where its pid is another process's by now. */
export async function endTree(identity: ProcessIdentity): Promise<readonly ProcessIdentity[]> {
  if (!isOfThisBoot(identity)) return [];
  const word =
    hasProcfs && isAlive(identity) ? readVariable(identity.pid, custodyVariable)?.split(" ").at(-1) : undefined;
  return endTreeOf(word === undefined ? { root: identity, carries: () => false } : treeOf(identity, word));
}

/** Ends everything that engines which are gone had started and that still lives, journaled or not; needs /proc. */
export async function endOrphans(...engines: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> {
  const gone = engines.filter((engine) => isOfThisBoot(engine) && !isAlive(engine));
  if (gone.length === 0) return [];
  return endTreeOf(treeOfEngines(gone));
}

/** Waits, at most `forMs`, until nothing lives any more that an engine which is gone had started; needs /proc. */
export async function awaitOrphans(engine: ProcessIdentity, forMs: number): Promise<void> {
  if (!isOfThisBoot(engine) || isAlive(engine)) return;
  await waitUntilGone(await findMembers(treeOfEngines([engine])), forMs);
}

/** All that engines have started. */
function treeOfEngines(engines: readonly ProcessIdentity[]): Tree {
  const since = Math.min(...engines.map(({ startTime }) => Number(startTime)));
  return { root: null, since, carries: (custody) => engines.some((engine) => carriesEngine(custody, engine)) };
}

/** The group in one call, which no fork in it can outrun; then each member that is elsewhere. */
function signalAll({ root }: Tree, members: readonly ProcessRow[], signal: NodeJS.Signals): void {
  const group = members.some((row) => row.group === root?.pid) ? root?.pid : undefined;
  if (group !== undefined) send(-group, signal);
  const others = members.filter((row) => row.group !== group).map(identityOf);
  for (const { pid } of aliveAmong(others)) send(pid, signal);
}

/** Gone already, or not ours to signal: the next look at the table tells which. */
function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    return;
  }
}

/** Nobody tells of the end of a process that is not our child: look, ever less often. */
async function waitUntilGone(members: readonly ProcessRow[], forMs: number): Promise<void> {
  let left: readonly ProcessIdentity[] = members.map(identityOf);
  let step = 1;
  for (let remaining = forMs; remaining > 0 && left.length > 0; remaining -= step) {
    step = Math.min(step * 2, limits.custodyPollMs, remaining);
    await pause(step);
    left = aliveAmong(left);
  }
}
