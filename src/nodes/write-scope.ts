import { dirname, join } from "node:path";
import type { Node } from "../model/node.ts";
import { hookFolders } from "../model/hooks.ts";
import { limits } from "../model/limits.ts";
import type { NodeResult } from "../model/outcome.ts";
import { messageOf } from "../model/thrown.ts";
import type { ActionContext, Performer } from "../ports/performer.ts";
import { ScratchFailure } from "../runtime/scratch/scratch.ts";
import { backUp, type Backup } from "../runtime/tree/backup.ts";
import { gitFolderOf, settingsBefore, sharedSettings } from "../runtime/tree/git-folder.ts";
import { replaceIn } from "../runtime/tree/held.ts";
import { matcherOf, type PathMatcher, reachOf, selectorOf } from "../runtime/tree/globs.ts";
import { recordsIn } from "../runtime/tree/own-files.ts";
import { changedPaths, scanTree, type ScanOptions, type Tree } from "../runtime/tree/scan.ts";
import { shownName } from "../runtime/tree/names.ts";
import { asText, patchOf, textOf } from "./breach-patch.ts";
import { Occupancy, type Stay } from "./occupancy.ts";

/** Holds performers to what their nodes may write. */
export type WriteScope = (performer: Performer) => Performer;

export interface WriteScopeParts {
  /** In it Trammel itself writes while a node is at work, and to the records of the blueprint. */
  readonly dataFolder: string;
  /** Whether Trammel writes this absolute path, too. */
  readonly isOurs?: (file: string) => boolean;
  /** Files of a folder that git tracks though a .gitignore names them; rejects where it cannot tell. */
  readonly tracked?: (folder: string) => Promise<readonly string[]>;
  /** Applied to all that is told and kept of a breach: a file that it is about may hold a secret. */
  readonly mask: (text: string) => string;
}

/**
 * Compares the tree before and after a node: what it changed outside its `writes`, or within `workspace.protect`,
 * makes it fail and is taken back; what stood there is kept as a patch, masked. Where other nodes were at work in the
 * same tree nothing is taken back, since it could be theirs. Files that a .gitignore named beforehand are left alone,
 * unless `protect` names them or git tracks them all the same, which `tracked` tells of a folder, or they lie in a
 * folder of hooks that `writes` closes; where `tracked` cannot tell, the node does not start. What git keeps for
 * itself is left alone, too, unless a `.git/…` of `protect` or a `!.git/…` of `writes` names it: then the hooks and
 * settings of the repository are held, wherever it keeps them.
 */
export function createWriteScope({
  dataFolder,
  isOurs = () => false,
  tracked = () => Promise.resolve([]),
  mask,
}: WriteScopeParts): WriteScope {
  const trees = new Occupancy();
  return (performer) => ({
    ...performer,
    async perform(context) {
      const stay = trees.enter(context.cwd);
      try {
        if (isUnbound(context)) return await performer.perform(context);
        const held = await gitScopeOf(context, mask);
        const inner =
          held === null
            ? performer
            : { ...performer, perform: (one: ActionContext) => performHeld(held, performer, one, stay) };
        const scope = scopeOf(context, { dataFolder, isOurs, mask });
        if (scope === null) return await inner.perform(context);
        let also: readonly string[];
        try {
          also = await tracked(context.cwd);
        } catch (error) {
          return unwatched(error);
        }
        const [though, opened] = [alsoOf(scope.scan.though, also), alsoOf(scope.scan.opened, also)];
        const scan = { ...scope.scan, though, opened };
        return await performWithin({ ...scope, scan }, inner, context, stay);
      } finally {
        stay.leave();
      }
    },
  });
}

/** Neither the tree nor what Git keeps is held to anything: so it is with most nodes. */
function isUnbound({ node, blueprint }: ActionContext): boolean {
  return node.writes === undefined && (blueprint.workspace.protect ?? []).length === 0;
}

interface Scope {
  readonly root: string;
  /** Stands before the paths where people see them. */
  readonly prefix: "" | ".git/";
  readonly mask: WriteScopeParts["mask"];
  /** Looks only at what may not change. */
  readonly scan: ScanOptions & { readonly though: PathMatcher; readonly opened: PathMatcher };
}

function alsoOf(matcher: PathMatcher, paths: readonly string[]): PathMatcher {
  if (paths.length === 0) return matcher;
  const [files, folders] = [new Set(paths), new Set<string>()];
  for (const path of paths)
    for (let folder = dirname(path); folder !== "." && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  return {
    matches: (path) => files.has(path) || matcher.matches(path),
    mayHold: (path) => folders.has(path) || matcher.mayHold(path),
  };
}

function scopeOf(
  { node, blueprint, cwd }: ActionContext,
  { dataFolder, isOurs, mask }: Required<Omit<WriteScopeParts, "tracked">>,
): Scope | null {
  const { writes } = node;
  const protect = (blueprint.workspace.protect ?? []).filter((glob) => !isOfGit(glob));
  if (writes === undefined && protect.length === 0) return null;
  const [isOpen, closed] = [selectorOf(writes ?? []), matcherOf(protect)];
  const isRecord = recordsIn(cwd, blueprint.records);
  const only = (path: string): boolean =>
    (closed.matches(path) || (writes !== undefined && !isOpen(path))) && !isRecord(path) && !isOurs(join(cwd, path));
  const hooks = (writes ?? []).flatMap((glob) => (isHooks(glob) ? [glob.slice(1)] : []));
  const spelled = [...protect, ...(writes ?? []).map((glob) => glob.replace(/^!/, ""))].filter(isSpelled);
  const reaches = reachOf(writes ?? []);
  const onlyEmpty = (folder: string): boolean => closed.matches(folder) || !reaches(folder);
  const [though, opened] = [matcherOf([...protect, ...hooks]), matcherOf(spelled)];
  const scan = { except: [dataFolder], special: true, only, onlyEmpty, though, opened };
  return { root: cwd, prefix: "", mask, scan };
}

/** Whether it names what is left alone otherwise, in the tree. */
function isSpelled(glob: string): boolean {
  return !isOfGit(glob) && /(?:^|\/)(?:\.git|node_modules)(?:\/|$)/.test(glob);
}

/** Whether it closes a folder of hooks. */
function isHooks(glob: string): boolean {
  return hookFolders.some((folder) => glob.startsWith(`!${folder}/`));
}

function isOfGit(glob: string): boolean {
  return glob.startsWith(".git/");
}

/** What Git keeps for itself and the node may not change; null where that is nothing. */
async function gitScopeOf(
  { node, blueprint, cwd }: ActionContext,
  mask: WriteScopeParts["mask"],
): Promise<Scope | null> {
  const closed = (node.writes ?? []).flatMap((glob) => (glob.startsWith("!") ? [glob.slice(1)] : []));
  const globs = [...(blueprint.workspace.protect ?? []), ...closed]
    .filter(isOfGit)
    .map((glob) => glob.slice(".git/".length));
  const root = globs.length === 0 ? null : await gitFolderOf(cwd);
  if (root === null) return null;
  const held = matcherOf(globs);
  const counts: ScanOptions["counts"] = (path, content) =>
    path === "config" ? Buffer.from(sharedSettings(Buffer.from(content).toString("latin1")), "latin1") : content;
  const looked = { only: held.matches, into: held.mayHold, though: held, opened: held };
  return { root, prefix: ".git/", mask, scan: { except: [], special: true, ...looked, counts } };
}

/** Whatever else becomes of it, Git must find the same repository afterwards. */
async function performHeld<N extends Node>(
  scope: Scope,
  performer: Performer<N>,
  context: ActionContext<N>,
  stay: Stay,
): Promise<NodeResult> {
  const result = await performWithin(scope, performer, context, stay);
  if ((await gitFolderOf(context.cwd)) === scope.root) return result;
  return breached(result, context.node, "it changed what it may not: .git, which leads to another repository now");
}

function unwatched(error: unknown): NodeResult {
  const why = error instanceof ScratchFailure ? `${error.message}; ${error.hint}` : messageOf(error);
  const reason = { code: "could_not_start", text: `its writes cannot be watched: ${why}` } as const;
  return { outcome: "error", reason, beforeEffect: true };
}

async function performWithin<N extends Node>(
  { root, prefix, mask, scan }: Scope,
  performer: Performer<N>,
  context: ActionContext<N>,
  stay: Stay,
): Promise<NodeResult> {
  let backup: Backup;
  try {
    backup = await backUp(root, scan);
  } catch (error) {
    return unwatched(error);
  }
  try {
    const result = await performer.perform(context);
    const { tree: before, passed: since } = backup;
    let after: Tree;
    try {
      after = await scanTree(root, { ...scan, known: before, since });
    } catch (error) {
      return breached(result, context.node, `what it changed cannot be told: ${messageOf(error)}`);
    }
    const breaches = changedPaths(before, after);
    if (breaches.length === 0) return result;
    const kept = await context.can.blobs.put(Buffer.from(await patchOf(root, prefix, backup, breaches, mask)));
    const left = stay.isAlone ? await takeBack(root, prefix, backup, breaches) : breaches;
    const shown = (paths: readonly string[]): readonly string[] => paths.map((path) => `${prefix}${path}`);
    return breached(
      result,
      context.node,
      `${mask(said(shown(breaches), shown(left), stay.isAlone))}; what it wrote is kept in ${context.can.blobs.pathOf(kept)}`,
    );
  } finally {
    await backup.dispose();
  }
}

/** Puts everything back, what is new first; answers what could not be. */
async function takeBack(
  root: string,
  prefix: Scope["prefix"],
  backup: Backup,
  breaches: readonly string[],
): Promise<readonly string[]> {
  const order = breaches.toSorted((a, b) => Number(backup.tree.has(a)) - Number(backup.tree.has(b)));
  const left: string[] = [];
  for (const path of order) {
    const isSettings = prefix === ".git/" && path === "config";
    const now = isSettings ? await textOf(join(root, path)).catch(() => null) : null;
    const restored = await backup.restore(path).catch(() => false);
    const before = isSettings && restored ? asText(await backup.content(path)) : null;
    // Other runs may work in other trees of the repository meanwhile, on branches of their own.
    if (now !== null && before !== null) await replaceIn(root, join(root, path), settingsBefore(before, now));
    if (!restored) left.push(path);
  }
  return left;
}

function said(breaches: readonly string[], left: readonly string[], alone: boolean): string {
  const changed = `it changed what it may not: ${list(breaches)}`;
  if (!alone) return `${changed} (left as it is, since other nodes were at work in the same tree)`;
  return left.length === 0 ? `${changed} (taken back)` : `${changed} (taken back, but not ${list(left)})`;
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, limits.evidenceLines).map(shownName).join(", ");
  return paths.length <= limits.evidenceLines ? shown : `${shown} and ${paths.length - limits.evidenceLines} more`;
}

/**
 * A breach is a failure, but no stronger cause than a stop, a timeout or an
 * error; `expect: failure` does not turn it round.
 */
function breached(result: NodeResult, node: Node, text: string): NodeResult {
  const { option: _, value: __, ...rest } = result;
  const stronger = result.outcome === "cancelled" || result.outcome === "error" || result.reason?.code === "timeout";
  if (stronger) {
    const reason = {
      code: result.reason?.code ?? "internal",
      text: `${result.reason?.text ?? result.outcome}; ${text}`,
    } as const;
    return { ...rest, reason, beforeEffect: false };
  }
  const outcome = node.expect === "failure" ? "error" : "failure";
  return { ...rest, outcome, reason: { code: "write_scope", text }, beforeEffect: false };
}
