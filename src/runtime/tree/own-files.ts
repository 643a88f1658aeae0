import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Blueprint } from "../../model/blueprint.ts";
import { realOf } from "./plain-file.ts";
import { isInside } from "./scan.ts";

/** Where Trammel itself writes while runs are at work. */
export interface Writing {
  /** Absolute folder of all state. */
  readonly home: string;
  /** Absolute folder in which the run was asked for. */
  readonly project: string;
  readonly records: Blueprint["records"];
  /** Absolute folder of cassettes that are recorded. */
  readonly record?: string | undefined;
}

/** What of it lies below a folder, relative to that; it is no work of a run. */
export interface OwnFiles {
  readonly paths: readonly string[];
  /** As in a pathspec of Git. */
  readonly globs: readonly string[];
}

/** Whether any of it may lie below a folder, without a look at the disk. */
export function mayHoldOwn(folder: string, { home, records, record }: Omit<Writing, "project">): boolean {
  return (
    record !== undefined || records.state !== undefined || records.counters !== undefined || isInside(folder, home)
  );
}

/** `root` is an absolute path with links followed. */
export async function ownFilesIn(root: string, { home, project, records, record }: Writing): Promise<OwnFiles> {
  const { state, counters } = records;
  const files = [home, state, counters].flatMap((file) => (file === undefined ? [] : [resolve(project, file)]));
  const own = await Promise.all(files.map((path) => realpath(path).catch(() => path)));
  const paths = own.filter((path) => isInside(root, path) && path !== root).map((path) => relative(root, path));
  const mirror = counters === undefined ? [] : [resolve(project, counters)];
  const written = mirror.flatMap((path) => besideMirror.flatMap((pattern) => globsIn(root, path, pattern)));
  return { paths, globs: [...written, ...(record === undefined ? [] : globsIn(root, record, "/*.[0-9]*.jsonl"))] };
}

/** Tells of a path, relative to a folder, whether a record that is named from there is written to it. */
export function recordsIn(folder: string, { state, counters }: Blueprint["records"]): (path: string) => boolean {
  const root = realOf(folder) ?? folder;
  const named = (file: string | undefined): string | null =>
    file === undefined ? null : relative(root, realOf(resolve(root, file)) ?? resolve(root, file));
  const [noted, mirror] = [named(state), named(counters)];
  return (path) => path === noted || path === mirror || (mirror !== null && isBeside(path, mirror));
}

/** A counter file is written beside itself first, locked there, and what is being charged is noted there. */
const besideMirror = [".*.tmp", ".charge", ".lock", ".lock.*"] as const;

function isBeside(path: string, mirror: string): boolean {
  const more = path.startsWith(mirror) ? path.slice(mirror.length) : "";
  return (
    more === ".charge" ||
    more === ".lock" ||
    more.startsWith(".lock.") ||
    (more.startsWith(".") && more.endsWith(".tmp"))
  );
}

/**
 * Pathspecs of Git that leave it out, for a command in that folder. Each is a pattern: Git refuses to
 * be told to leave out by its plain name what it ignores anyway.
 */
export function pathspecsWithout({ paths, globs }: OwnFiles): readonly string[] {
  const patterns = paths.map((path) => escaped(path).replace(/[\p{L}\p{N}]/u, "[$&]"));
  return [...patterns.flatMap((path) => [path, `${path}/**`]), ...globs].map((glob) => `:(exclude,glob)${glob}`);
}

/** A path, links followed as far as it is there, with a pattern behind it; none where it is not below the root. */
function globsIn(root: string, path: string, pattern: string): readonly string[] {
  const real = realOf(path) ?? path;
  return isInside(root, real) ? [`${escaped(relative(root, real))}${pattern}`.replace(/^\//, "")] : [];
}

function escaped(path: string): string {
  return path.replaceAll(/[\\*?[\]]/g, "\\$&");
}
