import { createHash } from "node:crypto";
import { type BigIntStats, constants, type Dirent } from "node:fs";
import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Ignore } from "ignore";
import { limits } from "../../model/limits.ts";
import { isAbsent, systemCode } from "../../model/thrown.ts";
import type { PathMatcher } from "./globs.ts";
import { nameText } from "./names.ts";
import { readPlainFile } from "./plain-file.ts";
import { at } from "./way.ts";

/** What is found in a tree. Content is known by its digest; null where the file is too large, or not to be read. */
export interface TreeEntry {
  /** Changes with every write, as far as the file system tells. */
  readonly stamp: string;
  readonly digest: string | null;
  /** `other` are pipes, sockets and devices, and folders that are new as a whole. */
  readonly kind: "file" | "link" | "other";
  /** Permission bits; of a link they mean nothing. */
  readonly mode: number;
  /** It was read so soon after it was written that another write could leave the same stamp. */
  readonly fresh: boolean;
}

/** By path relative to the root, with slashes, as {@link nameText} reads it. */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** What a scan came by on its way. */
export interface Passed {
  /** Folders that it looked into; the root is "". */
  readonly folders: ReadonlySet<string>;
  /** Repositories and modules that it left out. */
  readonly shut: ReadonlySet<string>;
  /** Rules of .gitignore files, by the folder that each stands in. */
  readonly ignoring: ReadonlyMap<string, Ignore>;
}

export interface ScanOptions {
  /** Absolute folders whose files are left out. */
  readonly except: readonly string[];
  /** An earlier scan: files whose stamp is the same are not read again. */
  readonly known?: Tree;
  /** Where given, only these files are looked at. */
  readonly only?: (path: string) => boolean;
  /** Files that are looked at although a .gitignore names them, or git keeps them for itself. */
  readonly though?: PathMatcher;
  /** What is looked at in `.git` and in folders of the name `node_modules`, which are left out otherwise. */
  readonly opened?: PathMatcher;
  /** Where given, only these folders are entries where they are new and empty. */
  readonly onlyEmpty?: (folder: string) => boolean;
  /** Whether pipes, sockets and devices are looked at, too. */
  readonly special?: boolean;
  /** Where given, only these folders are looked into. */
  readonly into?: (folder: string) => boolean;
  /** What of a file counts; all of it when absent. */
  readonly counts?: (path: string, content: Uint8Array) => Uint8Array;
  /**
   * What an earlier scan of the same tree came by. What it ignored is ignored, and nothing else; a repository, modules
   * or an empty folder that are new are each one entry.
   */
  readonly since?: Passed;
  /** Given the content of each file that is read, for a link its target. */
  readonly keep?: (path: string, content: Uint8Array) => Promise<void>;
}

interface Scan extends ScanOptions {
  readonly root: string;
  readonly found: Map<string, TreeEntry>;
  readonly shut: Set<string>;
}

/** Rules of one .gitignore and the folder they start from, "" or ending in a slash. */
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

/**
 * What is under a root, without what .gitignore files name, `.git` and `node_modules`, unless the options say so.
 * Rejects where there is more than `limits.snapshotFiles`.
 */
export async function scanTree(root: string, options: ScanOptions): Promise<Tree> {
  return (await surveyTree(root, options)).tree;
}

export async function surveyTree(
  root: string,
  options: ScanOptions,
): Promise<{ readonly tree: Tree; readonly passed: Passed }> {
  const { default: ignore } = await import("ignore");
  const real = (path: string): Promise<string> => realpath(path).catch(() => path);
  const except = await Promise.all(options.except.map(real));
  const scan: Scan = { ...options, root: await real(root), except, found: new Map(), shut: new Set() };
  const passed = { folders: new Set<string>(), shut: scan.shut, ignoring: new Map<string, Ignore>() };
  const rulesIn = async (folder: string, entries: readonly Dirent<Buffer>[]): Promise<Ignore | undefined> => {
    if (scan.since !== undefined) return scan.since.ignoring.get(folder.slice(0, -1));
    const isThere = entries.some((entry) => entry.isFile() && nameText(entry.name) === ".gitignore");
    if (!isThere) return undefined;
    const file = at(scan.root, `${folder}.gitignore`);
    const bytes = await readPlainFile(file, limits.snapshotFileBytes).catch(ifGone);
    return bytes === null ? undefined : ignore().add(bytes.toString());
  };
  const pending: { readonly folder: string; readonly rules: readonly Rules[] }[] = [{ folder: "", rules: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folder } = next;
    const reading = readdir(at(scan.root, folder), { withFileTypes: true, encoding: "buffer" });
    const entries = await (folder === "" ? reading : reading.catch(ifGone));
    if (entries === null) continue;
    const own = await rulesIn(folder, entries);
    passed.folders.add(folder.slice(0, -1));
    if (own !== undefined) passed.ignoring.set(folder.slice(0, -1), own);
    if (entries.length === 0 && scan.onlyEmpty?.(folder.slice(0, -1)) !== false)
      takeNew(folder.slice(0, -1), scan, scan.since?.folders);
    const rules = own === undefined ? next.rules : [{ folder, rules: own }, ...next.rules];
    const files: string[] = [];
    for (const entry of entries) {
      const name = nameText(entry.name);
      const path = `${folder}${name}`;
      if (isLeftOut(name, path, entry.isDirectory(), rules, scan)) continue;
      if (!entry.isDirectory()) {
        if (scan.only?.(path) !== false) files.push(path);
      } else if (scan.into?.(path) !== false) pending.push({ folder: `${path}/`, rules });
    }
    for (let from = 0; from < files.length; from += limits.scannedAtOnceFiles) {
      await Promise.all(files.slice(from, from + limits.scannedAtOnceFiles).map((path) => take(path, scan)));
    }
  }
  return { tree: scan.found, passed };
}

function isLeftOut(name: string, path: string, directory: boolean, rules: readonly Rules[], scan: Scan): boolean {
  // Git's own files are nobody's work, but its hooks and settings are run by it.
  if (name === ".git" && !isIn(path, directory, scan.opened)) return shut(path, scan);
  if (path.startsWith(".git/")) return !isNamed(path, directory, scan);
  if (scan.except.includes(join(scan.root, path))) return true;
  if (isIgnored(path, directory, rules)) return !isNamed(path, directory, scan);
  return directory && name === "node_modules" && !isIn(path, directory, scan.opened) && shut(path, scan);
}

/** It is looked into no further; where it is new, it is an entry itself. */
function shut(path: string, scan: Scan): true {
  scan.shut.add(path);
  takeNew(path, scan, scan.since?.shut);
  return true;
}

/** Of what an earlier scan came by; where there was none, nothing is new. */
function takeNew(path: string, { found, only }: Scan, before: ReadonlySet<string> | undefined): void {
  if (before === undefined || before.has(path) || only?.(path) === false) return;
  found.set(path, { stamp: "new", digest: null, kind: "other", mode: 0, fresh: false });
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
  const looked = Date.now();
  const stat = await lstat(file, { bigint: true }).catch(ifGone);
  if (stat === null) return;
  const kind = stat.isFile() ? "file" : stat.isSymbolicLink() ? "link" : "other";
  if (kind === "other" && scan.special !== true) return;
  // What goes through a pipe changes its times, and is no change of the tree.
  const stamp =
    kind === "other"
      ? [stat.mode, stat.rdev].join(":")
      : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs, stat.mode].join(":");
  const known = scan.known?.get(path);
  if (known?.stamp === stamp && !known.fresh) return void scan.found.set(path, known);
  const tooLarge = stat.size > BigInt(limits.snapshotFileBytes);
  const reading = kind === "other" || tooLarge ? undefined : contentOf(file, kind === "link").catch(ifUnread);
  const content = await reading?.catch(ifGone);
  if (content === null) return;
  if (content !== undefined) await scan.keep?.(path, content);
  scan.found.set(path, {
    stamp,
    digest: content === undefined ? null : digestOf(scan.counts?.(path, content) ?? content, kind === "link"),
    kind,
    mode: kind === "other" ? 0 : Number(stat.mode & 0o7777n),
    fresh: kind !== "other" && isFresh(stat, looked),
  });
}

function isFresh({ ctimeMs }: BigIntStats, looked: number): boolean {
  return Number(ctimeMs) > looked - twoStepsMs;
}

/** The clock of a file system goes in steps of up to ten milliseconds. */
const twoStepsMs = 20;

/** Files and folders come and go while one looks. */
function ifGone(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

/** What nobody lets us read, or is no file any more since it was looked at, is known by its stamp. */
function ifUnread(error: unknown): undefined {
  if (!unread.has(systemCode(error) ?? "")) throw error;
}

const unread: ReadonlySet<string> = new Set(["EACCES", "EPERM", "ELOOP", "ENXIO", "EAGAIN", "EISDIR"]);

async function contentOf(file: string | Buffer, link: boolean): Promise<Uint8Array> {
  return link ? readlink(file, { encoding: "buffer" }) : readFile(file, { flag: neverWaiting });
}

const neverWaiting = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

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

export function isExecutable({ kind, mode }: TreeEntry): boolean {
  return kind === "file" && (mode & 0o100) !== 0;
}

export function isInside(root: string, file: string): boolean {
  return file === root || file.startsWith(root.endsWith(sep) ? root : root + sep);
}
