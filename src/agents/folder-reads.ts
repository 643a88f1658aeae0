import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { limits } from "../model/limits.ts";
import type { Reads } from "../ports/reads.ts";
import { scopeOf } from "../runtime/reading/scope.ts";
import { isRepositoryData, realOf } from "../runtime/tree/plain-file.ts";
import { isInside } from "../runtime/tree/scan.ts";
import { expanded, kindOf, located, partsOf } from "./policy/command-reads.ts";
import { simpleCommands, type SimpleCommand } from "./policy/command.ts";
import { descentOf, shellText, type Descent } from "./policy/recursive.ts";

/**
 * A folder that a command goes through, and a file in it that the agent may
 * not read; null where there are too many to tell.
 */
export interface ForbiddenFolder {
  readonly folder: string;
  readonly file: string | null;
}

interface Begun {
  readonly folder: string;
  readonly descent: Descent;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The first folder that a command is known to go through (`grep -r`, `rg`, `find`, `cp -r`) and that holds a file which
 * the agent may not read, or null. At most `limits.walkEntries` files are looked at.
 */
export async function forbiddenFolder(
  command: string,
  workspace: string,
  reads: Reads,
  env: Environment,
): Promise<ForbiddenFolder | null> {
  const root = realOf(workspace) ?? workspace;
  for (const begun of begunIn(command, root, root, 0)) {
    const found = await forbiddenBelow(begun, root, reads, env);
    if (found !== null) return found;
  }
  return null;
}

function begunIn(text: string, from: string, root: string, depth: number): readonly Begun[] {
  let folder = from;
  const begun: Begun[] = [];
  for (const words of simpleCommands(text) ?? roughly(text)) {
    const inner = shellText(words);
    if (inner !== null && depth < limits.nestedShells) begun.push(...begunIn(inner, folder, root, depth + 1));
    const descent = descentOf(words);
    if (descent !== null) begun.push(...foldersOf(descent, folder, root).map((one) => ({ folder: one, descent })));
    const [program, to] = words;
    if (program?.text === "cd" || program?.text === "pushd") folder = located(to?.text ?? "~", folder);
  }
  return begun;
}

/** What cannot be read with certainty, taken apart where one command may end and another begin. */
function roughly(text: string): readonly SimpleCommand[] {
  return [...text.matchAll(/(\|?)([^\n;&|(){}`]+)/g)].flatMap(([, pipe = "", one = ""]) => {
    const words = one.split(/[\s'"<>]+/).filter((word) => word !== "");
    return words.length === 0
      ? []
      : [
          words.map((word, at) => ({
            text: word,
            open: true,
            ...(pipe !== "" && at === 0 && { piped: true as const }),
          })),
        ];
  });
}

function foldersOf({ from, here, wholeTree }: Descent, folder: string, root: string): readonly string[] {
  const paths = from.flatMap(({ text, open }) =>
    partsOf(text).flatMap((part) => (open ? expanded(part, folder) : [located(part, folder)])),
  );
  const there = paths.filter((path) => kindOf(path) !== null);
  if (there.length === 0) return here ? [wholeTree === true ? root : folder] : [];
  return there.filter((path) => kindOf(path) === "folder");
}

async function forbiddenBelow(
  { folder, descent }: Begun,
  root: string,
  reads: Reads,
  env: Environment,
): Promise<ForbiddenFolder | null> {
  const real = realOf(folder) ?? folder;
  // What is outside is held as such.
  if (!isInside(root, real)) return null;
  const name = relative(root, real).split(sep).join("/") || ".";
  const { files, cut } = await filesBelow(real, root, descent);
  const known = descent.keepsToGit ? await scopeOf("repository", root, env)(files) : null;
  // A folder that git ignores is gone through where it is named.
  const gone = known === null || known.size === 0 ? files : files.filter((file) => known.has(file));
  const within = await reads.among(gone);
  const file = gone.find((one) => !within.has(one)) ?? null;
  return file === null && !cut ? null : { folder: name, file };
}

/** Files from the root on; those outside, to which links lead, are absolute. */
async function filesBelow(
  start: string,
  root: string,
  { followsLinks, leftOut }: Descent,
): Promise<{ readonly files: readonly string[]; readonly cut: boolean }> {
  const files: string[] = [];
  const seen = new Set([start]);
  const pending = [start];
  const take = (path: string, isFolder: boolean): void => {
    if (!isFolder) return void files.push(isInside(root, path) ? relative(root, path).split(sep).join("/") : path);
    if (!seen.has(path)) pending.push(path);
    seen.add(path);
  };
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (files.length >= limits.walkEntries || seen.size >= limits.walkEntries) return { files, cut: true };
      // Of a repository's own data, what files hold is packed; it counts where it is named.
      if (isRepositoryData(entry.name) || leftOut?.(entry.name, entry.isDirectory()) === true) continue;
      const path = join(folder, entry.name);
      const real = entry.isSymbolicLink() && followsLinks ? realOf(path) : null;
      if (real !== null) take(real, kindOf(real) === "folder");
      else if (entry.isFile() || entry.isDirectory()) take(path, entry.isDirectory());
    }
  }
  return { files, cut: false };
}
