import { advance } from "../engine/advance.ts";
import { isOver } from "../model/outcome.ts";
import { StoreUnavailable, type RunRow } from "../ports/journal.ts";
import { refuse } from "./admission/admit.ts";
import type { Engine, ForkRequest, Observer, Refusal, ResumeRequest, RunEnd, RunHandle } from "./api.ts";
import type { InnerEngine, Inside } from "./inner/children.ts";
import { Conductor } from "./conductor.ts";
import type { RunFacts } from "./context.ts";
import { charging, isProblem } from "./counters/counters.ts";
import { inheritedOf } from "./lifecycle/fork.ts";
import type { EngineOptions } from "./options.ts";
import { boundTo, hintOf, type Parts, planOf, reread } from "./lifecycle/parts.ts";
import { resumption } from "./lifecycle/resume.ts";
import { start } from "./lifecycle/start.ts";

/** Executes runs in this process. */
export function createEngine(options: EngineOptions): Engine {
  const running = new Set<string>();
  const hold: Parts["hold"] = (conductor, isNew) => {
    running.add(conductor.run);
    // Nobody goes on with the run while an attempt that was left behind may still act.
    const release = (): void => {
      const left = conductor.leftBehind();
      if (left === null) running.delete(conductor.run);
      else void left.then(() => running.delete(conductor.run));
    };
    const closed = async (end: RunEnd): Promise<RunEnd> => {
      const { run, status } = end;
      // One that waits goes on in its tree as it is.
      if (status !== "waiting") await options.workspaces.close(run, status);
      const mayHold = isOver(status) && (!isNew || conductor.holdsRuns);
      let inside: readonly string[] = [];
      try {
        if (mayHold) inside = leftInside(options.journal, run);
        await options.closed?.(run, status, inside);
      } finally {
        release();
        if (isOver(status)) for (const one of [run, ...inside]) options.secrets.forget(one);
      }
      return end;
    };
    const end = conductor.end.then(closed, async (error: unknown) => {
      await options.workspaces.close(conductor.run, "interrupted");
      // Why the run broke off is what its holder is to know.
      await options.closed?.(conductor.run, "interrupted", []).catch(() => undefined);
      release();
      throw error;
    });
    end.catch(() => undefined); // whoever holds the handle sees it
    return {
      run: conductor.run,
      end,
      stop: (by) => conductor.stop(by),
      deliver: (event) => conductor.deliver(event),
      leave: (how) => conductor.leave(how),
      canLeave: (how) => conductor.canLeave(how),
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

/** Runs inside one that is over, with which a decision might have gone on. */
function leftInside(journal: EngineOptions["journal"], run: string): readonly string[] {
  return journal
    .runs(Number.MAX_SAFE_INTEGER, run)
    .flatMap((row) => [...(isOver(row.status) ? [] : [row.run]), ...leftInside(journal, row.run)]);
}

async function orUnavailable(work: () => Promise<RunHandle | Refusal>): Promise<RunHandle | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreUnavailable) return refuse("unavailable", error.message, error.hint);
    throw error;
  }
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
    if ("refused" in handle) await options.journal.giveBack(run);
    return handle;
  } finally {
    if (handle === undefined || "refused" in handle) {
      running.delete(run);
      await options.workspaces.discard(run);
    }
  }
}

/** What the run goes on with, should it not be what it started with. */
function documentsOf(request: ResumeRequest): ReadonlyMap<string, string> {
  const { acceptChanges, document, contentHash, binding, bindingHash } = request;
  if (!acceptChanges || document === undefined) return new Map();
  const callees = [...(request.callees ?? [])].map(([hash, callee]) => [hash, callee.document] as const);
  const bound = binding === undefined ? [] : [[bindingHash, binding] as const];
  return new Map([...callees, ...bound, [contentHash, document]]);
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
  const { memory, started, given, workspace, run, events: incoming, taken: messages } = taken;
  const { taskId, cwd: project, acceptRisk } = started;
  const { task, inputs } = given;
  const place = { cwd: workspace.cwd, project: inside?.project ?? project };
  const accepted = acceptRisk === undefined ? {} : { acceptRisk };
  const account = row.parent?.blueprint ?? row.blueprint;
  const facts: RunFacts = {
    run,
    taskId,
    task,
    blueprint,
    account,
    inputs,
    ...place,
    ...accepted,
    ...boundTo(request, inside),
  };
  const at = options.clock.now();
  const { events, commands } = advance(memory.state, incoming, at);
  const append = () => options.journal.append(run, events, at, messages, documentsOf(request));
  const answer = await charging(facts, events, append, { signal: request.signal, told: options.notice });
  if (isProblem(answer)) return refuse("unavailable", answer.problem, answer.hint);
  if ("conflict" in answer) return refuse("conflict", answer.what, hintOf(answer));
  const conductor = new Conductor({ ...options, inner }, facts, observer, memory, () => reread(options, plan, run));
  conductor.begin(answer, commands);
  return hold(conductor, false);
}
