import { lstatSync, readdirSync, statSync, type Stats } from "node:fs";
import { isAbsent } from "../../model/thrown.ts";

export function isFile(path: string): boolean {
  return look(path)?.isFile() ?? false;
}

export function isFolder(path: string): boolean {
  return look(path)?.isDirectory() ?? false;
}

/** Whether anything stands there, also a link that leads nowhere and what may not be looked at. */
export function isTaken(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !isAbsent(error);
  }
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
