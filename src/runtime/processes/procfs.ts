import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";

/** One row of a process table. `startTime` tells a process from a later one with the same pid. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTime: string;
  /** Dead, not yet collected by its parent: it runs nothing and holds nothing. */
  readonly zombie: boolean;
}

/** True on Linux with /proc mounted; elsewhere the process table comes from `ps`. */
export const hasProcfs = process.platform === "linux" && existsSync("/proc/self/stat");

/** PF_KTHREAD of the flags in /proc/<pid>/stat. */
const kernelThread = 0x0020_0000;

/** /proc/<pid>/stat, see proc_pid_stat(5). Null when there is no such process, or it is a thread of the kernel. */
export function readStat(pid: number): ProcessRow | null {
  const text = readProcFile(pid, "stat");
  if (text === null) return null;
  // The command name stands in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const [flags, startTime] = [fields[6], fields[19]];
  if (state === undefined || startTime === undefined) return null;
  if ((Number(flags) & kernelThread) !== 0) return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime,
    zombie: state === "Z" || state === "X",
  };
}

/** Value of one variable in the environment a process was started with; null where absent or unreadable. */
export function readVariable(pid: number, name: string): string | null {
  return variableIn(readEnviron(pid) ?? "", name);
}

/** What a process was started with, entries ended by NUL. Empty also for a moment while it becomes another program. */
export function readEnviron(pid: number): string | null {
  return readProcFile(pid, "environ");
}

export function variableIn(environ: string, name: string): string | null {
  const key = `${name}=`;
  if (environ.startsWith(key)) return environ.slice(key.length, endOfEntry(environ, 0));
  const at = environ.indexOf(`\0${key}`);
  return at < 0 ? null : environ.slice(at + 1 + key.length, endOfEntry(environ, at + 1));
}

function endOfEntry(environ: string, from: number): number {
  const end = environ.indexOf("\0", from);
  return end < 0 ? environ.length : end;
}

/** The process that a thread id belongs to; the id itself for a process. */
export function threadGroupOf(id: number): number {
  const group = /^Tgid:\s*(\d+)/m.exec(readProcFile(id, "status") ?? "")?.[1];
  return group === undefined ? id : Number(group);
}

export function listPids(): number[] {
  const pids: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (Number.isInteger(pid)) pids.push(pid);
  }
  return pids;
}

const counters = ["/proc/sys/kernel/ns_last_pid", "/proc/loadavg"] as const;
const line = Buffer.alloc(128);
let counter: number | null | undefined;

/** The pid given to the newest process or thread of this pid namespace; null where the kernel does not tell. */
export function lastPid(): number | null {
  counter ??= openCounter();
  if (counter === null) return null;
  const length = readSync(counter, line, 0, line.length, 0);
  const pid = Number(line.toString("latin1", 0, length).trimEnd().split(" ").at(-1));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** Open for good: it is read after every process. */
function openCounter(): number | null {
  for (const file of counters) {
    try {
      return openSync(file, "r");
    } catch {
      continue;
    }
  }
  return null;
}

/** Reading a process that is gone is an ordinary case, and a throw costs ten times the look. */
function readProcFile(pid: number, file: "stat" | "environ" | "status"): string | null {
  const path = `/proc/${pid}/${file}`;
  return existsSync(path) ? tryRead(path) : null;
}

/**
 * Files of /proc tell no size: what reads them whole by itself takes new memory for each, of far more than they hold.
 */
let room = Buffer.alloc(16 * 1024);

function tryRead(path: string): string | null {
  let file: number | null = null;
  try {
    file = openSync(path, "r");
    let length = readSync(file, room, 0, room.length, null);
    // They give all they have at once, as far as there is room for it.
    while (length === room.length) {
      room = Buffer.concat([room], room.length * 2);
      length += readSync(file, room, length, room.length - length, null);
    }
    return room.toString("latin1", 0, length);
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}
