import { mkdir, rm } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compile } from "../../graph/plan.ts";
import type { EventBody, JournalEvent } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import { exitCodeOf } from "../../model/outcome.ts";
import { reasonsOf } from "../../runtime/admission/admit.ts";
import type { Observer, RunEnd, RunHandle, StartRequest } from "../../runtime/api.ts";
import { endOf } from "../../runtime/inner/child-end.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { escalationBlock, escalationOf } from "../../views/escalation.ts";
import { prepareGround } from "../../testing/ground.ts";
import { walksInside } from "../../testing/inside.ts";
import { type Failure, judge, type Observed, withoutEffect } from "../../testing/judge.ts";
import { Stage, type StageOptions } from "../../testing/stage.ts";
import { type Walk, walkOf } from "../../testing/walk.ts";
import { evidenceOf } from "../asking/evidence.ts";
import { unattendedGates } from "../asking/gate.ts";
import { packageRoot } from "../documents/package-root.ts";
import { temporaryFolder } from "../../runtime/scratch/scratch.ts";
import { boundBy } from "../running/prepare.ts";
import type { Services } from "../services.ts";
import { noteEscalation } from "../running/state-file.ts";
import type { World } from "../world.ts";
import type { Suite, SuiteCase } from "./suite.ts";

/** Folders of one test. */
export interface Site {
  /** Holds the two others. */
  readonly folder: string;
  readonly home: string;
  /** Where the run works. */
  readonly tree: string;
}

export interface Performed {
  readonly failures: readonly Failure[];
  readonly walk: Walk | null;
  readonly run: string | null;
  /** In what recordings differed that were played all the same. */
  readonly differences: readonly string[];
}

/** A fresh place for a test, with its fixture; rejects where it cannot be made. */
export async function newSite({ test }: SuiteCase, { folder: beside }: Suite): Promise<Site> {
  const folder = temporaryFolder("trammel-test-");
  const site = { folder, home: join(folder, "home"), tree: join(folder, "tree") };
  try {
    await mkdir(site.home);
    await prepareGround(site.tree, test, beside);
    return site;
  } catch (error) {
    await removeSite(site);
    throw error;
  }
}

export async function removeSite({ folder }: Site): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

interface StageMore extends Pick<StageOptions, "from" | "witness" | "journal"> {
  /** Plays recordings of other prompts too. */
  readonly loose?: boolean;
}

/** Services whose world is a stage. */
export async function openStage(
  world: World,
  one: SuiteCase,
  { home, tree }: Site,
  { loose, ...more }: StageMore = {},
): Promise<Services & { readonly stage: Stage }> {
  const { openServices } = await world.compose();
  const { prepared, test } = one;
  const stage = new Stage({ test, nodes: one.nodes, clock: systemClock, ...more });
  const services = await openServices({
    home,
    cwd: tree,
    env: environmentOf(world, one),
    config: prepared.config,
    blueprint: prepared.blueprint,
    callees: [...prepared.callees.values()].map(({ blueprint }) => blueprint),
    plugins: prepared.plugins,
    gates: unattendedGates,
    ...(loose === undefined ? {} : { loose }),
    ownFolders: [packageRoot()],
    stage,
    notice: () => undefined,
  });
  const close = async (): Promise<void> => {
    stage.clock.close();
    await services.close();
  };
  return { ...services, stage, close };
}

/** A test never sees a real secret: one that it does not give has a value that stands for it. */
function environmentOf({ env }: World, { nodes, test }: SuiteCase): World["env"] {
  const names = [...nodes.values()].flatMap((node) => node.secrets ?? []);
  const secrets = Object.fromEntries(names.map((name) => [name, `secret-${name}-of-a-test`]));
  return { ...env, ...secrets, ...test.env };
}

export function requestOf({ prepared, test }: SuiteCase, { tree }: Site): StartRequest {
  const { blueprint, document } = prepared;
  return {
    ...boundBy(prepared),
    file: document.file,
    task: test.task ?? "",
    taskId: test.taskId ?? "test",
    inputs: Object.fromEntries((test.inputs ?? []).map(({ name, value }) => [name, value])),
    cwd: resolve(tree, blueprint.workspace.cwd ?? "."),
  };
}

export interface PerformOptions {
  readonly loose?: boolean;
  /** Ends it early. */
  readonly stop: AbortSignal;
}

/** Carries a test out and judges it. */
export async function perform(
  world: World,
  one: SuiteCase,
  site: Site,
  { loose = false, stop }: PerformOptions,
): Promise<Performed> {
  const services = await openStage(world, one, site, { loose });
  const differences: string[] = [];
  const observer: Observer = {
    event: () => undefined,
    progress(_, progress) {
      if (loose && progress.kind === "agent" && progress.event.type === "text" && unfit.test(progress.event.text))
        differences.push(progress.event.text);
    },
  };
  try {
    const handle = await services.engine.start(requestOf(one, site), observer);
    if ("refused" in handle) {
      const failures = [{ what: "start", expected: "a run", actual: reasonsOf(handle) }];
      return { failures, walk: null, run: null, differences };
    }
    const end = await bounded(handle, stop);
    const observed = await observe(services, one, site, end);
    const missing = services.stage.missing.map((actual) => ({ what: "nodes", expected: "an outcome", actual }));
    const failures = [...missing, ...(await judge(one.test.expect, observed)), ...withoutEffect(one.test, observed)];
    return { failures, walk: observed.walk, run: end.run, differences };
  } finally {
    await services.close();
  }
}

/** What the player of recordings says first where they are of another prompt. */
const unfit = /^\S+ does not fit and is played all the same: /;

export const silent: Observer = { event: () => undefined, progress: () => undefined };

/** A run that does not come to its end within `limits.testRunMs` is stopped. */
export async function bounded(handle: RunHandle, stop: AbortSignal): Promise<RunEnd> {
  const end = (): void => handle.stop("the test");
  const disarm = systemClock.after(limits.testRunMs, end);
  if (stop.aborted) end();
  stop.addEventListener("abort", end, { once: true });
  try {
    return await handle.end;
  } finally {
    disarm();
    stop.removeEventListener("abort", end);
  }
}

/** What came of a run, by its journal and the tree. */
export async function observe(
  { journal, blobs }: Services,
  { prepared }: SuiteCase,
  { tree }: Site,
  { run, status, reason }: RunEnd,
): Promise<Observed> {
  const { blueprint } = prepared;
  const events = [...journal.read(run)];
  const { outputs } = await endOf({ journal, blobs, run, blueprint });
  return {
    walk: walkOf(
      compile(blueprint),
      events.map(({ body }) => body),
      walksInside(journal, run, blueprint, prepared.callees),
    ),
    status,
    exit: exitCodeOf(status),
    reason,
    escalation: escalated(journal, events, run, blueprint.records, tree),
    outputs: outputs ?? {},
    fileText: filesOf(events[0]?.body, tree),
  };
}

function escalated(
  journal: Services["journal"],
  events: readonly JournalEvent[],
  run: string,
  records: SuiteCase["prepared"]["blueprint"]["records"],
  tree: string,
): Observed["escalation"] {
  const halt = events.findLast(({ body }) => body.type === "run.halting")?.body;
  const taskId = events[0]?.body.type === "run.started" ? events[0].body.taskId : run;
  const escalation = halt?.type === "run.halting" ? escalationOf(taskId, halt) : null;
  if (escalation === null || halt?.type !== "run.halting") return null;
  const block = escalationBlock(escalation, evidenceOf(journal, run, halt));
  // As the command line does, so that the state file can be expected too.
  noteEscalation(escalation, records, tree, Date.now());
  const evidence = /^evidence: ([^]*)\nnext_action: /m.exec(block)?.[1] ?? "";
  const { node, iteration, reason } = escalation;
  return { block, fields: { node, iteration: `${iteration.n}/${iteration.max}`, reason, evidence } };
}

/**
 * Files where the run worked: the tree, or its worktree, and where that is cleared away the branch that is left of it.
 */
function filesOf(started: EventBody | undefined, tree: string): Observed["fileText"] {
  const worktree = started?.type === "run.started" ? started.worktree : undefined;
  if (worktree === undefined) return (path) => textOf(join(tree, path));
  if (existsSync(worktree.root)) return (path) => textOf(join(worktree.root, path));
  return (path) => {
    const { status, stdout } = spawnSync("git", ["show", `${worktree.branch}:${path}`], {
      cwd: tree,
      encoding: "utf8",
    });
    return status === 0 ? stdout : null;
  };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
