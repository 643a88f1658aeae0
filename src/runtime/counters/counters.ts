import { resolve } from "node:path";
import { chargesIn, namesOf } from "../../model/charges.ts";
import type { EventBody } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { NodeResult } from "../../model/outcome.ts";
import type { Conflict, Journal } from "../../ports/journal.ts";
import type { RunFacts } from "../context.ts";
import type { Wait } from "../time/wait.ts";
import { isUnlocked, locked } from "../lock.ts";
import {
  type Charge,
  type CountersProblem,
  fileOf,
  forget,
  note,
  noted,
  read,
  type Tasks,
  write,
} from "./mirror-file.ts";

type Facts = Pick<RunFacts, "run" | "taskId" | "blueprint" | "account" | "project" | "parent">;

/**
 * Passes of the task over all its runs: what the store counts, or the mirror where that knows of more, as it does when
 * the store was lost or another store counts for it too. A mirror that is missing is written anew; one that cannot be
 * read or written is a problem, and no pass may start.
 */
export async function passesOfTask(
  journal: Pick<Journal, "passes">,
  facts: Facts,
  wait: Wait = {},
): Promise<Readonly<Record<string, number>> | CountersProblem> {
  const { taskId, blueprint } = facts;
  const stored = storedPasses(journal, facts);
  const path = pathOf(facts);
  if (path === null) return stored;
  return alone(path, wait, async () => {
    const found = read(path);
    if (isProblem(found)) return found;
    const tasks = withoutLost(found, noted(path), journal, facts);
    const passes = new Map(Object.entries(stored));
    const mirrored = Object.entries(tasks[taskId] ?? {}).map(([node, count]) => [node, count.passes] as const);
    for (const [node, count] of Object.entries(renamed(blueprint, countedIn(facts, Object.fromEntries(mirrored)))))
      if (blueprint.nodes.has(node)) passes.set(node, Math.max(passes.get(node) ?? 0, count));
    const problem = write(path, { ...tasks, ...withCounts(facts, tasks, passes) });
    if (tasks !== found && problem === null) forget(path);
    return problem ?? Object.fromEntries(passes);
  });
}

/**
 * Takes back what an engine of this run had charged when it died before its journal said so: nothing of it was
 * performed. Where another run has charged since, the note is gone and a pass less is left.
 */
function withoutLost(tasks: Tasks, charge: Charge | null, journal: Pick<Journal, "passes">, facts: Facts): Tasks {
  if (charge === null || charge.run !== facts.run || charge.task !== facts.taskId) return tasks;
  const stored = journal.passes(facts.taskId, facts.account);
  const known = Object.entries(tasks[facts.taskId] ?? {});
  const counts = known.flatMap(([path, count]) => {
    const { passes, before } = charge.counts[path] ?? {};
    const isLost = passes === count.passes && (stored[path] ?? 0) < passes && before !== undefined;
    const left = isLost ? Math.max(before, stored[path] ?? 0) : count.passes;
    return left === 0 ? [] : [[path, { ...count, passes: left }] as const];
  });
  const { [facts.taskId]: _, ...others } = tasks;
  return counts.length === 0 ? others : { ...others, [facts.taskId]: Object.fromEntries(counts) };
}

/** What this store alone counts. */
export function storedPasses(
  journal: Pick<Journal, "passes">,
  facts: Omit<Facts, "project">,
): Readonly<Record<string, number>> {
  const { taskId, blueprint, account } = facts;
  return renamed(blueprint, countedIn(facts, journal.passes(taskId, account)));
}

/**
 * Commits events with `append`; passes that they charge go into the mirror before, and nobody else of any
 * store charges there meanwhile. Answers as `append` does, and with the conflict `passes` where the
 * mirror knows of as many already. With a problem nothing is committed.
 */
export function charging<T extends object>(
  facts: Facts,
  events: readonly EventBody[],
  append: () => Promise<T | Conflict>,
  wait: Wait = {},
): Promise<T | Conflict | CountersProblem> {
  const path = pathOf(facts);
  if (path === null) return append();
  const charges = chargesIn(events).flatMap((charge) =>
    namesOf(charge).map((name) => ({ path: `${facts.parent?.path ?? ""}${name}`, ...charge.charged })),
  );
  if (charges.length === 0) return append();
  return alone(path, wait, async () => {
    const tasks = read(path);
    if (isProblem(tasks)) return tasks;
    const own = tasks[facts.taskId] ?? {};
    const over = charges.find((charge) => charge.passes <= (own[charge.path]?.passes ?? 0));
    if (over !== undefined) return { conflict: "passes", what: charged(own[over.path]?.passes ?? 0, over.path, facts) };
    const counts = charges.map(({ path: node, passes, cap }) => [node, { passes, cap }] as const);
    const before = (node: string): number => own[node]?.passes ?? 0;
    const made = charges.map(({ path: node, passes }) => [node, { passes, before: before(node) }] as const);
    const problem =
      note(path, { run: facts.run, task: facts.taskId, counts: Object.fromEntries(made) }) ??
      write(path, { ...tasks, [facts.taskId]: { ...own, ...Object.fromEntries(counts) } });
    if (problem !== null) return problem;
    const answer = await append();
    // Nothing was charged after all. Where this cannot be written, a pass less is left.
    if ("conflict" in answer) write(path, tasks);
    forget(path);
    return answer;
  });
}

function charged(passes: number, path: string, { taskId }: Facts): string {
  return `${passes} passes of ${path} are charged to task ${taskId} already`;
}

/** The task with all that is known of it, so that a mirror which is written anew says what the store counts. */
function withCounts(
  { taskId, blueprint: { nodes }, parent }: Pick<RunFacts, "taskId" | "blueprint" | "parent">,
  tasks: Tasks,
  passes: ReadonlyMap<string, number>,
): Tasks {
  const known = tasks[taskId] ?? {};
  const counts = [...passes].flatMap(([node, count]) => {
    const path = `${parent?.path ?? ""}${node}`;
    const cap = known[path]?.cap ?? nodes.get(node)?.cap ?? limits.capDefaultPasses;
    return nodes.has(node) && count > 0 ? [[path, { passes: count, cap }] as const] : [];
  });
  return counts.length === 0 ? {} : { [taskId]: { ...known, ...Object.fromEntries(counts) } };
}

/** Passes of the nodes of this run, out of those that are counted over the whole tree of runs. */
function countedIn(
  { parent }: Pick<RunFacts, "parent">,
  all: Readonly<Record<string, number>>,
): Record<string, number> {
  const path = parent?.path ?? "";
  return Object.fromEntries(
    Object.entries(all).flatMap(([node, passes]) => (node.startsWith(path) ? [[node.slice(path.length), passes]] : [])),
  );
}

/** A node that was renamed has what was counted under its former name. */
function renamed(
  { nodes }: RunFacts["blueprint"],
  counted: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const passes = new Map(Object.entries(counted));
  if (passes.size === 0) return counted;
  for (const { id, was } of nodes.values()) {
    const former = was === undefined ? 0 : (passes.get(was) ?? 0);
    if (former > (passes.get(id) ?? 0)) passes.set(id, former);
  }
  return Object.fromEntries(passes);
}

/** Does it while nobody else of any process reads or writes the mirror. */
async function alone<T>(path: string, wait: Wait, work: () => Promise<T>): Promise<T | CountersProblem> {
  const answer = await locked(fileOf(path), work, wait);
  if (!isUnlocked(answer)) return answer;
  const { unlocked, ...rest } = answer;
  return { problem: `the counter file ${path} cannot be locked: ${unlocked}`, ...rest };
}

/** What becomes of a pass whose charge cannot be mirrored. */
export function unmirrored({ problem }: CountersProblem): NodeResult {
  return { outcome: "error", reason: { code: "cap", text: `${problem}, so no pass may start` } };
}

export function isProblem(answer: object): answer is CountersProblem {
  return "problem" in answer && typeof answer.problem === "string";
}

function pathOf({ blueprint, project }: Pick<RunFacts, "blueprint" | "project">): string | null {
  return blueprint.records.counters === undefined ? null : resolve(project, blueprint.records.counters);
}
