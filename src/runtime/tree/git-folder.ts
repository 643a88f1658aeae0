import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { limits } from "../../model/limits.ts";
import { readPlainFileNow } from "./plain-file.ts";

/**
 * Where Git keeps what all working trees of the repository around a folder share, its hooks and settings above all;
 * null where there is no repository. Absolute, links followed; Git is not asked.
 */
export async function gitFolderOf(cwd: string): Promise<string | null> {
  const real = await realpath(cwd).catch(() => null);
  for (let folder = real; folder !== null; folder = dirname(folder) === folder ? null : dirname(folder)) {
    const own = await gitDirIn(folder);
    if (own === undefined) continue;
    if (own === null) return null;
    const shared = namedIn(join(own, "commondir"), /^(.*)$/m) ?? own;
    return realpath(shared).catch(() => null);
  }
  return null;
}

/** Where the `.git` in a folder leads; null where that leads nowhere, undefined where there is none. */
export async function gitDirIn(folder: string): Promise<string | null | undefined> {
  const file = join(folder, ".git");
  const found = await stat(file).catch(() => null);
  if (found === null) return undefined;
  return found.isDirectory() ? file : namedIn(file, /^gitdir: (.*)$/m);
}

function namedIn(file: string, pattern: RegExp): string | null {
  try {
    const path = pattern.exec(readPlainFileNow(file, limits.snapshotFileBytes).toString())?.[1]?.trim() ?? "";
    return path === "" ? null : resolve(dirname(file), path);
  } catch {
    return null;
  }
}

/** Settings of single branches, which commands in any working tree write; whatever else stands between them is none. */
const branchSection = /^\[branch "[^"\\[\]]*"\]\n(?:[ \t]+[A-Za-z][A-Za-z0-9-]* = [^"\\\n]*\n)*/gm;

/** The settings of a repository that hold for the whole of it. */
export function sharedSettings(config: string): string {
  return config.replace(branchSection, "");
}

/** The settings as they were before, with those of single branches as they are now. */
export function settingsBefore(before: string, now: string): string {
  return `${sharedSettings(before).replace(/[^\n]$/, "$&\n")}${(now.match(branchSection) ?? []).join("")}`;
}

/**
 * Whether a variable tells Git where its repository is, as a hook or an alias is told that starts a program: whoever
 * works in another place would write into that repository.
 */
export function isGitPlace(name: string): boolean {
  return places.has(name);
}

/** Those of `git rev-parse --local-env-vars`, without the settings of the user, and what else Git tells a hook. */
const places: ReadonlySet<string> = new Set([
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_CONFIG",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_NAMESPACE",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
]);
