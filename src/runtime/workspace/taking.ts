import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { limits } from "../../model/limits.ts";
import { nameBytes, nameText } from "../tree/names.ts";
import type { OwnFiles } from "../tree/own-files.ts";
import { git, GitFailure, gitText, pathInput, pathsOf, type GitOptions } from "./git.ts";
import { type IgnoreRules, linesOf, rulesOf } from "./ignore-rules.ts";
import { indexOf, inTurn } from "./index-turn.ts";
import { addAll, addBy, addNow, type Adding, writeWith } from "./nested.ts";
import { addTracked, isPrepared, prepare, rulesNow, trackedThoughIgnored } from "./own-repository.ts";
import { inQuarantine } from "./quarantine.ts";
import type { Repository } from "./repository.ts";

/** A picture, and what was ignored in it: of the tree itself, and of each repository inside. */
export interface Taken {
  readonly tree: string;
  readonly rules: readonly IgnoreRules[];
}

/** A working tree that pictures are taken of. */
export interface PicturedTree {
  /** The folder that stands for its `.git` then. */
  readonly gitDir: string;
  /** For commands of Git there. */
  readonly own: GitOptions;
  /** For commands in the repository of the user. */
  readonly there: GitOptions;
  /** One after the other; asks for the rules when its turn comes. Without any, by those that are there now. */
  take(rules: () => Promise<readonly IgnoreRules[] | null>): Promise<Taken>;
}

export interface Keeping {
  /** Absolute folder for the indices of all trees. */
  readonly folder: string;
  readonly env: GitOptions["env"];
  /** Where objects are kept: those of a tree inside another stand with that one's. */
  readonly objects: string;
}

const author = {
  GIT_AUTHOR_NAME: "Trammel",
  GIT_AUTHOR_EMAIL: "trammel@localhost",
  GIT_COMMITTER_NAME: "Trammel",
  GIT_COMMITTER_EMAIL: "trammel@localhost",
};

export async function openTree(repository: Repository, keeping: Keeping, leftOut: OwnFiles): Promise<PicturedTree> {
  const { root } = repository;
  const { folder, env, objects } = keeping;
  const gitDir = join(folder, indexOf(root));
  const set = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: root,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_COUNT: "0",
    ...author,
  };
  const own = { cwd: root, env, set };
  const slow = { ...own, timeoutMs: limits.snapshotMs };
  const there = { cwd: root, env };
  const ready = (): Promise<void> => prepare(repository, gitDir, own, there);
  await inTurn(gitDir, ready);
  const write = (
    held: GitOptions,
    add: Adding,
    rules: readonly IgnoreRules[] | null,
    mayLink: boolean,
  ): Promise<Taken> => writeTree({ repository, keeping, leftOut, gitDir }, { held, add, rules, mayLink });
  const pathspecs = async (): Promise<readonly string[]> => [
    ...(await notIgnored(leftOut.paths, own)).map((path) => `:(exclude,top,literal)${path}`),
    ...leftOut.globs.map((glob) => `:(exclude,top,glob)${glob}`),
  ];
  const takeNow = async (held: GitOptions): Promise<Taken> => {
    const left = await pathspecs();
    const tracked = await trackedThoughIgnored(there, ["--", ".", ...left]);
    const wasThere = existsSync(join(gitDir, "index"));
    const record = async (): Promise<Taken> => {
      await addTracked(tracked, held);
      const { tree, rules } = await write(held, addNow(left, held), null, true);
      return { tree, rules: [await rulesNow(root, gitDir, tracked, held), ...rules] };
    };
    const taken = await record();
    return (await adopt(gitDir, linesOf(taken.rules), wasThere)) ? record() : taken;
  };
  const takeBy = async (held: GitOptions, rules: readonly IgnoreRules[]): Promise<Taken> => {
    const [ofTree, ...others] = rules;
    const lines = linesOf(rules);
    await adopt(gitDir, lines, true);
    await addTracked(ofTree?.tracked ?? [], held);
    const left = await pathspecs();
    // Git itself is quicker with many rules in many folders, where they are what they were.
    const areMany = others.length === 0 && lines.length > limits.listedRules;
    const asNow = areMany && isDeepStrictEqual((await rulesNow(root, gitDir, [], held)).lines, lines);
    const add = asNow ? addNow(left, held) : addBy(join(gitDir, patternsName), left, held);
    const { tree } = await write(held, add, rules, areMany);
    return { tree, rules };
  };
  return {
    gitDir,
    own,
    there,
    take: (ask) =>
      inTurn(gitDir, async () => {
        // It may have been pruned since.
        if (!(await isPrepared(gitDir))) await ready();
        const rules = await ask();
        return recordAnew(gitDir, objects, slow, (held) => (rules === null ? takeNow(held) : takeBy(held, rules)));
      }),
  };
}

interface Place {
  readonly repository: Repository;
  readonly keeping: Keeping;
  readonly leftOut: OwnFiles;
  readonly gitDir: string;
}

interface Writing {
  readonly held: GitOptions;
  readonly add: Adding;
  readonly rules: readonly IgnoreRules[] | null;
  /** Whether the index may hold repositories inside though there were none. */
  readonly mayLink: boolean;
}

/** Answers the rules of the repositories inside. */
async function writeTree(place: Place, { held, add, rules, mayLink }: Writing): Promise<Taken> {
  const { repository, keeping, leftOut, gitDir } = place;
  const isLinked = mayLink || (rules ?? []).some((one) => one.root !== "");
  const nested = await addAll(repository.root, add, isLinked, held);
  if (nested.length === 0) return { tree: await gitText(["write-tree"], held), rules: [] };
  const trees: { readonly path: string; readonly tree: string }[] = [];
  const ofInside: IgnoreRules[] = [];
  for (const { path, repository: inner } of nested) {
    const format = { ...inner, objectFormat: repository.objectFormat };
    const opened = await openTree(format, keeping, within(leftOut, path));
    const taken = await opened.take(async () => (rules === null ? null : rulesOf(path, rules)));
    trees.push({ path, tree: taken.tree });
    ofInside.push(...taken.rules.map((one) => ({ ...one, root: join(path, one.root) })));
  }
  return { tree: await writeWith(trees, gitDir, held), rules: ofInside };
}

/** File of the folder that says by which rules its index was filled. */
const patternsName = "patterns";

/** Lets go of an index that was filled by other rules: it holds what these ignore. Answers whether it had to. */
async function adopt(gitDir: string, lines: readonly string[], wasThere: boolean): Promise<boolean> {
  const file = join(gitDir, patternsName);
  const text = lines.map((line) => `${line}\n`).join("");
  const before = await readFile(file).then(nameText, () => null);
  if (before === text) return false;
  if (wasThere) await rm(join(gitDir, "index"), { force: true });
  await writeFile(file, nameBytes(text));
  return wasThere;
}

/** With what was known before; where that fails, without. */
async function recordAnew(
  gitDir: string,
  objects: string,
  own: GitOptions,
  record: (held: GitOptions) => Promise<Taken>,
): Promise<Taken> {
  try {
    return await inQuarantine(objects, own, record);
  } catch (error) {
    if (error instanceof GitFailure && error.isSlow) throw error;
    // An index of long ago may name objects that are gone by now, and a lock may be left of a process that is.
    for (const name of ["index", "index.lock"]) await rm(join(gitDir, name), { force: true });
    return inQuarantine(objects, own, record);
  }
}

/** As it is said from a tree inside. */
function within({ paths, globs }: OwnFiles, path: string): OwnFiles {
  const prefix = `${path}/`;
  const inside = (all: readonly string[]): readonly string[] =>
    all.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  return { paths: inside(paths), globs: inside(globs) };
}

/** Git refuses to be told to leave out what it ignores anyway. */
async function notIgnored(paths: readonly string[], own: GitOptions): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  // It ends with 1 where none of them is ignored.
  const asked = git(["check-ignore", "-z", "--stdin"], { ...own, input: pathInput(paths) });
  const known = new Set(pathsOf(await asked.catch(() => Buffer.alloc(0))));
  return paths.filter((path) => !known.has(path));
}
