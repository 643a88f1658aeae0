import { chmod, lstat, mkdir, realpath, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, resolve } from "node:path";
import type { CassetteFile } from "./cassette.ts";
import { isRepositoryData } from "../../runtime/tree/plain-file.ts";
import { currentDigest, isInside } from "../../runtime/tree/scan.ts";

/** Why the changes of a cassette do not belong here, naming the path; null when they all do. Changes nothing. */
export async function mismatchOf(workspace: string, files: readonly CassetteFile[]): Promise<string | null> {
  const root = await realpath(workspace);
  for (const { path, before } of files) {
    if (!(await isOurs(root, path))) return `${path} is not a file of the workspace`;
    const now = await currentDigest(join(root, path));
    if (now === before) continue;
    if (now === null) return `${path} is not there, and was when this was recorded`;
    return before === null
      ? `${path} exists, and did not when this was recorded`
      : `${path} is not what it was when this was recorded`;
  }
  const forged = throughOwnLink(files);
  return forged === null ? null : `${forged} leads through a link of the cassette itself`;
}

/** A path that no recording holds: one that is there twice, or comes to lie below one that becomes a link. */
function throughOwnLink(files: readonly CassetteFile[]): string | null {
  const paths = new Map(files.map(({ path, after }) => [normalize(path), after]));
  const twice = files.find(({ path, after }) => paths.get(normalize(path)) !== after);
  if (twice !== undefined) return twice.path;
  const isLink = (path: string): boolean => {
    const after = paths.get(path) ?? null;
    return after !== null && "link" in after;
  };
  const found = files.find(({ path, after }) => {
    if (after === null) return false;
    for (let folder = dirname(normalize(path)); folder !== "." && folder !== "/"; folder = dirname(folder)) {
      if (isLink(folder)) return true;
    }
    return false;
  });
  return found?.path ?? null;
}

/** Whether a path leads to a place under the root without a symbolic link on its way, and outside `.git`. */
async function isOurs(root: string, path: string): Promise<boolean> {
  const file = resolve(root, path);
  const parts = path.split(/[/\\]/);
  if (
    path === "" ||
    isAbsolute(path) ||
    parts.includes("..") ||
    parts.some(isRepositoryData) ||
    !isInside(root, file) ||
    file === root
  )
    return false;
  for (let folder = dirname(file); folder !== root; folder = dirname(folder)) {
    const stat = await lstat(folder).catch(() => null);
    if (stat !== null && !stat.isDirectory()) return false;
  }
  return true;
}

/**
 * Makes the changes that {@link mismatchOf} found nothing against. What goes goes first, with folders it
 * leaves empty; what comes is written anew, never through a link that stands in its place or on its way: links
 * come last, and rejects where a change would follow one all the same.
 */
export async function applyChanges(workspace: string, files: readonly CassetteFile[]): Promise<void> {
  const root = await realpath(workspace);
  for (const { path, after } of files) {
    await rm(join(root, path), { force: true });
    if (after === null) await removeEmptyFolders(dirname(join(root, path)), root);
  }
  for (const isLink of [false, true]) {
    for (const { path, after } of files) {
      if (after === null || "link" in after !== isLink) continue;
      if (!(await isOurs(root, path))) throw new Error(`${path} leads through a symbolic link`);
      await put(join(root, path), after);
    }
  }
}

async function put(file: string, content: NonNullable<CassetteFile["after"]>): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  if ("link" in content) return symlink(content.link, file);
  await writeFile(file, "text" in content ? content.text : Buffer.from(content.base64, "base64"), { flag: "wx" });
  await chmod(file, content.executable ? 0o755 : 0o644);
}

async function removeEmptyFolders(from: string, root: string): Promise<void> {
  for (let folder = from; folder !== root; folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return; // not empty, or not there any more
    }
  }
}
