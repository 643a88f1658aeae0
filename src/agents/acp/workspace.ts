import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { limits } from "../../model/limits.ts";
import { systemCode } from "../../model/thrown.ts";
import { isRepositoryData, readPlainFile, realOf } from "../../runtime/tree/plain-file.ts";
import { replaceIn } from "../../runtime/tree/held.ts";
import { isInside } from "../../runtime/tree/scan.ts";

/**
 * Absolute path behind one that an agent names, links followed, or null where that leads
 * out of the workspace, into git's own files or nowhere.
 */
export function confined(workspace: string, path: string): string | null {
  const root = realpathSync(workspace);
  const real = realOf(resolve(root, path));
  if (real === null || !isInside(root, real)) return null;
  return relative(root, real).split(sep).some(isRepositoryData) ? null : real;
}

/** Text of a file, or of some lines of it, counted from 1. */
export async function readText(file: string, line: number, lines: number | null): Promise<string> {
  const text = (await readPlainFile(file, limits.snapshotFileBytes)).toString("utf8");
  if (line <= 1 && lines === null) return text;
  return text
    .split("\n")
    .slice(Math.max(line - 1, 0), lines === null ? undefined : Math.max(line - 1, 0) + lines)
    .join("\n");
}

/**
 * Writes a file and answers what it held before, null where it did not exist.
 * Rejects where something else than a plain file is there.
 */
export async function writeText(workspace: string, file: string, text: string): Promise<string | null> {
  const before = await readPlainFile(file, limits.snapshotFileBytes).then(
    (bytes) => bytes.toString("utf8"),
    (error: unknown) => {
      if (systemCode(error) === "ENOENT") return null;
      throw error;
    },
  );
  await replaceIn(realpathSync(workspace), file, text);
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
