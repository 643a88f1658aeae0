import { readdirSync, statSync, type Stats } from "node:fs";

export function isFile(path: string): boolean {
  return look(path)?.isFile() ?? false;
}

export function isFolder(path: string): boolean {
  return look(path)?.isDirectory() ?? false;
}

/** Undefined for whatever cannot be looked at, for any reason. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** What is in a folder; empty for whatever cannot be looked into, for any reason. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
