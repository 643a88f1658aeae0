import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Bytes of a plain file that somebody else may have put there. Rejects, saying why, for a folder, a pipe, a device,
 * more than `mostBytes` and a path whose last part is a link; never waits for a writer.
 */
export async function readPlainFile(file: string | Buffer, mostBytes: number): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw new Error("it is a folder");
    if (!found.isFile()) throw new Error("it is no plain file");
    if (found.size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * As {@link readPlainFile}, at once and links followed, for small files. Throws,
 * with the code of the system where that said no.
 */
export function readPlainFileNow(file: string, mostBytes: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (found.isFile() && found.size > mostBytes) throw new Error(`it is larger than ${mostBytes} bytes`);
    if (!found.isFile() && !found.isDirectory()) throw new Error("it is no plain file");
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Where a path leads once every link is followed, whether or not something is there, and also while another process
 * makes it or takes it away; null where a link leads to nothing.
 */
export function realOf(wanted: string): string | null {
  try {
    return realpathSync(wanted);
  } catch {
    if (isLink(wanted) || dirname(wanted) === wanted) return null;
    const parent = realOf(dirname(wanted));
    return parent === null ? null : join(parent, basename(wanted));
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Whether a part of a path is where git keeps a repository; file systems that ignore case find `.GIT` too. */
export function isRepositoryData(part: string): boolean {
  return part.toLowerCase() === ".git";
}
