import { chmod, mkdir, mkdtemp, open, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scanTree, type ScanOptions, type Tree } from "./scan.ts";

/** What a tree held, to put back what should not have changed. */
export interface Backup {
  readonly tree: Tree;
  /** Null where there was nothing, or too much to be kept. */
  content(path: string): Promise<Uint8Array | null>;
  /** Puts a file back as it was, or takes away one that was not there. False where its content was not kept. */
  restore(path: string): Promise<boolean>;
  dispose(): Promise<void>;
}

/** Scans a tree and keeps the contents it reads anyway, one after the other in one file. */
export async function backUp(root: string, options: ScanOptions): Promise<Backup> {
  const folder = await mkdtemp(join(tmpdir(), "trammel-backup-"));
  const pack = await open(join(folder, "pack"), "wx+", 0o600);
  const dispose = async (): Promise<void> => {
    await pack.close();
    await rm(folder, { recursive: true, force: true });
  };
  const places = new Map<string, { readonly at: number; readonly length: number }>();
  let end = 0;
  const keep = async (path: string, bytes: Uint8Array): Promise<void> => {
    const place = { at: end, length: bytes.length };
    end += bytes.length;
    places.set(path, place);
    for (let done = 0; done < bytes.length;) {
      done += (await pack.write(bytes, done, bytes.length - done, place.at + done)).bytesWritten;
    }
  };
  const content = async (path: string): Promise<Uint8Array | null> => {
    const place = places.get(path);
    if (place === undefined) return null;
    const { buffer } = await pack.read(Buffer.alloc(place.length), 0, place.length, place.at);
    return buffer;
  };
  try {
    const tree = await scanTree(root, { ...options, keep });
    return { tree, content, restore: (path) => restore(root, path, tree, content), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function restore(root: string, path: string, tree: Tree, contentOf: Backup["content"]): Promise<boolean> {
  const file = join(root, path);
  const was = tree.get(path);
  const content = await contentOf(path);
  if (was !== undefined && content === null) return false;
  await rm(file, { recursive: true, force: true });
  if (was === undefined || content === null) return true;
  await mkdir(dirname(file), { recursive: true });
  if (was.link) {
    await symlink(Buffer.from(content).toString(), file);
    return true;
  }
  await writeFile(file, content);
  await chmod(file, was.mode);
  return true;
}
