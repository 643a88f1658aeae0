import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of a file; 0 where there is none. */
export function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Bytes of the files of a folder; 0 where there is none. */
export function bytesIn(folder: string): number {
  return namesIn(folder).reduce((sum, name) => sum + bytesOf(join(folder, name)), 0);
}

/** Empty where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
