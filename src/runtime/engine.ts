import { advance } from "../engine/advance.ts";
import { compile, type Plan } from "../graph/plan.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { Command } from "../model/commands.ts";
import type { JournalEvent, RunStarted, Worktree } from "../model/events.ts";
import { limits } from "../model/limits.ts";
import { isOver } from "../model/outcome.ts";
import { StoreUnavailable, type Conflict, type RunRow } from "../ports/journal.ts";
import type { Given } from "../ports/secrets.ts";
import { admit, type Admitted, refuse, treeOf } from "./admit.ts";
import type { Engine, ForkRequest, Observer, Refusal, ResumeRequest, RunEnd, RunHandle, StartRequest } from "./api.ts";
import type { Inside, InnerEngine } from "./children.ts";
import { Conductor } from "./conductor.ts";
import type { RunFacts } from "./context.ts";
import { type Inherited, inheritedOf, opening, returnTree } from "./fork.ts";
import { countersHint, isProblem, passesOfTask } from "./counters.ts";
import { blank, remember, type Memory } from "./memory.ts";
import type { EngineOptions } from "./options.ts";
import { resumption } from "./resume.ts";
import { setUp } from "./workspace/setup.ts";

/** Executes runs in this process. */
export function createEngine(options: EngineOptions): Engine {
  const running = new Set<string>();
  const hold = (conductor: Conductor): RunHandle => {
    running.add(conductor.run);
    const release = (): void => void running.delete(conductor.run);
    const closed = async (end: RunEnd): Promise<RunEnd> => {
      const { run, status } = end;
      // One that waits goes on in its tree as it is.
      if (status !== "waiting") await options.workspaces.close(run, status);
      release();
      if (isOver(status)) options.secrets.forget(run);
      return end;
    };
    const end = conductor.end.then(closed, async (error: unknown) => {
      await options.workspaces.close(conductor.run, "interrupted");
      release();
      throw error;
    });
    end.catch(() => undefined); // whoever holds the handle sees it
    return {
      run: conductor.run,
      end,
      stop: (by) => conductor.stop(by),
      deliver: (event) => conductor.deliver(event),
      park: () => conductor.park(),
    };
  };
  const inner: InnerEngine = {
    start: (request, observer, inside) => orUnavailable(() => start(parts, request, observer, inside)),
    resume: (request, observer, inside) => orUnavailable(() => resume(parts, request, observer, inside)),
  };
  const parts: Parts = { options, running, hold, inner };
  return {
    start: (request, observer) => orUnavailable(() => start(parts, request, observer)),
    resume: (request, observer) => orUnavailable(() => resume(parts, request, observer)),
    fork: (request, observer) => orUnavailable(() => fork(parts, request, observer)),
  };
}

interface Parts {
  readonly options: EngineOptions;
  readonly running: Set<string>;
  readonly hold: Hold;
  readonly inner: InnerEngine;
}

type Hold = (conductor: Conductor) => RunHandle;

async function orUnavailable(work: () => Promise<RunHandle | Refusal>): Promise<RunHandle | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable) return refuse("unavailable", error.message, error.hint);
    throw error;
  }
}

async function start(
  parts: Parts,
  request: StartRequest,
  observer: Observer,
  inside?: Inside,
  inherited?: Inherited,
): Promise<RunHandle | Refusal> {
  const { options } = parts;
  const admitted = await admit(request, options.performers, options.can);
  if ("refused" in admitted) return admitted;
  const run = inside?.run ?? options.ids.run();
  let journaled: Journaled | Refusal | undefined;
  try {
    journaled = await journalRun(parts, request, observer, run, admitted, inside, inherited);
  } finally {
    if (journaled === undefined || "refused" in journaled) await giveBack(options, run);
  }
  if ("refused" in journaled) return journaled;
  const { conductor, answer, commands, locksTree } = journaled;
  if (locksTree) await options.workspaces.begin(run);
  conductor.begin(answer, commands);
  return parts.hold(conductor);
}

/** What was kept and made for a run that came to nothing. */
async function giveBack({ secrets, workspaces }: EngineOptions, run: string): Promise<void> {
  secrets.forget(run);
  await workspaces.discard(run);
}

/** A run that is in the journal, with its first claims, and of which nothing is performed yet. */
interface Journaled {
  readonly conductor: Conductor;
  readonly answer: readonly JournalEvent[];
  readonly commands: readonly Command[];
  readonly locksTree: boolean;
}

async function journalRun(
  { options, inner }: Parts,
  request: StartRequest,
  observer: Observer,
  run: string,
  admitted: Admitted,
  inside: Inside | undefined,
  inherited: Inherited | undefined,
): Promise<Journaled | Refusal> {
  const taskId = request.taskId ?? run;
  const { blueprint } = request;
  const guarded = await options.secrets.guard(run, blueprint, { task: request.task, inputs: admitted.inputs });
  if ("missing" in guarded) return refuse("missing_capability", guarded.missing.join("\n"));
  const plan = planOf(blueprint);
  const { task, inputs } = guarded.given;
  const workspace = await options.workspaces.open({ run, blueprint, cwd: request.cwd });
  if ("problem" in workspace) return refuse("bad_input", workspace.problem, workspace.hint);
  const place = { cwd: workspace.cwd, project: inside?.project ?? request.cwd };
  const facts: RunFacts = { run, taskId, task, blueprint, inputs, ...place, ...boundTo(request, inside) };
  const unready = await setUp(options, facts);
  if (unready !== null) return unready;
  let conflict: Conflict | null = null;
  const started = startedOf(options, request, facts, guarded.recorded, workspace.worktree, inherited?.from);
  const tree = admitted.locksTree && inside === undefined ? treeOf(workspace.cwd) : null;
  const astray = await returnTree(options, run, tree, inherited);
  if (astray !== null) return astray;
  for (let tries = 0; tries < limits.startTries; tries += 1) {
    const passes = passesOfTask(options.journal, facts);
    if (isProblem(passes)) return refuse("unavailable", passes.problem, countersHint);
    const memory = blank(plan);
    const at = options.clock.now();
    const { events, commands } = opening(options, memory, [started, { type: "passes.synced", passes }], inherited, at);
    const row = {
      run,
      blueprint: blueprint.name,
      taskId,
      task,
      startedAt: at,
      cwd: request.cwd,
      owner: options.self,
      ...(inside === undefined ? {} : { parent: inside.parent }),
    };
    const stored = { ...row, definition: request.contentHash, tree };
    const answer = await options.journal.create(stored, request.document, events, at, documentsOf(request));
    if ("conflict" in answer) {
      conflict = answer;
      if (answer.conflict === "passes") continue; // another run of this task was faster: count anew
      break;
    }
    const conductor = new Conductor({ ...options, inner }, facts, observer, memory, () => reread(options, plan, run));
    return { conductor, answer, commands, locksTree: tree !== null };
  }
  const refusal = refuse("conflict", conflict?.what ?? "another process was faster", hintOf(conflict));
  return conflict?.holder === undefined ? refusal : { ...refusal, holder: conflict.holder };
}

/** What the run is bound to, as its nodes may need it. */
function boundTo(
  { contentHash, bindingHash, callees }: Pick<StartRequest, "contentHash" | "bindingHash" | "callees">,
  inside: Inside | undefined,
): Pick<RunFacts, "contentHash" | "bindingHash" | "callees" | "parent" | "outer"> {
  const hashes = { contentHash, bindingHash };
  if (inside === undefined) return { ...hashes, callees: callees ?? new Map() };
  const { parent, outer } = inside;
  return { ...hashes, callees: inside.callees, parent, ...(outer === undefined ? {} : { outer }) };
}

function documentsOf({ callees }: StartRequest): ReadonlyMap<string, string> {
  return new Map([...(callees ?? [])].map(([hash, { document }]) => [hash, document]));
}

function startedOf(
  options: EngineOptions,
  request: StartRequest,
  facts: RunFacts,
  recorded: Given,
  worktree: Worktree | undefined,
  from: RunStarted["fork"],
): RunStarted {
  const { taskId, blueprint } = facts;
  const { task, inputs } = recorded;
  const { file, contentHash, bindingHash, maxSteps, maxRetries, calls } = request;
  const { parent } = facts;
  return {
    type: "run.started",
    taskId,
    task,
    blueprint: blueprint.name,
    ...(file === undefined ? {} : { file }),
    contentHash,
    bindingHash,
    inputs,
    cwd: request.cwd,
    ...(worktree === undefined ? {} : { worktree }),
    ...(from === undefined ? {} : { fork: from }),
    owner: options.self,
    ...(parent === undefined ? {} : { parent }),
    ...(calls === undefined ? {} : { calls }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
  };
}

async function fork(parts: Parts, request: ForkRequest, observer: Observer): Promise<RunHandle | Refusal> {
  const { journal } = parts.options;
  const row = journal.find(request.run);
  const plan = planOf(request.start.blueprint);
  const inherited = inheritedOf(request, row, row === null ? [] : journal.read(row.run), plan);
  return "refused" in inherited ? inherited : start(parts, request.start, observer, undefined, inherited);
}

async function resume(
  parts: Parts,
  request: ResumeRequest,
  observer: Observer,
  inside?: Inside,
): Promise<RunHandle | Refusal> {
  const { options, running } = parts;
  const row = options.journal.find(request.run);
  if (row === null) return refuse("not_found", `there is no run ${request.run}`, "list them with trammel runs");
  const { run } = row;
  if (running.has(run)) return refuse("conflict", `run ${run} is executed by this process already`);
  // The store tells processes apart, not two callers in one: the run is this caller's before anything is waited for.
  running.add(run);
  let handle: RunHandle | Refusal | undefined;
  try {
    handle = await goOn(parts, request, row, observer, inside);
    return handle;
  } finally {
    if (handle === undefined || "refused" in handle) running.delete(run);
  }
}

async function goOn(
  { options, hold, inner }: Parts,
  request: ResumeRequest,
  row: RunRow,
  observer: Observer,
  inside: Inside | undefined,
): Promise<RunHandle | Refusal> {
  const { blueprint } = request;
  const plan = planOf(blueprint);
  const taken = await resumption(options, request, row, plan, boundTo(request, inside));
  if ("refused" in taken) return taken;
  const { memory, started, given, workspace, run, events: incoming } = taken;
  const { taskId, cwd: project } = started;
  const { task, inputs } = given;
  const at = options.clock.now();
  const { events, commands } = advance(memory.state, incoming, at);
  const answer = await options.journal.append(run, events, at);
  if ("conflict" in answer) return refuse("conflict", answer.what, hintOf(answer));
  const place = { cwd: workspace.cwd, project: inside?.project ?? project };
  const facts: RunFacts = { run, taskId, task, blueprint, inputs, ...place, ...boundTo(request, inside) };
  const conductor = new Conductor({ ...options, inner }, facts, observer, memory, () => reread(options, plan, run));
  conductor.begin(answer, commands);
  return hold(conductor);
}

const plans = new WeakMap<Blueprint, Plan>();

/** Compiled once for all runs of a blueprint. */
function planOf(blueprint: Blueprint): Plan {
  const known = plans.get(blueprint);
  if (known !== undefined) return known;
  const plan = compile(blueprint);
  plans.set(blueprint, plan);
  return plan;
}

function reread({ journal }: EngineOptions, plan: Plan, run: string): Memory {
  const remembered = remember(plan, journal.read(run));
  if (remembered === null) throw new Error(`the journal of run ${run} does not begin with its start`);
  return remembered.memory;
}

function hintOf(conflict: Conflict | null): string {
  return conflict?.conflict === "tree"
    ? "wait until it has ended, with --queue, or stop it"
    : "look at it with trammel runs and try again";
}
