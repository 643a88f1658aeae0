import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { systemCode } from "../../model/thrown.ts";

const folderOnly = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Only there can a folder be held open and worked in by a path. */
const canHold = process.platform === "linux";

/**
 * Writes a file as a whole: the old one or the new one is there, never half of it, and its permissions stay. `file` is
 * absolute, links followed, and under `root`; its folders are made. What is put in the place of one of them meanwhile
 * is not followed: then it rejects, and nothing outside of the root is touched.
 */
export async function replaceIn(root: string, file: string, content: string): Promise<void> {
  const folder = await holdFolder(root, relative(root, dirname(file)).split(sep));
  try {
    const here = folder.path ?? dirname(file);
    // Not held: at least it is looked at as late as can be.
    if (folder.path === null && (await realpath(here)) !== here) throw moved(here);
    await replaceAt(here, basename(file), content);
  } finally {
    await folder.handle?.close();
  }
}

/** Whether an open file is the one of that path, with no link followed on the way to it. */
export async function isOpenedAt(handle: FileHandle, file: string): Promise<boolean> {
  if (!canHold) return (await realpath(file)) === file;
  return (await readlink(`/proc/self/fd/${handle.fd}`)) === file;
}

async function holdFolder(
  root: string,
  parts: readonly string[],
): Promise<{ readonly handle: FileHandle | null; readonly path: string | null }> {
  if (!canHold) {
    await mkdir(join(root, ...parts), { recursive: true });
    return { handle: null, path: null };
  }
  let handle = await open(root, folderOnly);
  let at = root;
  for (const part of parts.filter((one) => one !== "")) {
    const [path, outer]: [string, FileHandle] = [`/proc/self/fd/${handle.fd}/${part}`, handle];
    at = join(at, part);
    try {
      await mkdir(path).catch(ifThere);
      handle = await open(path, folderOnly);
    } catch (error) {
      throw isLink(error) ? moved(at) : error;
    } finally {
      await outer.close();
    }
  }
  return { handle, path: `/proc/self/fd/${handle.fd}` };
}

async function replaceAt(folder: string, name: string, content: string): Promise<void> {
  const file = join(folder, name);
  const found = await lstat(file).catch(() => null);
  const temporary = join(folder, `.${name.slice(0, 100)}.${randomUUID()}`);
  try {
    const handle = await open(temporary, "wx", 0o666);
    try {
      await handle.writeFile(content);
      if (found?.isFile() === true) await handle.chmod(found.mode & 0o7777);
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function ifThere(error: unknown): void {
  if (systemCode(error) !== "EEXIST") throw error;
}

function isLink(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ELOOP" || code === "ENOTDIR";
}

function moved(folder: string): Error {
  return new Error(`${folder} is no folder any more, or became a link`);
}
