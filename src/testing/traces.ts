import { createHash } from "node:crypto";
import { git, type GitOptions, gitText, pathsOf } from "../runtime/workspace/git.ts";
import { commitAt, repositoryOf } from "../runtime/workspace/repository.ts";
import { changedPaths, scanTree, type Tree } from "../runtime/tree/scan.ts";

/** What can be seen from outside of the work of a run in a folder. */
export interface Traces {
  readonly files: Tree;
  /** Of the repository, by names that begin with `.git/`: its refs, its index, and objects that no commit names. */
  readonly repository: ReadonlyMap<string, string>;
}

/** Where the repository is that of the folder itself. With `known`, files that are as they were are not read again. */
export async function tracesOf(folder: string, known?: Traces): Promise<Traces> {
  const files = await scanTree(folder, { except: [], ...(known === undefined ? {} : { known: known.files }) });
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const repository = await repositoryOf(folder, env).catch(() => null);
  return { files, repository: repository === null ? new Map() : await inRepository({ cwd: repository.root, env }) };
}

/** Digest of each that differs, null of one that is gone. */
export function changedTraces(before: Traces, after: Traces): Record<string, string | null> {
  const names = new Set([...before.repository.keys(), ...after.repository.keys()]);
  const inGit = [...names].filter((name) => before.repository.get(name) !== after.repository.get(name));
  return Object.fromEntries(
    [...changedPaths(before.files, after.files), ...inGit].map((name) => [name, traceAt(after, name)]),
  );
}

export function traceAt({ files, repository }: Traces, name: string): string | null {
  return files.get(name)?.digest ?? repository.get(name) ?? null;
}

/**
 * The same for two runs that did the same at different times: of a commit its trees and messages count, and no hash.
 * What Trammel itself keeps there is none of it.
 */
async function inRepository(there: GitOptions): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const head = await gitText(["symbolic-ref", "--quiet", "HEAD"], there).catch(() => "detached");
  found.set(".git/HEAD", `${head} ${await historyOf("HEAD", there)}`);
  const refs = (await gitText(["for-each-ref", "--format=%(refname)"], there)).split("\n");
  for (const ref of refs.filter((name) => name !== "" && !name.startsWith("refs/trammel/")))
    found.set(`.git/${withoutRun(ref)}`, await historyOf(ref, there));
  for (const entry of pathsOf(await git(["ls-files", "--stage", "-z"], there))) {
    const [kind = "", path = ""] = entry.split("\t", 2);
    found.set(`.git/index/${path}`, kind);
  }
  const objects = ["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"];
  for (const line of (await gitText(objects, there)).split("\n")) {
    const [type = "", name = ""] = line.split(" ");
    if (type === "blob" || type === "tree") found.set(`.git/objects/${name}`, type);
  }
  return found;
}

/** The branch of a worktree is called by its run. */
function withoutRun(ref: string): string {
  return ref.replace(/^refs\/heads\/trammel\/[0-9a-z]+$/, "refs/heads/trammel/RUN");
}

async function historyOf(ref: string, there: GitOptions): Promise<string> {
  if ((await commitAt(ref, there)) === null)
    return gitText(["rev-parse", "--verify", "--quiet", ref], there).catch(noRef);
  const log = await git(["log", "--topo-order", "--no-show-signature", "--format=%T%n%B%x00", ref], there);
  const tag = await gitText(["for-each-ref", "--format=%(contents)", ref], there);
  return createHash("sha256").update(log).update(tag).digest("hex");
}

/** Of a branch without a commit. */
function noRef(): string {
  return "";
}
