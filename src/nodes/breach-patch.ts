import { isUtf8 } from "node:buffer";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../model/limits.ts";
import type { Backup } from "../runtime/tree/backup.ts";
import { readPlainFile } from "../runtime/tree/plain-file.ts";

/**
 * What was written in place of what the backup holds, a patch of each file, masked; cut at `limits.snapshotFileBytes`,
 * and only then, so that no part of a secret is left before the cut.
 */
export async function patchOf(
  root: string,
  prefix: string,
  backup: Backup,
  breaches: readonly string[],
  mask: (text: string) => string,
): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  let patch = "";
  for (const path of breaches) {
    const was = backup.tree.has(path) ? asText(await backup.content(path)) : "";
    const is = await textOf(join(root, path));
    const unreadable = was === null || is === null;
    patch += mask(
      unreadable
        ? `Binary, large or no plain file ${path}\n`
        : createTwoFilesPatch(`a/${prefix}${path}`, `b/${prefix}${path}`, was, is),
    );
    if (patch.length > limits.snapshotFileBytes) return `${patch.slice(0, limits.snapshotFileBytes)}\n… cut\n`;
  }
  return patch;
}

/** Empty where there is nothing; null where it is no text, or too much of it. */
export async function textOf(file: string): Promise<string | null> {
  const stat = await lstat(file).catch(() => null);
  if (stat === null) return "";
  return asText(await readPlainFile(file, limits.snapshotFileBytes).catch(() => null));
}

/** Null where the bytes are not there, or no text. */
export function asText(bytes: Uint8Array | null): string | null {
  return bytes !== null && isUtf8(bytes) ? Buffer.from(bytes).toString("utf8") : null;
}
