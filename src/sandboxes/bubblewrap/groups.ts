import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import path from "node:path";
import { limits } from "../../model/limits.ts";
import { systemCode } from "../../model/thrown.ts";
import type { SandboxLimitName } from "../../ports/sandbox.ts";
import { type Counters, noneMet, readCounters } from "../counters.ts";
import { type GroupTables, groupTables, type Hierarchy, hierarchyOf } from "./hierarchy.ts";

export type Wanted = Readonly<Partial<Record<SandboxLimitName, number>>>;

/** The control groups of one box: one for all controllers (version 2), or one a controller (version 1). */
export interface Groups {
  /** Absolute folders; a process joins by writing its pid into `cgroup.procs` of each. */
  readonly folders: readonly string[];
  readonly held: ReadonlySet<SandboxLimitName>;
}

const controllers: Readonly<Record<SandboxLimitName, string>> = { memory: "memory", cpus: "cpu", pids: "pids" };
const periodUs = 100_000;

/** Makes the groups that this user may make here, and sets what they can hold. */
export function makeGroups(id: string, wanted: Wanted, tables: GroupTables = groupTables()): Groups {
  const folders = new Set<string>();
  const held = new Set<SandboxLimitName>();
  for (const name of ["memory", "cpus", "pids"] as const) {
    const value = wanted[name];
    const hierarchy = value === undefined ? null : hierarchyOf(controllers[name], tables);
    if (value === undefined || hierarchy === null) continue;
    const folder = path.join(hierarchy.parent, id);
    if (!tryTo(() => mkdirSync(folder, { recursive: true }))) continue;
    folders.add(folder);
    if (tryTo(() => setLimit(folder, hierarchy, name, value))) held.add(name);
  }
  return { folders: [...folders], held };
}

function setLimit(folder: string, { version }: Hierarchy, name: SandboxLimitName, value: number): void {
  const write = (file: string, text: string): void => writeFileSync(path.join(folder, file), text);
  if (name === "pids") return write("pids.max", String(value));
  if (name === "cpus") {
    const quota = Math.max(1_000, Math.round(value * periodUs));
    if (version === 2) return write("cpu.max", `${quota} ${periodUs}`);
    write("cpu.cfs_period_us", String(periodUs));
    return write("cpu.cfs_quota_us", String(quota));
  }
  write(version === 2 ? "memory.max" : "memory.limit_in_bytes", String(value));
  // Swap counts too, else the limit would be twice what it says. A kernel without swap accounting has no such file.
  const [swap, most] = version === 2 ? ["memory.swap.max", 0] : ["memory.memsw.limit_in_bytes", value];
  tryTo(() => write(String(swap), String(most)));
}

/** How often the limits were met. */
export function countersOf({ folders }: Groups): Counters {
  const rows = folders.flatMap((folder) => [
    ...valuesOf(path.join(folder, "memory.events"), "oom_kill", "memory"),
    ...valuesOf(path.join(folder, "memory.oom_control"), "oom_kill", "memory"),
    ...valuesOf(path.join(folder, "pids.events"), "max", "pids"),
  ]);
  return rows.length === 0 ? noneMet : readCounters(rows.join("\n"));
}

function valuesOf(file: string, key: string, name: string): readonly string[] {
  const value = new RegExp(`^${key} (\\d+)$`, "m").exec(read(file))?.[1];
  return value === undefined ? [] : [`${name} ${value}`];
}

/** Kills what is in the groups and removes them; true once they are gone. */
export async function removeGroups(folders: readonly string[]): Promise<boolean> {
  for (let round = 0; round < limits.custodySweepRounds; round += 1) {
    const left = folders.filter((folder) => !isRemoved(folder));
    if (left.length === 0) return true;
    await pause(limits.custodySettleMs / limits.custodySweepRounds);
  }
  return false;
}

function isRemoved(folder: string): boolean {
  for (const pid of read(path.join(folder, "cgroup.procs")).split("\n").map(Number))
    if (pid > 0) tryTo(() => process.kill(pid, "SIGKILL"));
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return systemCode(error) === "ENOENT";
  }
}

function tryTo(act: () => unknown): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
