import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { limits } from "../model/limits.ts";
import { isAbsent, messageOf } from "../model/thrown.ts";

/** Null where there is no such file. */
export type TextFile = { readonly text: string } | { readonly fault: string } | null;

/**
 * Text of a file that is looked for rather than named, at most `limits.documentBytes`. Only
 * a plain file is read: a folder of somebody else may hold a pipe or a link to a device
 * under that name. Synchronous, for small files at start-up.
 */
export function readTextFile(file: string): TextFile {
  try {
    // Opening a pipe would wait for its writer.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (stat.isDirectory()) return { fault: "it is a folder" };
      if (!stat.isFile()) return { fault: "it is no plain file" };
      if (stat.size > limits.documentBytes)
        return { fault: `it is larger than ${limits.documentBytes / 1024 / 1024} MiB` };
      return textOf(readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!isAbsent(error)) return { fault: messageOf(error) };
    return isTaken(file) ? { fault: "it is a link that leads to nothing" } : null;
  }
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

function textOf(bytes: Uint8Array): TextFile {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { fault: "it is not UTF-8 text" };
  }
}
