import { rmSync } from "node:fs";
import { join } from "node:path";
import type { RetentionConfig } from "../../config/config.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import { printSize } from "../../language/quantity.ts";
import { limits } from "../../model/limits.ts";
import { exitCodes, isOver } from "../../model/outcome.ts";
import type { BlobStore } from "../../ports/blobs.ts";
import type { Journal, ReadableJournal, RunRow } from "../../ports/journal.ts";
import type { LeavingRun } from "../../runtime/workspace/pruning.ts";
import { escaped } from "../../views/inert.ts";
import type { Pruned } from "../../wire/prune.ts";
import { patchFolder } from "../artifacts.ts";
import { dataHome } from "../store/home.ts";
import { jsonLine } from "../json.ts";
import { readConfig } from "../running/prepare.ts";
import { type PastRun, prunePlan, type PrunePlan } from "../prune/plan.ts";
import { bytesIn, bytesOf } from "../prune/sizes.ts";
import { namesIn } from "../documents/files.ts";
import { removeInputs } from "../prune/inputs.ts";
import { blobsOf, familyOf } from "../prune/used.ts";
import { type Problem, report } from "../problem.ts";
import { isUnlocked, locked, type Unlocked } from "../../runtime/lock.ts";
import { openStore, openStoreToRead } from "../store/stored-run.ts";
import type { World } from "../world.ts";

export interface PruneOptions {
  readonly dryRun?: true;
  readonly json?: true;
}

interface Store {
  readonly journal: ReadableJournal;
  readonly blobs: BlobStore;
  readonly home: string;
}

interface LeftBehind {
  /** The run and those inside it. */
  readonly family: readonly string[];
  /** Hashes of blobs that any of them may refer to. */
  readonly blobs: readonly string[];
}

/**
 * Removes what `retention` no longer keeps. First the journal forgets, then files go that nothing refers to: killed at
 * any point, the next time goes on, and nothing that is kept is ever without its files.
 */
export async function prune(world: World, options: PruneOptions): Promise<number> {
  const config = await readConfig(world, world.cwd);
  if (typeof config === "number") return config;
  const loaded = await loadConfig(world.cwd, world.env);
  const writer = options.dryRun === true ? null : await openStore(world);
  const journal = writer ?? (await openStoreToRead(world));
  try {
    const home = dataHome(world.env, world.cwd);
    const work = (): Promise<Pruned> => pruneStore(world, loaded, home, journal, writer);
    const pruned = writer === null ? await work() : await locked(join(home, "prune"), work, prunes);
    if (isUnlocked(pruned)) return report(world, beside(pruned));
    print(world, options, pruned);
    return exitCodes.ok;
  } finally {
    await journal.close();
  }
}

/** One at a time: what one puts aside to look at it, another would take for the rest of one that was killed. */
const prunes = { waitMs: limits.pruneLockMs };

function beside({ unlocked, hint }: Unlocked): Problem {
  return { exit: exitCodes.unavailable, message: `another prune is at work: ${unlocked}`, hint };
}

/** Only tells where there is no `writer`. */
async function pruneStore(
  world: World,
  loaded: LoadedConfig,
  home: string,
  journal: ReadableJournal,
  writer: Journal | null,
): Promise<Pruned> {
  const { openBlobs, pruneTrees, sweepBlobs } = await world.compose();
  const dryRun = writer === null;
  const store = { journal, blobs: openBlobs(home), home };
  const now = Date.now();
  const rows = journal.runs(Number.MAX_SAFE_INTEGER);
  const past = new Map(rows.map(({ run }) => [run, leftBy(journal, run)]));
  const plan = planOf(store, rows, past, loaded, now);
  // Before the journal forgets where they are: killed in between, the next time finds what is left.
  const trees = await pruneTrees({
    home,
    env: world.env,
    leaving: plan.history.flatMap((run) => leavingIn(journal, past.get(run)?.family ?? [])),
    isKnown: (run) => journal.find(run)?.run === run,
    inUse: rows.flatMap(({ status, tree }) => (isOver(status) || tree === null ? [] : [tree])),
    before: now - (loaded.user.retention.runs?.ageMs ?? limits.outputsKeptDefaultMs),
    dryRun,
    notice: (what) => world.err.write(`${escaped(what)}\n`),
  });
  const history = writer === null ? plan.history : await writer.remove(plan.history, now);
  const bare = new Set([...history, ...plan.outputs]);
  const patches = removePatches(store, new Set([...bare].flatMap((run) => past.get(run)?.family ?? [])), dryRun);
  if (!dryRun) removeInputs(home, journal, now - limits.scratchKeptMs);
  const kept = new Set([...past].flatMap(([run, { blobs }]) => (bare.has(run) ? [] : blobs)));
  const swept = await sweepBlobs(home, { isUsed: (hash) => kept.has(hash), before: sweepBefore(rows, now), dryRun });
  const { outputs } = plan;
  return { dryRun, history, outputs, ...trees, blobs: swept.blobs, bytes: swept.bytes + patches };
}

function leavingIn(journal: ReadableJournal, family: readonly string[]): readonly LeavingRun[] {
  return family.flatMap((run) => {
    const [first] = journal.read(run);
    return first?.body.type === "run.started" ? [{ run, started: first.body }] : [];
  });
}

function leftBy(journal: ReadableJournal, run: string): LeftBehind {
  const family = familyOf(journal, run);
  return { family, blobs: [...new Set(family.flatMap((one) => [...blobsOf(journal, one)]))] };
}

/** What a project says holds for runs in its folder; for all others, what the user says. */
function planOf(
  { blobs, home }: Store,
  rows: readonly RunRow[],
  past: ReadonlyMap<string, LeftBehind>,
  { config, user, project }: LoadedConfig,
  now: number,
): PrunePlan {
  const counted = new Set<string>();
  const pastOf = ({ run, status, endedAt }: RunRow): PastRun => {
    const { family = [], blobs: hashes = [] } = past.get(run) ?? {};
    const own = hashes.filter((hash) => !counted.has(hash));
    for (const hash of own) counted.add(hash);
    const patches = family.reduce((sum, one) => sum + bytesIn(patchFolder(home, one)), 0);
    const bytes = own.reduce((sum, hash) => sum + bytesOf(blobs.pathOf(hash)), patches);
    return { run, overAt: isOver(status) ? endedAt : null, bytes };
  };
  const isInside = ({ cwd }: RunRow): boolean => project !== null && `${cwd}/`.startsWith(`${project}/`);
  const plan = (which: readonly RunRow[], retention: RetentionConfig) => prunePlan(which.map(pastOf), retention, now);
  const inside = plan(rows.filter(isInside), config.retention);
  const others = plan(
    rows.filter((row) => !isInside(row)),
    user.retention,
  );
  return { history: [...inside.history, ...others.history], outputs: [...inside.outputs, ...others.outputs] };
}

/** Folders of runs that lose theirs, and of runs that a prune before took out of the journal. Answers their bytes. */
function removePatches({ journal, home }: Store, bare: ReadonlySet<string>, dryRun: boolean): number {
  let bytes = 0;
  for (const run of namesIn(join(home, "artifacts"))) {
    if (!bare.has(run) && journal.find(run)?.run === run) continue;
    const folder = patchFolder(home, run);
    bytes += bytesIn(folder);
    if (!dryRun) rmSync(folder, { recursive: true, force: true });
  }
  return bytes;
}

/** What a run at work was handed may stand in no record yet. */
function sweepBefore(rows: readonly RunRow[], now: number): number {
  const running = rows.filter(({ status }) => status === "running").map(({ startedAt }) => startedAt);
  return Math.min(now - limits.blobGraceMs, ...running);
}

function print(world: World, options: PruneOptions, pruned: Pruned): void {
  if (options.json === true) return world.out.write(jsonLine(pruned));
  const { dryRun, history, outputs, worktrees, refs, trees, blobs, bytes } = pruned;
  for (const run of history) world.out.write(`${run}  history\n`);
  for (const run of outputs) world.out.write(`${run}  outputs\n`);
  for (const path of worktrees) world.out.write(`${escaped(path)}  worktree\n`);
  const said = [
    `${history.length} from the history`,
    counted(refs, "picture of trees", "pictures of trees"),
    counted(trees, "index", "indices"),
    `${counted(blobs, "blob", "blobs")}, ${bytes === 0 ? "0B" : printSize(bytes)}`,
  ];
  world.err.write(`${dryRun ? "would remove" : "removed"} ${said.join(", ")}\n`);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
