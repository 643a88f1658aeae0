import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { isTaken } from "../../config/text-file.ts";
import { limits } from "../../model/limits.ts";
import { messageOf, systemCode } from "../../model/thrown.ts";
import { type Problem, usage } from "../problem.ts";

export interface SourceDocument {
  /** As the person wrote it, for messages. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** Whether a file holds tests of a blueprint, which stand beside it. */
export function isTestFile(name: string): boolean {
  return /\.test\.ya?ml$/.test(name);
}

/**
 * Synchronous, because a command has nothing to do meanwhile. Reads a document that must be text of at most
 * `limits.documentBytes`; whatever else stands there is a problem in one sentence.
 */
export function readDocument(name: string, cwd: string): SourceDocument | Problem {
  const file = resolve(cwd, name);
  try {
    // Opening a pipe would wait for its writer.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (stat.isDirectory()) return usage(`${name} is a directory, not a file`, "Name the .yaml file inside it.");
      if (!stat.isFile()) return usage(`${name} is no plain file`, "Write what it holds into one, and name that.");
      const bytes = readBounded(descriptor);
      if (bytes === null)
        return usage(`${name} is larger than ${limits.documentBytes / 1024 / 1024} MiB, the most a document may hold`);
      const text = decode(bytes);
      return text === null ? usage(`${name} is not UTF-8 text`, "A blueprint is a YAML file.") : { name, file, text };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return unreadable(name, file, error);
  }
}

function unreadable(name: string, file: string, error: unknown): Problem {
  switch (systemCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return usage(isTaken(file) ? `${name} is a link to what is not there` : `there is no file ${name}`);
    case "EACCES":
    case "EPERM":
      return usage(`${name} may not be read by this user`);
    default:
      return usage(`${name} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Null when there is more than a document may hold; reads no further than
 * that, so that a device cannot fill the memory.
 */
function readBounded(descriptor: number): Buffer | null {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const chunk = new Uint8Array(64 * 1024);
    const read = readSync(descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, read));
    total += read;
    if (total > limits.documentBytes) return null;
  }
}

/** Null for what is no text. */
function decode(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return null;
  const text = bytes.toString("utf8");
  return text.includes("\0") ? null : text.replace(/^\uFEFF/, "");
}
