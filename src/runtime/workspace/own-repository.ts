import { lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isOfTree } from "../tree/way.ts";
import { git, gitText, type GitOptions, pathInput, pathsOf } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Stronger than any .gitattributes of the tree. */
const verbatim = "* -text -filter -ident -working-tree-encoding -export-subst\n";

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
export async function addIgnored(own: GitOptions, there: GitOptions): Promise<void> {
  const paths: string[] = [];
  for (const [, inFolder] of Map.groupBy(await trackedThoughIgnored(there), dirname))
    if (await isOfTree(there.cwd, inFolder[0] ?? "")) paths.push(...inFolder);
  if (paths.length === 0) return;
  await git(["update-index", "--add", "--remove", "-z", "--stdin"], { ...own, input: pathInput(paths) });
}

/** Relative to a folder of a working tree, and below it. */
export async function trackedThoughIgnored(there: GitOptions): Promise<readonly string[]> {
  return pathsOf(await git(["ls-files", "--cached", "--ignored", "--exclude-standard", "-z"], there));
}

/** Ignore rules that stand outside the tree: those of the repository and those of the user. */
async function excludesOf({ commonDir }: Repository, there: GitOptions): Promise<string> {
  const named = await gitText(["config", "--type=path", "core.excludesFile"], there).catch(() => "");
  const configured = there.env["XDG_CONFIG_HOME"] ?? join(there.env["HOME"] ?? homedir(), ".config");
  const ofUser = named === "" ? join(configured, "git", "ignore") : named;
  const texts = [ofUser, join(commonDir, "info", "exclude")].map((file) => readFile(file, "utf8").catch(() => ""));
  return (await Promise.all(texts)).join("\n");
}
