import { link, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../model/thrown.ts";
import { isHash, pathIn, temporaryFolder } from "./layout.ts";

export interface BlobSweep {
  readonly isUsed: (hash: string) => boolean;
  /**
   * Milliseconds since the epoch: what was written or put again after it may be in use, though no run refers to it yet.
   */
  readonly before: number;
  /** Only counts. */
  readonly dryRun: boolean;
}

export interface Swept {
  readonly blobs: number;
  readonly bytes: number;
}

const aside = "prune-";

/**
 * Removes blobs that nobody uses. One is first put aside, and back again where somebody put it anew meanwhile; what a
 * sweep that was killed had put aside is put back by the next.
 */
export async function sweepBlobs(folder: string, sweep: BlobSweep): Promise<Swept> {
  if (!sweep.dryRun) await putBack(folder);
  let [blobs, bytes] = [0, 0];
  for (const shard of await namesIn(folder)) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    for (const rest of await namesIn(path.join(folder, shard))) {
      const hash = shard + rest;
      if (!isHash(hash) || sweep.isUsed(hash)) continue;
      const size = await removeOne(folder, hash, sweep);
      if (size === null) continue;
      blobs += 1;
      bytes += size;
    }
  }
  return { blobs, bytes };
}

/** Bytes that were removed, or null where it stays. */
async function removeOne(folder: string, hash: string, { before, dryRun }: BlobSweep): Promise<number | null> {
  const file = pathIn(folder, hash);
  const found = await stat(file).catch(() => null);
  if (found === null || found.mtimeMs >= before) return null;
  if (dryRun) return found.size;
  const away = path.join(temporaryFolder(folder), `${aside}${hash}`);
  await rename(file, away);
  // A writer marks a blob that it found by its time, so whoever found it before it went away is seen here.
  const now = await stat(away);
  if (now.mtimeMs >= before) {
    await rename(away, file);
    return null;
  }
  await rm(away, { force: true });
  return found.size;
}

async function putBack(folder: string): Promise<void> {
  const temporary = temporaryFolder(folder);
  for (const name of await namesIn(temporary)) {
    const hash = name.slice(aside.length);
    if (!name.startsWith(aside) || !isHash(hash)) continue;
    const [away, file] = [path.join(temporary, name), pathIn(folder, hash)];
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    // Where it was put anew since, that one stays: its time says that it may be in use, which a rename would undo.
    await link(away, file).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw error;
    });
    await rm(away, { force: true });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
