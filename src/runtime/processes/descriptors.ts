import { openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import { hasProcfs } from "./procfs.ts";

/** O_CLOEXEC as /proc shows it, see proc_pid_fdinfo(5). */
const closeOnExec = 0o2000000;

let covers: readonly ("ignore" | number)[] | undefined;

/**
 * What stands in a child's `stdio` from descriptor 3 on. Node keeps its own files from children, and
 * low descriptors that it was started with; a higher one that our starter forgot to close would be in
 * every child, and in every box a way out. /dev/null takes its place.
 */
export function coveredDescriptors(): readonly ("ignore" | number)[] {
  covers ??= cover(hasProcfs ? leaking() : []);
  return covers;
}

function cover(leaks: readonly number[]): readonly ("ignore" | number)[] {
  if (leaks.length === 0) return [];
  const nothing = openSync(devNull, "r+");
  return Array.from({ length: Math.max(...leaks) - 2 }, (_, at) => (leaks.includes(at + 3) ? nothing : "ignore"));
}

function leaking(): readonly number[] {
  return readdirSync("/proc/self/fdinfo")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !isClosedOnExec(descriptor));
}

/** One that is gone by now, such as that of the listing itself, is none. */
function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0;
  } catch {
    return true;
  }
}
