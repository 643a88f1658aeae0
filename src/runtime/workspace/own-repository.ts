import { lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { limits } from "../../model/limits.ts";
import { nameBytes, nameText } from "../tree/names.ts";
import { readPlainFile, readPlainFileNow } from "../tree/plain-file.ts";
import { at, isOfTree } from "../tree/way.ts";
import { git, gitText, type GitOptions, pathsOf } from "./git.ts";
import { folderOf, type IgnoreRules, linesAtRoot } from "./ignore-rules.ts";
import { addPaths } from "./nested.ts";
import type { Repository } from "./repository.ts";

/** Stronger than any .gitattributes of the tree. */
const verbatim = "* !diff -text -filter -ident -working-tree-encoding -export-subst\n";

/** File in it that says of which tree it is. */
export const rootFile = "root";

/**
 * Makes the folder that stands for `.git` when pictures are taken: an index, a configuration and attributes of its own.
 * `own` leads to it, `there` to the repository of the user.
 */
export async function prepare(
  repository: Repository,
  gitDir: string,
  own: GitOptions,
  there: GitOptions,
): Promise<void> {
  if (!(await isPrepared(gitDir))) {
    await rm(gitDir, { recursive: true, force: true });
    await mkdir(gitDir, { recursive: true, mode: 0o700 });
    const { GIT_WORK_TREE: _, ...bare } = own.set ?? {};
    const init = ["init", "--quiet", "--bare", "--template=", `--object-format=${repository.objectFormat}`, gitDir];
    await git(init, { ...own, set: bare });
    const config = ["config", "--file", join(gitDir, "config")];
    await git([...config, "core.bare", "false"], own);
    // A name that another system could not have is a name here.
    await git([...config, "core.protectNTFS", "false"], own);
  }
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(join(gitDir, rootFile), repository.root);
  await writeFile(join(gitDir, "info", "attributes"), verbatim);
  await writeFile(join(gitDir, "info", "exclude"), await excludesOf(repository, there));
}

/** Whether it was made to its end: {@link rootFile} is written last. */
export async function isPrepared(gitDir: string): Promise<boolean> {
  return (await lstat(join(gitDir, rootFile)).catch(() => null)) !== null;
}

/** What is tracked counts though it is ignored: it is added here without being asked for. */
export async function addTracked(tracked: readonly string[], own: GitOptions): Promise<void> {
  const paths: string[] = [];
  for (const [, inFolder] of Map.groupBy(tracked, dirname))
    if (await isOfTree(own.cwd, inFolder[0] ?? "")) paths.push(...inFolder);
  if (paths.length > 0) await addPaths(paths, own);
}

/** What is ignored now, as rules of the tree itself. */
export async function rulesNow(
  root: string,
  gitDir: string,
  tracked: readonly string[],
  own: GitOptions,
): Promise<IgnoreRules> {
  const list = ["ls-files", "-z"];
  // A file with rules may name itself. Folders that are ignored are not looked into: what is in them says nothing.
  const ignored = ["--others", "--ignored", "--exclude-standard", "--directory"];
  const ofRules = ["--", `:(glob)**/${rulesName}`];
  const [known, others, outside] = await Promise.all([
    git([...list, "--cached", "--others", "--exclude-standard", ...ofRules], own),
    git([...list, ...ignored, ...ofRules], own),
    readFile(join(gitDir, "info", "exclude"), "utf8"),
  ]);
  const files = new Set([...pathsOf(known), ...pathsOf(others)].filter((path) => basename(path) === rulesName));
  const lines = [...linesAtRoot("", outside)];
  // Those of a folder come after those around it, which they overrule.
  for (const path of [...files].toSorted((a, b) => Buffer.compare(nameBytes(dirname(a)), nameBytes(dirname(b))))) {
    const bytes = await readPlainFile(at(root, path), limits.snapshotFileBytes).catch(() => Buffer.alloc(0));
    lines.push(...linesAtRoot(folderOf(path), nameText(bytes)));
  }
  return { root: "", lines, tracked };
}

const rulesName = ".gitignore";

/** Relative to a folder of a working tree, and below it. `more` are further arguments of `git ls-files`. */
export async function trackedThoughIgnored(
  there: GitOptions,
  more: readonly string[] = [],
): Promise<readonly string[]> {
  return pathsOf(await git(["ls-files", "--cached", "--ignored", "--exclude-standard", "-z", ...more], there));
}

/** Ignore rules that stand outside the tree: those of the repository and those of the user. */
async function excludesOf({ commonDir }: Repository, there: GitOptions): Promise<string> {
  const named = await gitText(["config", "--type=path", "core.excludesFile"], there).catch(() => "");
  // An empty one counts as none for Git, too.
  const configured = there.env["XDG_CONFIG_HOME"] || join(there.env["HOME"] ?? homedir(), ".config");
  const ofUser = named === "" ? join(configured, "git", "ignore") : named;
  return [ofUser, join(commonDir, "info", "exclude")].map(textIn).join("\n");
}

/** Empty where there is none. */
function textIn(file: string): string {
  try {
    return readPlainFileNow(file, limits.snapshotFileBytes).toString();
  } catch {
    return "";
  }
}
