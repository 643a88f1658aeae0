import { readdirSync, readFileSync } from "node:fs";

/** Arguments of a `sleep` that no other test process on this machine runs. */
export function nap(word: string): string {
  return `${word}.${process.pid}`;
}

/** How many processes on the whole machine are this very `sleep`. */
export function countOf(word: string): number {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && argumentsOf(name) === `sleep\0${nap(word)}\0`)
    .length;
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
