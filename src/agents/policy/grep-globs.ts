import picomatch from "picomatch";
import { globOptions } from "../../runtime/tree/globs.ts";

/** Whether a file or folder of this name is passed by. */
export type LeftOut = (name: string, isFolder: boolean) => boolean;

/** Globs that mean the same to grep as to us. */
const plain = /^[\w.*?-]+$/;
/** Braces are for the shell, and not for every one: where they are not, nothing is of such a name. */
const braced = /^[\w.*?{},-]+$/;
const option = /^--(include|exclude|exclude-dir)(?:=(.*))?$/s;

/**
 * What `grep -r` passes by under its options: folders of `--exclude-dir`, and files by `--include` or `--exclude`.
 * Where it says both, or in a way that is not certain, the files count as read.
 */
export function leftOutOf(words: readonly string[]): LeftOut {
  const globs = { include: [] as string[], exclude: [] as string[], "exclude-dir": [] as string[] };
  for (const [index, word] of words.entries()) {
    const [, kind, glob = words[index + 1] ?? ""] = option.exec(word) ?? [];
    if (kind === "include" || kind === "exclude" || kind === "exclude-dir") globs[kind].push(glob);
  }
  const certain = (list: readonly string[]): readonly string[] => list.filter((glob) => plain.test(glob));
  const [folders, excluded] = [certain(globs["exclude-dir"]), certain(globs.exclude)].map(matching);
  const included = globs.include.every((glob) => braced.test(glob)) ? matching(globs.include) : undefined;
  const both = globs.include.length > 0 && globs.exclude.length > 0;
  return (name, isFolder) => {
    if (isFolder) return folders?.(name) === true;
    if (both) return false;
    return excluded?.(name) === true || included?.(name) === false;
  };
}

/** Undefined where there are none. */
function matching(globs: readonly string[]): ((name: string) => boolean) | undefined {
  return globs.length === 0 ? undefined : picomatch([...globs], globOptions);
}
