import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import type { Journal } from "../ports/journal.ts";
import type { RunFacts } from "./context.ts";
import { readPlainFileNow, realOf } from "./tree/plain-file.ts";

/** Passes of one node, as `records.counters` mirrors them for people and hooks. */
export interface Count {
  readonly passes: number;
  readonly cap: number;
}

/** Of a node that had another name, under both. */
type Charged = Count & { readonly was?: string };

type Tasks = Record<string, Record<string, Count>>;

const version = 1;

/** Why the mirror cannot be relied on, as one sentence. */
export interface CountersProblem {
  readonly problem: string;
}

/**
 * Passes of the task over all its runs: what the store counts, or the mirror where that knows of more, as it does when the store was lost.
 * A mirror that is missing is written anew; one that cannot be read or written is a problem, and no pass may start.
 */
export function passesOfTask(
  journal: Pick<Journal, "passes">,
  facts: Pick<RunFacts, "taskId" | "blueprint" | "project" | "parent">,
): Readonly<Record<string, number>> | CountersProblem {
  const { taskId, blueprint } = facts;
  const stored = renamed(
    blueprint,
    countedIn(facts, journal.passes(taskId, facts.parent?.blueprint ?? blueprint.name)),
  );
  const path = pathOf(facts);
  if (path === null) return stored;
  const tasks = read(path);
  if (isProblem(tasks)) return tasks;
  const passes = new Map(Object.entries(stored));
  const mirrored = Object.entries(tasks[taskId] ?? {}).map(([node, count]) => [node, count.passes] as const);
  for (const [node, count] of Object.entries(renamed(blueprint, countedIn(facts, Object.fromEntries(mirrored)))))
    if (blueprint.nodes.has(node)) passes.set(node, Math.max(passes.get(node) ?? 0, count));
  const problem = write(path, { ...tasks, ...withCounts(facts, tasks, passes) });
  return problem === null ? Object.fromEntries(passes) : { problem };
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
  for (const { id, was } of nodes.values()) {
    const former = was === undefined ? 0 : (passes.get(was) ?? 0);
    if (former > (passes.get(id) ?? 0)) passes.set(id, former);
  }
  return Object.fromEntries(passes);
}

/** Mirrors a pass that was charged. Answers why it could not, or null. */
export function mirror(
  facts: Pick<RunFacts, "taskId" | "blueprint" | "project" | "parent">,
  name: string,
  count: Charged,
): string | null {
  const path = pathOf(facts);
  if (path === null) return null;
  const tasks = read(path);
  if (isProblem(tasks)) return tasks.problem;
  const own = tasks[facts.taskId] ?? {};
  const names = count.was === undefined ? [name] : [name, count.was];
  const counts = names.map((one) => {
    const node = `${facts.parent?.path ?? ""}${one}`;
    return [node, { passes: Math.max(count.passes, own[node]?.passes ?? 0), cap: count.cap }] as const;
  });
  return write(path, { ...tasks, [facts.taskId]: { ...own, ...Object.fromEntries(counts) } });
}

/** The error of a pass whose charge cannot be mirrored, or null. */
export function mirrored(
  facts: Parameters<typeof mirror>[0],
  node: string,
  charged: Charged | undefined,
): NodeResult | null {
  const problem = charged === undefined ? null : mirror(facts, node, charged);
  return problem === null
    ? null
    : { outcome: "error", reason: { code: "cap", text: `${problem}, so no pass may start` } };
}

export const countersHint = "mend it, or remove it to have it written anew from the store";

export function isProblem(answer: object): answer is CountersProblem {
  return "problem" in answer && typeof answer.problem === "string";
}

function pathOf({ blueprint, project }: Pick<RunFacts, "blueprint" | "project">): string | null {
  return blueprint.records.counters === undefined ? null : resolve(project, blueprint.records.counters);
}

function read(path: string): Tasks | CountersProblem {
  let text: string;
  try {
    text = readPlainFileNow(path, limits.counterFileBytes).toString("utf8");
  } catch (error) {
    return codeOf(error) === "ENOENT" ? {} : { problem: `the counter file ${path} cannot be read: ${codeOf(error)}` };
  }
  const tasks = parsed(text);
  return tasks ?? { problem: `the counter file ${path} does not hold {"version": ${version}, "tasks": {…}}` };
}

function parsed(text: string): Tasks | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || value["version"] !== version || !isRecord(value["tasks"])) return null;
  // Without a prototype: a task or a node may have the name of something that every object has.
  const tasks = Object.create(null) as Tasks;
  for (const [task, nodes] of Object.entries(value["tasks"])) {
    if (!isRecord(nodes)) return null;
    const counts = Object.create(null) as Record<string, Count>;
    for (const [node, count] of Object.entries(nodes)) {
      if (!isRecord(count) || !isCount(count["passes"]) || !isCount(count["cap"])) return null;
      counts[node] = { passes: count["passes"], cap: count["cap"] };
    }
    tasks[task] = counts;
  }
  return tasks;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** All or nothing: a reader never sees half of it. A link stays one: what it leads to may be the mirror of other folders too. */
function write(path: string, tasks: Tasks): string | null {
  const file = realOf(path) ?? path;
  const next = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    const fd = openSync(next, "wx");
    try {
      writeSync(fd, `${JSON.stringify({ version, tasks }, null, 2)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(next, file);
    return null;
  } catch (error) {
    rmSync(next, { force: true });
    return `the counter file ${path} cannot be written: ${codeOf(error)}`;
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.message;
}
