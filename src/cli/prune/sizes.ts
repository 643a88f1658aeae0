import { statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../documents/files.ts";

/** Bytes of a file; 0 where there is none. */
export function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Bytes of the files of a folder; 0 where there is none. */
export function bytesIn(folder: string): number {
  return namesIn(folder).reduce((sum, name) => sum + bytesOf(join(folder, name)), 0);
}
