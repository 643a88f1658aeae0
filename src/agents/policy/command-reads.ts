import { globSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { isProgram } from "../../runtime/processes/which.ts";
import { limits } from "../../model/limits.ts";
import type { Reads } from "../../ports/reads.ts";
import { realOf } from "../../runtime/tree/plain-file.ts";
import { isInside } from "../../runtime/tree/scan.ts";
import { simpleCommands } from "./command.ts";
import { isGitReader } from "./recursive.ts";

/** What shows, copies or compares the files it is given; anything else is taken to run them. */
const readers: ReadonlySet<string> = new Set(
  (
    ". awk base32 base64 bat cat cmp column comm cp cut dd diff egrep fgrep fold gawk grep head hexdump install jq less ln mawk " +
    "more mv nl od paste rev rg rsync scp sed shuf sort source split strings tac tail tar tee uniq wc xargs xxd yq zcat zgrep zip"
  ).split(" "),
);

/** Installed software, which is nobody's own. */
const installed = ["/bin", "/lib", "/lib64", "/Library", "/opt", "/nix", "/sbin", "/System", "/usr"];

interface Named {
  readonly path: string;
  /** Whether the command that names it is a reader. */
  readonly read: boolean;
}

/**
 * The first path that a command names and the agent may not read, or null: a file that is not in its scope, where the
 * command is one that shows or copies files, and anything outside of the workspace but installed software. That is what
 * can be seen from outside; what a program opens by itself is not.
 */
export async function forbiddenRead(command: string, workspace: string, reads: Reads): Promise<string | null> {
  const outside = pathOutside(command, workspace);
  if (outside !== null) return outside;
  const root = realOf(workspace) ?? workspace;
  const files = filesRead(command, workspace).flatMap((path) => {
    const real = realOf(path) ?? path;
    return isInside(root, real) ? [relative(root, real).split(sep).join("/")] : [];
  });
  const within = await reads.among(files);
  return files.find((file) => !within.has(file)) ?? null;
}

/**
 * The first file or folder that a command names outside of the workspace, but for installed
 * software and programs that it runs; null where there is none.
 */
export function pathOutside(command: string, workspace: string): string | null {
  const root = realOf(workspace) ?? workspace;
  for (const { path, read } of namedPaths(command, root)) {
    if (kindOf(path) === null || (!read && isProgram(path))) continue;
    const real = realOf(path) ?? path;
    if (!isInside(root, real) && !installed.some((folder) => isInside(folder, real))) return real;
  }
  return null;
}

/** Files that commands which show or copy files are seen to name, each once. */
export function filesRead(command: string, workspace: string): readonly string[] {
  const named = namedPaths(command, realOf(workspace) ?? workspace);
  return [...new Set(named.flatMap(({ path, read }) => (read && kindOf(path) === "file" ? [path] : [])))];
}

/**
 * What words of a command, or parts of them, lead to; a command that cannot
 * be read with certainty is taken apart roughly.
 */
function namedPaths(command: string, root: string): readonly Named[] {
  const commands = simpleCommands(command);
  if (commands === null) {
    const words = command.split(/[\s'"`;|&<>()=,]+/).filter((word) => word !== "");
    const read = words.some((word) => readers.has(basename(word)) || basename(word) === "git");
    return words.flatMap((word) => expanded(word, root).map((path) => ({ path, read })));
  }
  // What comes before xargs names what it gives to another program.
  const handedOn = commands.some((words) => words.some(({ text }) => basename(text) === "xargs"));
  let folder = root;
  const named: Named[] = [];
  for (const words of commands) {
    const texts = words.map(({ text }) => text);
    const read =
      handedOn || isGitReader(words) || texts.some((text) => partsOf(text).some((part) => readers.has(basename(part))));
    for (const { text, open } of words.slice(1)) {
      const paths = partsOf(text).flatMap((part) => (open ? expanded(part, folder) : [located(part, folder)]));
      for (const path of paths) named.push({ path, read });
    }
    if (texts[0] === "cd" || texts[0] === "pushd") folder = located(texts.at(-1) ?? "~", folder);
  }
  return named;
}

/** `--file=a` names a file as well as `a` does; so does what stands in another shell's command. */
export function partsOf(word: string): readonly string[] {
  return [...new Set([word, ...word.split(/[\s='":;|&<>(),@]+/)])].filter((part) => part !== "");
}

export function located(path: string, folder: string): string {
  const home = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/;
  return resolve(folder, path.replace(home, homedir()));
}

/** What a word leads to, with what the shell makes of a pattern in it; one over too many folders is left as it is. */
export function expanded(word: string, folder: string): readonly string[] {
  const path = located(word, folder);
  const wild = word.split("/").filter((part) => /[*?[]/.test(part)).length;
  if (wild === 0 || wild > limits.patternFolders) return [path];
  const pattern = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, homedir()).replaceAll(/\*{2,}/g, "*");
  const found = globSync(pattern, { cwd: folder }).slice(0, limits.readsPerAttempt);
  return [path, ...found.map((one) => (isAbsolute(one) ? one : resolve(folder, one)))];
}

export function kindOf(path: string): "file" | "folder" | null {
  try {
    const found = statSync(path);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : null;
  } catch {
    return null;
  }
}
