import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { limits } from "../../model/limits.ts";
import { messageOf, systemCode } from "../../model/thrown.ts";
import { readPlainFileNow, realOf } from "../tree/plain-file.ts";

/** Passes of one node, as `records.counters` mirrors them for people and hooks. */
export interface Count {
  readonly passes: number;
  readonly cap: number;
}

export type Tasks = Record<string, Record<string, Count>>;

const version = 1;

/** Why the mirror cannot be relied on, as one sentence, and what to do. */
export interface CountersProblem {
  readonly problem: string;
  readonly hint: string;
  /** Nothing is wrong with it: nobody waited for it any more. */
  readonly stopped?: true;
}

export function read(path: string): Tasks | CountersProblem {
  let text: string;
  try {
    text = readPlainFileNow(path, limits.counterFileBytes).toString("utf8");
  } catch (error) {
    return systemCode(error) === "ENOENT"
      ? {}
      : problemOf(path, `cannot be read: ${systemCode(error) ?? messageOf(error)}`);
  }
  const tasks = parsed(text);
  return tasks ?? problemOf(path, `does not hold {"version": ${version}, "tasks": {…}}`);
}

function problemOf(path: string, what: string): CountersProblem {
  return {
    problem: `the counter file ${path} ${what}`,
    hint: "mend it, or remove it to have it written anew from the store",
  };
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

/** Where it is, links followed. */
export function fileOf(path: string): string {
  return realOf(path) ?? path;
}

/**
 * All or nothing: a reader never sees half of it. A link stays one: what it
 * leads to may be the mirror of other folders too.
 */
export function write(path: string, tasks: Tasks): CountersProblem | null {
  return replace(path, fileOf(path), `${JSON.stringify({ version, tasks }, null, 2)}\n`);
}

/** A charge that is in the mirror, or about to be, and not yet in the journal of its run. */
export interface Charge {
  readonly run: string;
  readonly task: string;
  /** By path: the passes that it makes, and those before it. */
  readonly counts: Readonly<Record<string, { readonly passes: number; readonly before: number }>>;
}

/** Notes a charge beside the mirror until {@link forget}: an engine that dies meanwhile has charged nothing. */
export function note(path: string, charge: Charge): CountersProblem | null {
  return replace(path, noteOf(path), `${JSON.stringify(charge)}\n`);
}

/** One that stays says what the journal says too, or what the next charge replaces. */
export function forget(path: string): void {
  try {
    rmSync(noteOf(path), { force: true });
  } catch {
    return;
  }
}

/** The charge that an engine left behind, null where there is none, or none that can be read. */
export function noted(path: string): Charge | null {
  try {
    const charge: unknown = JSON.parse(readPlainFileNow(noteOf(path), limits.counterFileBytes).toString("utf8"));
    return isCharge(charge) ? charge : null;
  } catch {
    return null;
  }
}

function isCharge(value: unknown): value is Charge {
  if (!isRecord(value) || typeof value["run"] !== "string" || typeof value["task"] !== "string") return false;
  const { counts } = value;
  return (
    isRecord(counts) &&
    Object.values(counts).every((one) => isRecord(one) && isCount(one["passes"]) && isCount(one["before"]))
  );
}

function noteOf(path: string): string {
  return `${fileOf(path)}.charge`;
}

function replace(path: string, file: string, text: string): CountersProblem | null {
  const next = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    const fd = openSync(next, "wx");
    try {
      // Not writeSync: of what a full disk has no place for that writes a part, and says nothing.
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(next, file);
    return null;
  } catch (error) {
    rmSync(next, { force: true });
    return problemOf(path, `cannot be written: ${systemCode(error) ?? messageOf(error)}`);
  }
}
