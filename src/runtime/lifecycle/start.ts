import type { Command } from "../../model/commands.ts";
import type { JournalEvent, RunStarted } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Worktree } from "../../model/worktree.ts";
import type { Conflict, Wanted } from "../../ports/journal.ts";
import type { Given } from "../../ports/secrets.ts";
import { admit, type Admitted, calleesOf, refuse, treeOf } from "../admission/admit.ts";
import type { Observer, Refusal, RunHandle, StartRequest } from "../api.ts";
import type { Inside } from "../inner/children.ts";
import { Conductor } from "../conductor.ts";
import type { RunFacts } from "../context.ts";
import { charging, isProblem, passesOfTask } from "../counters/counters.ts";
import { forkOf, holdsPlace, type Inherited, opening, returnTree } from "./fork.ts";
import { blank } from "../memory/memory.ts";
import { clearPlace } from "./left-over.ts";
import type { EngineOptions } from "../options.ts";
import { boundTo, hintOf, type Parts, planOf, reread } from "./parts.ts";
import { inTurn, keyOf } from "./turn.ts";
import { setUp } from "../workspace/setup.ts";

/** A new run: admitted, in the journal with its first claims, and only then performed. */
export async function start(
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
    if (journaled === undefined || "refused" in journaled) await giveBack(options, run, request, inherited);
  }
  if ("refused" in journaled) return journaled;
  const { conductor, answer, commands, locksTree } = journaled;
  if (locksTree) await options.workspaces.begin(run);
  conductor.begin(answer, commands);
  return parts.hold(conductor, true);
}

/** What was kept and made for a run that came to nothing. */
async function giveBack(
  { secrets, workspaces, journal }: EngineOptions,
  run: string,
  { turn }: StartRequest,
  inherited: Inherited | undefined,
): Promise<void> {
  secrets.forget(run);
  await workspaces.discard(run);
  // A store that is gone has no places either.
  if (turn !== undefined || holdsPlace(inherited)) await journal.leave(run).catch(() => undefined);
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
  const lacking = await options.secrets.lacking(inside === undefined ? calleesOf(request) : []);
  if ("missing" in guarded || lacking.length > 0) {
    const missing = "missing" in guarded ? guarded.missing : [];
    return refuse("missing_capability", [...new Set([...missing, ...lacking])]);
  }
  const plan = planOf(blueprint);
  const { task, inputs } = guarded.given;
  const wanted = await wantedBy(options, request, run, admitted, guarded.given, inside);
  if ("refused" in wanted) return wanted;
  const early =
    (await inTurn(options, wanted, request.turn, holdsPlace(inherited))) ?? (await clearPlace(options.journal, wanted));
  if (early !== null) return early;
  const { cwd, signal } = request;
  const workspace = await options.workspaces.open({ run, blueprint, cwd, signal, ...forkOf(inherited) });
  if ("problem" in workspace) return refuse("bad_input", workspace.problem, workspace.hint);
  const account = inside?.parent.blueprint ?? blueprint.name;
  const place = { cwd: workspace.cwd, project: inside?.project ?? request.cwd, account };
  const accepted = request.acceptRisk === undefined ? {} : { acceptRisk: request.acceptRisk };
  const facts: RunFacts = { run, taskId, task, blueprint, inputs, ...place, ...accepted, ...boundTo(request, inside) };
  const unready = await setUp(options, facts, signal);
  if (unready !== null) return unready;
  let conflict: Conflict | null = null;
  const started = startedOf(options, request, facts, guarded.recorded, workspace.worktree, inherited?.from);
  const tree = admitted.locksTree && inside === undefined ? treeOf(workspace.cwd) : null;
  const astray = await returnTree(options, run, inherited);
  if (astray !== null) return astray;
  const wait = { signal, told: options.notice };
  for (let tries = 0; tries < limits.startTries; tries += 1) {
    const passes = await passesOfTask(options.journal, facts, wait);
    if (isProblem(passes)) return refuse("unavailable", passes.problem, passes.hint);
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
    const stored = { ...row, definition: request.contentHash, tree, key: wanted.key };
    const create = () => options.journal.create(stored, request.document, events, at, documentsOf(request));
    const answer = await charging(facts, events, create, wait);
    if (isProblem(answer)) return refuse("unavailable", answer.problem, answer.hint);
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

/** What it needs to itself before a tree is made for it; a worktree is its own. */
async function wantedBy(
  options: EngineOptions,
  { blueprint, cwd }: StartRequest,
  run: string,
  { locksTree }: Admitted,
  given: Given,
  inside: Inside | undefined,
): Promise<Wanted | Refusal> {
  const wanted = { run, blueprint: blueprint.name, owner: options.self };
  if (inside !== undefined) return { ...wanted, tree: null, key: null };
  const key = await keyOf(blueprint, given, cwd, options);
  if ("refused" in key) return key;
  const shares = !locksTree || blueprint.workspace.isolate === "worktree";
  return { ...wanted, ...key, tree: shares ? null : treeOf(cwd) };
}

function documentsOf({ callees, binding, bindingHash }: StartRequest): ReadonlyMap<string, string> {
  const documents = new Map([...(callees ?? [])].map(([hash, { document }]) => [hash, document]));
  return binding === undefined ? documents : documents.set(bindingHash, binding);
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
  const { file, contentHash, bindingHash, maxSteps, maxRetries, acceptRisk, calls } = request;
  const { parent } = facts;
  return {
    type: "run.started",
    taskId,
    task,
    blueprint: blueprint.name,
    ...(file === undefined ? {} : { file }),
    contentHash,
    bindingHash,
    limits: blueprint.limits,
    inputs,
    cwd: request.cwd,
    ...(worktree === undefined ? {} : { worktree }),
    ...(options.cassettes === undefined || parent !== undefined ? {} : { cassettes: options.cassettes }),
    ...(from === undefined ? {} : { fork: from }),
    owner: options.self,
    ...(parent === undefined ? {} : { parent }),
    ...(calls === undefined ? {} : { calls }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(acceptRisk === undefined ? {} : { acceptRisk }),
  };
}
