import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { NodeResult } from "../model/outcome.ts";
import type { Journal } from "../ports/journal.ts";
import type { RunFacts } from "./context.ts";

/** Passes of one node, as `records.counters` mirrors them for people and hooks. */
export interface Count {
  readonly passes: number;
  readonly cap: number;
}

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
  const stored = countedIn(facts, journal.passes(taskId, facts.parent?.blueprint ?? blueprint.name));
  const path = pathOf(facts);
  if (path === null) return stored;
  const tasks = read(path);
  if (isProblem(tasks)) return tasks;
  const passes = new Map(Object.entries(stored));
  const prefix = facts.parent?.path ?? "";
  for (const [path, count] of Object.entries(tasks[taskId] ?? {})) {
    const node = path.slice(prefix.length);
    if (path.startsWith(prefix) && blueprint.nodes.has(node))
      passes.set(node, Math.max(passes.get(node) ?? 0, count.passes));
  }
  const problem = write(path, tasks);
  return problem === null ? Object.fromEntries(passes) : { problem };
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

/** Mirrors a pass that was charged. Answers why it could not, or null. */
export function mirror(
  facts: Pick<RunFacts, "taskId" | "blueprint" | "project" | "parent">,
  name: string,
  count: Count,
): string | null {
  const node = `${facts.parent?.path ?? ""}${name}`;
  const path = pathOf(facts);
  if (path === null) return null;
  const tasks = read(path);
  if (isProblem(tasks)) return tasks.problem;
  const own = tasks[facts.taskId] ?? {};
  const passes = Math.max(count.passes, own[node]?.passes ?? 0);
  return write(path, { ...tasks, [facts.taskId]: { ...own, [node]: { passes, cap: count.cap } } });
}

/** The error of a pass whose charge cannot be mirrored, or null. */
export function mirrored(
  facts: Parameters<typeof mirror>[0],
  node: string,
  charged: Count | undefined,
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
    text = readFileSync(path, "utf8");
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

/** All or nothing: a reader never sees half of it. */
function write(path: string, tasks: Tasks): string | null {
  const next = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const fd = openSync(next, "w");
    try {
      writeSync(fd, `${JSON.stringify({ version, tasks }, null, 2)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(next, path);
    return null;
  } catch (error) {
    rmSync(next, { force: true });
    return `the counter file ${path} cannot be written: ${codeOf(error)}`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
