import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Ignore } from "ignore";
import { limits } from "../../model/limits.ts";
import { isAbsent } from "../../model/thrown.ts";
import type { PathMatcher } from "./globs.ts";
import { nameText } from "./names.ts";
import { at } from "./way.ts";

/** A file or a symbolic link of a tree. Content is known by its digest; null where the file is too large to be kept. */
export interface TreeEntry {
  /** Changes with every write, as far as the file system tells. */
  readonly stamp: string;
  readonly digest: string | null;
  readonly link: boolean;
  /** Permission bits; of a link they mean nothing. */
  readonly mode: number;
}

/** By path relative to the root, with slashes, as {@link nameText} reads it. */
export type Tree = ReadonlyMap<string, TreeEntry>;

export interface ScanOptions {
  /** Absolute folders whose files are left out. */
  readonly except: readonly string[];
  /** An earlier scan: files whose stamp is the same are not read again. */
  readonly known?: Tree;
  /** Where given, only these files are looked at. */
  readonly only?: (path: string) => boolean;
  /** Files that are looked at although a .gitignore names them, or git keeps them for itself. */
  readonly though?: PathMatcher;
  /** What is looked at in folders of the name `node_modules`, which are left out otherwise, ignored or not. */
  readonly modules?: PathMatcher;
  /** Where given, only these folders are looked into. */
  readonly into?: (folder: string) => boolean;
  /** What of a file counts; all of it when absent. */
  readonly counts?: (path: string, content: Uint8Array) => Uint8Array;
  /** What is ignored by .gitignore files as they were at an earlier scan; absent, by those that are there now. */
  readonly ignoring?: Ignoring;
  /** Told of each folder that is looked into, by its path, and of the rules in it; the root is "". */
  readonly enter?: (folder: string, rules: Ignore | undefined) => void;
  /** Given the content of each file that is read, for a link its target. */
  readonly keep?: (path: string, content: Uint8Array) => Promise<void>;
}

/** Rules of .gitignore files, by the folder that each stands in. */
export type Ignoring = ReadonlyMap<string, Ignore>;

interface Scan extends ScanOptions {
  readonly root: string;
  readonly found: Map<string, TreeEntry>;
}

/** Rules of one .gitignore and the folder they start from, "" or ending in a slash. */
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

/**
 * The files under a root, without those that .gitignore files name, `.git` and `node_modules`, unless the options say
 * so. Rejects where there are more than `limits.snapshotFiles`.
 */
export async function scanTree(root: string, options: ScanOptions): Promise<Tree> {
  const { default: ignore } = await import("ignore");
  const real = (path: string): Promise<string> => realpath(path).catch(() => path);
  const except = await Promise.all(options.except.map(real));
  const scan: Scan = { ...options, root: await real(root), except, found: new Map() };
  const pending: { readonly folder: string; readonly rules: readonly Rules[] }[] = [{ folder: "", rules: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folder } = next;
    const reading = readdir(at(scan.root, folder), { withFileTypes: true, encoding: "buffer" });
    const entries = (await (folder === "" ? reading : reading.catch(ifGone))) ?? [];
    const isThere = entries.some((entry) => entry.isFile() && nameText(entry.name) === ".gitignore");
    const read = async (): Promise<Ignore | undefined> => {
      const text = isThere ? await readFile(at(scan.root, `${folder}.gitignore`), "utf8").catch(ifGone) : null;
      return text === null ? undefined : ignore().add(text);
    };
    const own = scan.ignoring === undefined ? await read() : scan.ignoring.get(folder.slice(0, -1));
    scan.enter?.(folder.slice(0, -1), own);
    const rules = own === undefined ? next.rules : [{ folder, rules: own }, ...next.rules];
    const files: string[] = [];
    for (const entry of entries) {
      const name = nameText(entry.name);
      const path = `${folder}${name}`;
      if (isLeftOut(name, path, entry.isDirectory(), rules, scan)) continue;
      if (entry.isDirectory()) {
        if (scan.into?.(path) !== false) pending.push({ folder: `${path}/`, rules });
      } else if ((entry.isFile() || entry.isSymbolicLink()) && scan.only?.(path) !== false) files.push(path);
    }
    for (let from = 0; from < files.length; from += filesAtATime) {
      await Promise.all(files.slice(from, from + filesAtATime).map((path) => take(path, scan)));
    }
  }
  return scan.found;
}

const filesAtATime = 32;

function isLeftOut(name: string, path: string, directory: boolean, rules: readonly Rules[], scan: Scan): boolean {
  if (name === "node_modules" && !isIn(path, directory, scan.modules)) return true;
  // Git's own files are nobody's work, but its hooks and settings are run by it.
  if (name === ".git" || path.startsWith(".git/")) return !isNamed(path, directory, scan);
  if (scan.except.includes(join(scan.root, path))) return true;
  return isIgnored(path, directory, rules) && !isNamed(path, directory, scan);
}

function isNamed(path: string, directory: boolean, { though }: Scan): boolean {
  return isIn(path, directory, though);
}

function isIn(path: string, directory: boolean, matcher: PathMatcher | undefined): boolean {
  return (directory ? matcher?.mayHold(path) : matcher?.matches(path)) === true;
}

function isIgnored(path: string, directory: boolean, rules: readonly Rules[]): boolean {
  // The innermost rules that say anything decide.
  for (const { folder, rules: own } of rules) {
    const tested = own.test(`${path.slice(folder.length)}${directory ? "/" : ""}`);
    if (tested.ignored) return true;
    if (tested.unignored) return false;
  }
  return false;
}

async function take(path: string, scan: Scan): Promise<void> {
  if (scan.found.size >= limits.snapshotFiles) {
    throw new Error(`${scan.root} has more than ${limits.snapshotFiles} files; leave some out with a .gitignore`);
  }
  const file = at(scan.root, path);
  const stat = await lstat(file, { bigint: true }).catch(ifGone);
  if (stat === null) return;
  const stamp = [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":");
  const known = scan.known?.get(path);
  if (known?.stamp === stamp) return void scan.found.set(path, known);
  const link = stat.isSymbolicLink();
  const isLarge = stat.size > BigInt(limits.snapshotFileBytes);
  const content = isLarge ? null : await contentOf(file, link).catch(ifGone);
  if (content !== null) await scan.keep?.(path, content);
  else if (!isLarge) return;
  scan.found.set(path, {
    stamp,
    digest: content === null ? null : digestOf(scan.counts?.(path, content) ?? content, link),
    link,
    mode: Number(stat.mode & 0o7777n),
  });
}

/** Files and folders come and go while one looks. */
function ifGone(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

async function contentOf(file: string | Buffer, link: boolean): Promise<Uint8Array> {
  return link ? readlink(file, { encoding: "buffer" }) : readFile(file);
}

/** That of a link is never that of a file with the same text. */
function digestOf(content: Uint8Array, link: boolean): string {
  const hash = createHash("sha256");
  if (link) hash.update("symbolic link\0");
  return hash.update(content).digest("hex");
}

/** What the path of a tree holds now; null where there is nothing. */
export async function currentDigest(file: string): Promise<string | null> {
  const stat = await lstat(file).catch(ifGone);
  if (stat === null) return null;
  const content = await contentOf(file, stat.isSymbolicLink()).catch(ifGone);
  return content === null ? null : digestOf(content, stat.isSymbolicLink());
}

/** Paths that differ, in order. */
export function changedPaths(before: Tree, after: Tree): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  const differs = (path: string): boolean => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === undefined || is === undefined) return was !== is;
    if (was.digest === null || is.digest === null) return was.stamp !== is.stamp;
    return was.digest !== is.digest || isExecutable(was) !== isExecutable(is);
  };
  return [...paths].filter(differs).toSorted();
}

export function isExecutable({ link, mode }: TreeEntry): boolean {
  return !link && (mode & 0o100) !== 0;
}

export function isInside(root: string, file: string): boolean {
  return file === root || file.startsWith(root.endsWith(sep) ? root : root + sep);
}
