import picomatch from "picomatch";

/** A name that begins with a dot is one like others, and one with a line break in it: `**` is to reach them all. */
export const globOptions = { dot: true, flags: "s" } as const;

/** Paths of a tree, relative to its root and with slashes, that globs name. */
export interface PathMatcher {
  readonly matches: (path: string) => boolean;
  /** Whether a folder could hold one that is named by its place, not by its name alone. */
  readonly mayHold: (folder: string) => boolean;
}

/** As {@link matcherOf}, but what a glob after `!` names is left out; where there are no others, of all files. */
export function selectorOf(globs: readonly string[]): (path: string) => boolean {
  const isNot = (glob: string): boolean => glob.startsWith("!");
  const [chosen, left] = [globs.filter((glob) => !isNot(glob)), globs.filter(isNot).map((glob) => glob.slice(1))];
  const [within, without] = [matcherOf(chosen).matches, matcherOf(left).matches];
  const all = chosen.length === 0 && left.length > 0;
  return (path) => (all || within(path)) && !without(path);
}

/**
 * A glob without a slash names files of that name anywhere (`*.lock`), one with a slash a place from the root
 * (`src/**`). What names a folder names all that is in it.
 */
export function matcherOf(globs: readonly string[]): PathMatcher {
  const named = globs.map((glob) => glob.replace(/^\.?\//, "").replace(/\/+$/, ""));
  const tests = named.flatMap((glob) => {
    const anywhere = glob.includes("/") ? glob : `**/${glob}`;
    return [anywhere, `${anywhere}/**`].map((pattern) => picomatch(pattern, globOptions));
  });
  const bases = named.filter((glob) => glob.includes("/")).map((glob) => picomatch.scan(glob).base);
  return {
    matches: (path) => tests.some((test) => test(path)),
    mayHold: (folder) =>
      bases.some((base) => base === folder || base.startsWith(`${folder}/`) || folder.startsWith(`${base}/`)),
  };
}

/** Whether something that the globs name, what stands after `!` left aside, could lie in a folder. */
export function reachOf(globs: readonly string[]): (folder: string) => boolean {
  const chosen = globs.filter((glob) => !glob.startsWith("!"));
  if (chosen.length === 0 || chosen.some((glob) => !glob.includes("/"))) return () => globs.length > 0;
  const bases = chosen.map((glob) => picomatch.scan(glob.replace(/^\.?\//, "")).base);
  return (folder) => bases.some((base) => base === "" || base === folder || base.startsWith(`${folder}/`));
}
