import { chmod, mkdir, open, realpath, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { inScratch, scratchFile } from "../scratch/scratch.ts";
import { at, isOfTree } from "./way.ts";
import { type Passed, type ScanOptions, surveyTree, type Tree } from "./scan.ts";

/** What a tree held, to put back what should not have changed. */
export interface Backup {
  readonly tree: Tree;
  readonly passed: Passed;
  /** Null where there was nothing, or too much to be kept. */
  content(path: string): Promise<Uint8Array | null>;
  /**
   * Puts a file back as it was, or takes away one that was not there. False where its
   * content was not kept, or the way to it leads elsewhere.
   */
  restore(path: string): Promise<boolean>;
  dispose(): Promise<void>;
}

/**
 * Scans a tree and keeps the contents it reads anyway, one after the other in one file. Rejects with a `ScratchFailure`
 * where there is no space for them.
 */
export async function backUp(folder: string, options: ScanOptions): Promise<Backup> {
  const root = await realpath(folder);
  const place = scratchFile();
  const pack = await inScratch(place, () => open(place, "wx+", 0o600));
  const dispose = async (): Promise<void> => {
    await pack.close();
    await rm(place, { force: true });
  };
  const places = new Map<string, { readonly from: number; readonly length: number }>();
  let end = 0;
  const keep = async (path: string, bytes: Uint8Array): Promise<void> => {
    const from = end;
    end += bytes.length;
    places.set(path, { from, length: bytes.length });
    for (let done = 0; done < bytes.length;) {
      const write = () => pack.write(bytes, done, bytes.length - done, from + done);
      done += (await inScratch(place, write)).bytesWritten;
    }
  };
  const content = async (path: string): Promise<Uint8Array | null> => {
    const kept = places.get(path);
    if (kept === undefined) return null;
    const { buffer } = await pack.read(Buffer.alloc(kept.length), 0, kept.length, kept.from);
    return buffer;
  };
  try {
    const { tree, passed } = await surveyTree(root, { ...options, keep });
    const kept = { tree, content, folders: passed.folders };
    return { tree, passed, content, restore: (path) => restore(root, path, kept), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface Kept extends Pick<Backup, "tree" | "content"> {
  readonly folders: ReadonlySet<string>;
}

async function restore(root: string, path: string, { tree, content, folders }: Kept): Promise<boolean> {
  const file = at(root, path);
  const was = tree.get(path);
  const bytes = await content(path);
  if ((was !== undefined && bytes === null) || !(await isOfTree(root, path))) return false;
  await rm(file, { recursive: true, force: true });
  if (was === undefined || bytes === null) {
    await removeEmpty(root, dirname(path), folders);
    return true;
  }
  await mkdir(at(root, dirname(path)), { recursive: true });
  if (was.kind === "link") {
    await symlink(Buffer.from(bytes), file);
    return true;
  }
  await writeFile(file, bytes);
  await chmod(file, was.mode);
  return true;
}

/** Folders that were not there before and that nothing is left in. */
async function removeEmpty(root: string, folder: string, known: ReadonlySet<string>): Promise<void> {
  for (let path = folder; path !== "." && !known.has(path); path = dirname(path)) {
    const isGone = await rmdir(at(root, path)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
