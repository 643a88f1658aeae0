import { realpathSync } from "node:fs";
import { mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { limits } from "../../model/limits.ts";

/** Absolute path behind one that an agent names, links followed, or null where that leads out of the workspace. */
export async function confined(workspace: string, path: string): Promise<string | null> {
  const root = await realpath(workspace);
  const real = await realOfExisting(resolve(root, path));
  const inside = real === root || real.startsWith(root + sep);
  return inside && !relative(root, real).split(sep).includes(".git") ? real : null;
}

/** Follows links as far as the path exists; what does not exist yet is taken as it is written. */
async function realOfExisting(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch {
      if (at === dirname(at)) return path;
      missing.unshift(basename(at));
    }
  }
}

/** Text of a file, or of some lines of it, counted from 1. */
export async function readText(file: string, line: number, lines: number | null): Promise<string> {
  const { size } = await stat(file);
  if (size > limits.snapshotFileBytes) throw new Error(`larger than ${limits.snapshotFileBytes} bytes`);
  const text = await readFile(file, "utf8");
  if (line <= 1 && lines === null) return text;
  return text
    .split("\n")
    .slice(Math.max(line - 1, 0), lines === null ? undefined : Math.max(line - 1, 0) + lines)
    .join("\n");
}

/** Writes a file and answers what it held before, null where it did not exist. */
export async function writeText(file: string, text: string): Promise<string | null> {
  const before = await readFile(file, "utf8").catch(() => null);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return before;
}

/** The path as events show it: relative to the workspace where it is in it. */
export function shownPath(workspace: string, path: string): string {
  if (!isAbsolute(path)) return path;
  for (const base of [realRoot(workspace), workspace]) {
    const inside = relative(base, path);
    if (inside !== "" && !inside.startsWith("..") && !isAbsolute(inside)) return inside.split(sep).join("/");
  }
  return path;
}

function realRoot(workspace: string): string {
  try {
    return realpathSync(workspace);
  } catch {
    return workspace;
  }
}
