import { dirname } from "node:path";
import picomatch from "picomatch";
import { globOptions } from "../tree/globs.ts";

/** What Git ignored in one working tree, as it was at one time. */
export interface IgnoreRules {
  /** Relative to the tree that pictures are taken of, "" for itself: a repository inside it has rules of its own. */
  readonly root: string;
  /** Of all files with rules, as lines of one file with patterns that stands at the root. */
  readonly lines: readonly string[];
  /** Paths that are tracked though ignored, relative to the root. */
  readonly tracked: readonly string[];
}

/** Lines of a file with patterns that stands in a folder, "" for the root, as if it stood at the root. */
export function linesAtRoot(folder: string, text: string): readonly string[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => trimmed(line.replace(/\r$/, "")))
    .filter((line) => !line.startsWith("#") && !/^!?\/*$/.test(line))
    .map((line) => (folder === "" ? line : beneath(folder, line)));
}

/** As Git does: a space at the end counts where it is escaped. */
function trimmed(line: string): string {
  let end = line.length;
  while (line[end - 1] === " ") end -= 1;
  let start = end;
  while (line[start - 1] === "\\") start -= 1;
  return line.slice(0, (end - start) % 2 === 1 ? end + 1 : end);
}

function beneath(folder: string, line: string): string {
  const [not, pattern] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
  const place = isAnchored(pattern) ? pattern.replace(/^\//, "") : `**/${pattern}`;
  // No line can hold a line break; it is one character.
  return `${not}/${folder.replaceAll(/[\\*?[\]]/g, "\\$&").replaceAll("\n", "?")}/${place}`;
}

function isAnchored(pattern: string): boolean {
  return pattern.slice(0, -1).includes("/");
}

/** What rules of a tree say of a folder in it, as lines for that folder. */
export function linesWithin(lines: readonly string[], folder: string): readonly string[] {
  return lines.flatMap((line) => {
    const [not, pattern] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
    if (!isAnchored(pattern)) return [line];
    const rests = restsWithin(pattern.replace(/^\//, "").split("/"), folder.split("/"));
    return rests.map((rest) => `${not}/${rest.join("/")}`);
  });
}

/** Parts of a pattern that are left for what is in a folder, in each way in which the folder takes those before. */
function restsWithin(pattern: readonly string[], folder: readonly string[]): readonly (readonly string[])[] {
  let places = new Set([0]);
  for (const name of folder) {
    const next = new Set<number>();
    // What is added while it is looked through comes later.
    for (const place of places) {
      const part = pattern[place];
      if (part === "**") {
        places.add(place + 1);
        next.add(place);
      } else if (part !== undefined && part !== "" && picomatch.isMatch(name, part, globOptions)) next.add(place + 1);
    }
    places = next;
  }
  return [...places]
    .toReversed()
    .map((place) => pattern.slice(place))
    .filter(([part]) => part !== undefined && part !== "");
}

/** The rules of the tree at a root among those of a tree around it; of one that was none then, what that one says. */
export function rulesOf(root: string, all: readonly IgnoreRules[]): readonly IgnoreRules[] {
  const inside = all.flatMap((one) => {
    if (one.root === root) return [{ ...one, root: "" }];
    return one.root.startsWith(`${root}/`) ? [{ ...one, root: one.root.slice(root.length + 1) }] : [];
  });
  if (inside.some((one) => one.root === "")) return inside;
  return [{ root: "", lines: linesWithin(linesOf(all), root), tracked: [] }, ...inside];
}

/** Of the tree itself and, should they be no repositories any more, of those inside it. */
export function linesOf(all: readonly IgnoreRules[]): readonly string[] {
  return all.flatMap(({ root, lines }) => (root === "" ? lines : linesAtRoot(root, lines.join("\n"))));
}

/** The folder that a file with rules stands in, "" for the root. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}

const key = "Ignoring: ";

/** Line of the commit that keeps a picture. */
export function rulesLine(rules: readonly IgnoreRules[]): string {
  return `${key}${JSON.stringify(rules)}\n`;
}

/** What {@link rulesLine} wrote; null where there is none, as in pictures of earlier versions. */
export function rulesIn(commit: string): readonly IgnoreRules[] | null {
  const said = commit.split("\n").find((line) => line.startsWith(key));
  // Written above.
  return said === undefined ? null : (JSON.parse(said.slice(key.length)) as readonly IgnoreRules[]);
}
