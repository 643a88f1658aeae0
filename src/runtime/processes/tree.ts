import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { limits } from "../../model/limits.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { custodyVariable } from "./marker.ts";
import {
  hasProcfs,
  lastPid,
  listPids,
  type ProcessRow,
  readEnviron,
  readStat,
  threadGroupOf,
  variableIn,
} from "./procfs.ts";
import { listByPs } from "./ps.ts";

/** What makes a process belong: descent from a root, or a word in the environment it was started with. */
export interface Tree {
  readonly root: ProcessIdentity | null;
  /**
   * Start time of its eldest: what is older was started with no word of it. Where it is not known, all are looked at.
   */
  readonly since?: number;
  carries(custody: string): boolean;
}

/**
 * Processes of the tree that live now. Exact while nothing forks; its callers look again at what was made meanwhile.
 */
async function scan(tree: Tree, pids: Iterable<number>): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  const marked = new Set<number>();
  const undecided: number[] = [];
  let looked = 0;
  for (const pid of pids) {
    looked += 1;
    if (looked % limits.custodyBatchProcesses === 0) await nextTurn();
    const row = readStat(pid);
    if (row === null || row.zombie) continue;
    rows.push(row);
    if (isOlder(row, tree)) continue;
    const environ = readEnviron(pid);
    if (environ === null) continue;
    if (isMarked(environ, tree)) marked.add(pid);
    else if (environ === "" && row.session !== kernelSession) undecided.push(pid);
  }
  for (const pid of await decide(undecided, tree)) marked.add(pid);
  return membersAmong(tree, rows, marked, tree.root === null ? null : readStat(tree.root.pid));
}

function isMarked(environ: string, tree: Tree): boolean {
  const custody = variableIn(environ, custodyVariable);
  return custody !== null && tree.carries(custody);
}

function isOlder({ startTime }: ProcessRow, { since }: Tree): boolean {
  return since !== undefined && Number(startTime) < since;
}

/** Kernel threads, which never have an environment, are in it. */
const kernelSession = 0;

/** A process in the middle of `exec` shows no environment: those that carry the word once it is through. */
async function decide(undecided: readonly number[], tree: Tree): Promise<readonly number[]> {
  const marked: number[] = [];
  let open = undecided;
  for (let round = 0; round < limits.custodyExecRounds && open.length > 0; round += 1) {
    await pause(1);
    const still: number[] = [];
    for (const pid of open) {
      const environ = readEnviron(pid);
      if (environ === "") still.push(pid);
      else if (environ !== null && isMarked(environ, tree)) marked.push(pid);
    }
    open = still;
  }
  return marked;
}

/**
 * Closure over parents of: the root itself, its group and session, and what
 * carries the word. `holder` has the root's pid now.
 */
function membersAmong(
  tree: Tree,
  rows: readonly ProcessRow[],
  marked: ReadonlySet<number>,
  holder: ProcessRow | null,
): ProcessRow[] {
  const root = rootPid(tree, holder);
  const pending = rows.filter(
    ({ pid, group, session }) => pid === root || group === root || session === root || marked.has(pid),
  );
  if (pending.length === 0) return [];
  const spared = selfAndAncestors();
  const members = new Map<number, ProcessRow>();
  const children = Map.groupBy(rows, ({ parent }) => parent);
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    if (members.has(row.pid) || spared.has(row.pid)) continue;
    members.set(row.pid, row);
    pending.push(...(children.get(row.pid) ?? []));
  }
  return [...members.values()];
}

/**
 * Pid that root, group and session of the tree go by; -1 where that pid is another process's now,
 * for a pid in use as a group or session is not given away.
 */
function rootPid({ root }: Tree, holder: ProcessRow | null): number {
  if (root === null) return -1;
  return holder !== null && holder.startTime !== root.startTime ? -1 : root.pid;
}

/** The process that cleans up must outlive the cleaning, even where it was started from inside the tree. */
function selfAndAncestors(): ReadonlySet<number> {
  const spared = new Set([process.pid, process.ppid]);
  if (!hasProcfs) return spared;
  for (let row = readStat(process.ppid); row !== null && row.parent > 0; row = readStat(row.parent))
    spared.add(row.parent);
  return spared;
}

/** Without /proc no environment can be read: root, group, session and parents tell. */
export function membersByPs(tree: Tree): ProcessRow[] {
  const living = listByPs().filter(({ zombie }) => !zombie);
  return membersAmong(tree, living, new Set(), living.find(({ pid }) => pid === tree.root?.pid) ?? null);
}

/** Looks at all processes, then at those made meanwhile, until none were. */
export async function findMembers(tree: Tree): Promise<ProcessRow[]> {
  if (!hasProcfs) return membersByPs(tree);
  const before = lastPid();
  const found = await scan(tree, listPids());
  return found.length > 0 || before === null ? found : await findNewer(tree, before);
}

/**
 * As {@link findMembers}, looking only at processes and threads made after `pid`: the kernel hands pids out in order,
 * so an ordinary child costs a handful of looks whatever else runs on the machine.
 */
export async function findNewer(tree: Tree, pid: number): Promise<ProcessRow[]> {
  let seen = pid;
  for (let round = 0; round < limits.custodySweepRounds; round += 1) {
    const newest = lastPid();
    if (newest === seen) return [];
    // Wrapped around, or so many that the table is the shorter list.
    if (newest === null || newest < seen || newest - seen > limits.custodyRangePids) return scan(tree, listPids());
    const found = await scan(tree, newProcesses(seen, newest));
    if (found.length > 0) return found;
    seen = newest;
  }
  return scan(tree, listPids());
}

function* newProcesses(after: number, newest: number): Iterable<number> {
  for (let pid = after + 1; pid <= newest; pid += 1) if (threadGroupOf(pid) === pid) yield pid;
}
