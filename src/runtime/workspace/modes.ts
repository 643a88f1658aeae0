import { lstatSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "../../model/limits.ts";
import { at } from "../tree/way.ts";
import { git, type GitOptions, pathsOf } from "./git.ts";

/** Whom the files of a picture let in, which Git does not keep: it knows only whether one is a program. */
export interface Modes {
  /** Of most: of those that are no programs, and of those that are. Null where nothing tells it. */
  readonly usual: readonly [number, number] | null;
  /** Of the others, by path. */
  readonly others: ReadonlyMap<string, number>;
}

export function isProgram(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** What a file let in that is brought back; undefined where nothing tells it. */
export function modeOf({ usual, others }: Modes, path: string, mode: number): number | undefined {
  return others.get(path) ?? usual?.[isProgram(mode) ? 1 : 0];
}

/** Lines of the commit that keeps a picture, with the modes of all its files as they are now. */
export async function modeLines(own: GitOptions, tree: string): Promise<string> {
  const found: (readonly [path: string, mode: number])[] = [];
  for (const [n, path] of pathsOf(await git(["ls-tree", "-r", "-z", "--name-only", tree], own)).entries()) {
    if (n % limits.modesReadAtOnce === 0) await nextTurn();
    const mode = modeAt(own.cwd, path);
    if (mode !== null) found.push([path, mode]);
  }
  const modes = found.map(([, mode]) => mode);
  const usual = [
    mostCommon(modes.filter((mode) => !isProgram(mode))) ?? 0o666 & ~process.umask(),
    mostCommon(modes.filter(isProgram)) ?? 0o777 & ~process.umask(),
  ] as const;
  const others = found.filter(([, mode]) => mode !== usual[isProgram(mode) ? 1 : 0]);
  const lines = others.map(([path, mode]) => `Mode: ${mode.toString(8)} ${JSON.stringify(path)}\n`);
  return `Modes: ${usual.map((mode) => mode.toString(8)).join(" ")}\n${lines.join("")}`;
}

/** What {@link modeLines} wrote; one of an earlier version tells only of files that were not as in the commit. */
export function modesIn(commit: string): Modes {
  const others = new Map<string, number>();
  let usual: Modes["usual"] = null;
  // A name may hold what a pattern takes for the end of a line.
  for (const line of commit.split("\n")) {
    const [, mode, path] = /^Mode: ([0-7]{1,3}) (".*")$/s.exec(line) ?? [];
    if (mode !== undefined && path !== undefined) others.set(String(JSON.parse(path)), Number.parseInt(mode, 8));
    const [, plain, program] = /^Modes: ([0-7]{1,3}) ([0-7]{1,3})$/.exec(line) ?? [];
    if (plain !== undefined && program !== undefined) usual = [Number.parseInt(plain, 8), Number.parseInt(program, 8)];
  }
  return { usual, others };
}

/** Null for what is no file. */
function modeAt(root: string, path: string): number | null {
  try {
    const stat = lstatSync(at(root, path));
    return stat.isFile() ? stat.mode & 0o777 : null;
  } catch {
    return null;
  }
}

function mostCommon(modes: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const mode of modes) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
