import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OwnFiles } from "../tree/own-files.ts";
import { git, gitText, pathsOf, type GitOptions } from "./git.ts";
import { type IgnoreRules, rulesIn, rulesLine } from "./ignore-rules.ts";
import { inTurn } from "./index-turn.ts";
import { modeLines, modesIn } from "./modes.ts";
import { commitAt, type Repository, treeAt } from "./repository.ts";
import { restorePaths } from "./restore.ts";
import { openTree } from "./taking.ts";

/**
 * Pictures of a working tree: tracked files and untracked ones, without the ignored, byte for byte, those of submodules
 * and of other repositories inside it included. They are objects of the repository under `refs/trammel/`, taken with an
 * index, a configuration and attributes of our own, so that no hook or filter runs and the user's index stays as it is.
 * Paths are relative to the root, as `nameText` reads them.
 */
export interface Snapshots {
  /** Absolute folder of the tree. */
  readonly root: string;
  /** Takes a picture and answers its tree; one after the other. */
  take(): Promise<string>;
  /**
   * Keeps a tree under a ref, and with it a commit: the one that is checked out
   * when absent. Answers the commit that the ref leads to.
   */
  keep(ref: string, tree: string, commit?: string): Promise<string>;
  /** The tree that a ref keeps, or null. */
  kept(ref: string): Promise<string | null>;
  /** Repositories inside the tree when the first picture of a run was taken, by its ref; null where nothing tells. */
  repositories(first: string): Promise<readonly string[] | null>;
  /** Paths that differ. */
  changed(from: string, to: string): Promise<readonly string[]>;
  /** Unified, binary files included. */
  diff(from: string, to: string): Promise<Buffer>;
  /**
   * Makes these paths what they are in a tree, by its name or what keeps it, and touches no other. Answers those
   * that it could not. A folder that is left empty goes, unless it is older than what is kept under the ref.
   */
  restore(from: string, paths: readonly string[]): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

/**
 * `folder` holds the indices of all trees; what is read once is not read again while it stays as it is. `since` is the
 * ref of the first picture of a run: what was ignored then, and nothing else, is left out of all that follow it, so
 * that nothing hides or shows itself by rules of its own. Until it is kept, the rules of the moment hold.
 */
export async function openSnapshots(
  repository: Repository,
  folder: string,
  env: GitOptions["env"],
  leftOut: OwnFiles = { paths: [], globs: [] },
  since?: string,
): Promise<Snapshots> {
  const { root, commonDir } = repository;
  const keeping = { folder, env, objects: join(commonDir, "objects") };
  const pictured = await openTree(repository, keeping, leftOut);
  const { gitDir, own, there } = pictured;
  let rules: readonly IgnoreRules[] | null = null;
  let latest: readonly IgnoreRules[] = [];
  return {
    root,
    async take() {
      const taken = await pictured.take(
        async () => (rules ??= since === undefined ? null : await rulesAt(since, there)),
      );
      latest = taken.rules;
      return taken.tree;
    },
    async keep(ref, tree, at) {
      const head = at ?? (await commitAt("HEAD", there));
      const modes = await modeLines(own, tree);
      const first = ref === since ? rulesLine(latest) : "";
      const message = `${ref}\n\n${timeKey}${await fileTime(gitDir)}\n${first}${modes}`;
      const parents = head === null ? [] : ["-p", head];
      const commit = await gitText(["commit-tree", tree, ...parents], { ...own, input: message });
      await git(["update-ref", ref, commit], there);
      if (ref === since) rules = latest;
      return commit;
    },
    kept: (ref) => treeAt(ref, there),
    async repositories(first) {
      const known = await rulesAt(first, there);
      return known === null ? null : known.flatMap((one) => (one.root === "" ? [] : [one.root]));
    },
    changed: async (from, to) =>
      pathsOf(await git(["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to], own)),
    diff: (from, to) => git(["diff-tree", "-r", "-p", "--binary", "--no-ext-diff", "--no-textconv", from, to], own),
    async restore(from, paths) {
      const tree = await gitText(["rev-parse", "--verify", `${from}^{tree}`], there);
      const commit = await messageOf(from, there);
      const said = commit.split("\n").find((line) => line.startsWith(timeKey));
      const since = said === undefined ? null : Number(said.slice(timeKey.length));
      const restoring = { root, own, index: join(gitDir, "restore-index"), tree, since, modes: modesIn(commit) };
      return inTurn(gitDir, () => restorePaths(restoring, paths));
    },
    dispose: () => rm(gitDir, { recursive: true, force: true }),
  };
}

async function rulesAt(ref: string, there: GitOptions): Promise<readonly IgnoreRules[] | null> {
  return rulesIn(await messageOf(ref, there));
}

/** Of the commit that a name leads to; empty where it leads to none. */
async function messageOf(name: string, there: GitOptions): Promise<string> {
  return gitText(["cat-file", "commit", name], there).catch(() => "");
}

/** Line of the commit that keeps a picture: when, in milliseconds since the epoch. */
const timeKey = "Taken-at: ";

/** By the clock that tells how old a folder is. */
async function fileTime(gitDir: string): Promise<number> {
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  const file = join(gitDir, "time");
  await writeFile(file, "");
  return (await stat(file)).mtimeMs;
}
