import { lstat } from "node:fs/promises";
import { at } from "../tree/way.ts";
import { git, type GitOptions, pathsOf } from "./git.ts";

/**
 * Lines of the commit that keeps a picture: whom files let in, which Git does not keep: of those that are not as in
 * the commit, as what Git has checked out it checks out again, and only where that is not what a new file would let in.
 */
export async function modeLines(own: GitOptions, tree: string, commit: string | null): Promise<string> {
  const command = commit === null ? ["ls-tree", "-r", tree] : ["diff-tree", "-r", "--no-renames", commit, tree];
  const usual = ~process.umask();
  let lines = "";
  for (const path of pathsOf(await git([...command, "-z", "--name-only"], own))) {
    const stat = await lstat(at(own.cwd, path)).catch(() => null);
    if (stat?.isFile() !== true) continue;
    const mode = stat.mode & 0o777;
    if (mode !== (((mode & 0o100) === 0 ? 0o666 : 0o777) & usual))
      lines += `Mode: ${mode.toString(8)} ${JSON.stringify(path)}\n`;
  }
  return lines;
}

/** What {@link modeLines} wrote, by path. */
export function modesIn(commit: string): ReadonlyMap<string, number> {
  const modes = new Map<string, number>();
  for (const [, mode = "", path = ""] of commit.matchAll(/^Mode: ([0-7]{1,3}) (".*")$/gm))
    modes.set(String(JSON.parse(path)), Number.parseInt(mode, 8));
  return modes;
}
