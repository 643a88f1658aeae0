import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { hasProcfs, readStat, type ProcessRow } from "./procfs.ts";
import { listByPs } from "./ps.ts";

let bootId: string | undefined;
let own: ProcessIdentity | undefined;

/** This process. */
export function self(): ProcessIdentity {
  own ??= identify(process.pid) ?? { pid: process.pid, startTime: "unknown", bootId: currentBoot() };
  return own;
}

/** The identity of a process that lives now; null when there is none (a zombie is none). */
export function identify(pid: number): ProcessIdentity | null {
  const row = rowOf(pid);
  return row === null || row.zombie ? null : identityOf(row);
}

/** A child of ours that was just started, whether or not it has ended: its pid is not free before we collect it. */
export function identifyChild(pid: number): ProcessIdentity {
  const row = rowOf(pid);
  return row === null ? { pid, startTime: "unknown", bootId: currentBoot() } : identityOf(row);
}

export function identityOf(row: ProcessRow): ProcessIdentity {
  return { pid: row.pid, startTime: row.startTime, bootId: currentBoot() };
}

/** Whether this very process still lives: not merely its pid, and not after a reboot. */
export function isAlive(identity: ProcessIdentity): boolean {
  return isOfThisBoot(identity) && isRunning(rowOf(identity.pid), identity);
}

/** Those of `identities` that still live; one look at the process table where each look is dear. */
export function aliveAmong(identities: readonly ProcessIdentity[]): readonly ProcessIdentity[] {
  if (hasProcfs || identities.length === 0) return identities.filter(isAlive);
  const rows = new Map(listByPs().map((row) => [row.pid, row]));
  return identities.filter((identity) => isOfThisBoot(identity) && isRunning(rows.get(identity.pid), identity));
}

export function isOfThisBoot({ bootId: boot }: ProcessIdentity): boolean {
  return boot === currentBoot();
}

function isRunning(row: ProcessRow | null | undefined, { startTime }: ProcessIdentity): boolean {
  return row !== null && row !== undefined && !row.zombie && row.startTime === startTime;
}

export function isSame(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId;
}

function rowOf(pid: number): ProcessRow | null {
  if (hasProcfs) return readStat(pid);
  return listByPs(pid)[0] ?? null;
}

/** Changes with every boot of the machine; read once, since this process does not outlive one. */
function currentBoot(): string {
  bootId ??= hasProcfs ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() : bootTimeBySysctl();
  return bootId;
}

function bootTimeBySysctl(): string {
  const { stdout } = spawnSync("sysctl", ["-n", "kern.boottime"], { encoding: "utf8" });
  return /sec = (\d+)/.exec(stdout ?? "")?.[1] ?? "unknown";
}
