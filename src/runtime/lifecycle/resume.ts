import { isDeepStrictEqual } from "node:util";
import { unfinished } from "../../engine/ending/unfinished.ts";
import { item } from "../../graph/ints.ts";
import { nodeIndex, type Plan } from "../../graph/plan.ts";
import type { Bound } from "../../model/bound.ts";
import type { Node, NodeType } from "../../model/node.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { EventBody, NodeSettled, RunResumed, RunStarted } from "../../model/events.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import { limits } from "../../model/limits.ts";
import { isReopenable, type NodeResult, type Reason } from "../../model/outcome.ts";
import type { Conflict, Message, RunRow } from "../../ports/journal.ts";
import type { Given } from "../../ports/secrets.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { calleesOf, missingIn, refuse, refuseMissing } from "../admission/admit.ts";
import type { Refusal, ResumeRequest } from "../api.ts";
import { contextOf, type RunFacts } from "../context.ts";
import { isProblem, passesOfTask, storedPasses } from "../counters/counters.ts";
import { findEffect } from "../admission/effect.ts";
import { stillUsedUp } from "./again.ts";
import { astray } from "./astray.ts";
import { clearPlace } from "./left-over.ts";
import { remember, type Memory } from "../memory/memory.ts";
import type { EngineOptions } from "../options.ts";
import { endOrphans, endTree } from "../processes/custody.ts";
import { isSame } from "../processes/identity.ts";
import { repeatedBy } from "./repeatable.ts";
import { onwards, settlement } from "./settlement.ts";
import { shellWord } from "../../model/shell.ts";
import { unsaidBy } from "../memory/unsaid.ts";
import { usageOfUnconfirmed, usedOptions } from "../../model/usage.ts";
import { told } from "../time/wait.ts";
import { RunValues } from "../values.ts";

export interface Resumption {
  readonly run: string;
  readonly started: RunStarted;
  /** What it was started with, secrets included. */
  readonly given: Given;
  readonly workspace: Workspace;
  readonly memory: Memory;
  /** What the new owner finds and what was decided, to be advanced and committed first. */
  readonly events: readonly EventBody[];
  /** The messages that some of them came by. */
  readonly taken: readonly number[];
}

/**
 * Takes a run over from an engine that is gone: one winner, nothing of the dead engine left running, and every claim
 * without an outcome settled by what its author declared or a person decided, or else named unconfirmed.
 */
export async function resumption(
  options: EngineOptions,
  request: ResumeRequest,
  row: RunRow,
  plan: Plan,
  bound: Omit<RunFacts, "run" | "taskId" | "blueprint" | "account" | "cwd" | "project" | "task" | "inputs">,
): Promise<Resumption | Refusal> {
  const { journal, self } = options;
  if (row.parent !== undefined && bound.parent === undefined && request.stop === undefined) {
    const { run, node } = row.parent;
    const message = `run ${row.run} is part of ${node} in run ${run}`;
    return refuse("conflict", message, `go on with that one: trammel resume ${run}`);
  }
  const remembered = remember(plan, journal.read(row.run));
  if (remembered === null)
    return refuse("unavailable", `the journal of run ${row.run} does not begin with its start`, "start the task anew");
  const { memory, started, last } = remembered;
  const refused = cannotResume(options, request, row, memory);
  if (refused !== null) return refused;
  const stopping = request.stop !== undefined;
  const change = stopping ? null : changeOf(request, memory);
  const unfit = change === null ? null : cannotChange(change, request, bound.callees, journal);
  if (unfit !== null) return unfit;
  const { state, nodes } = memory;
  const of = { run: row.run, state, nodes, blueprint: request.blueprint, callees: bound.callees, journal };
  const settled = request.settle === undefined ? null : settlement({ id: options.ids.run(), ...request.settle }, of);
  if (settled !== null && "refused" in settled) return settled;
  const recalled = await options.secrets.recall(row.run, request.blueprint, started);
  const given = stopping && "missing" in recalled ? started : recalled;
  const lacking = stopping ? [] : await options.secrets.lacking(calleesOf(request));
  if ("missing" in given || lacking.length > 0)
    return refuse("missing_capability", [...("missing" in given ? given.missing : []), ...lacking]);
  const reopened = await options.workspaces.reopen(row.run, request.blueprint, started);
  const workspace = stopping && "problem" in reopened ? { cwd: started.cwd } : reopened;
  if ("problem" in workspace) return refuse("missing_capability", workspace.problem, workspace.hint);
  const place = { cwd: workspace.cwd, project: started.cwd, account: row.parent?.blueprint ?? row.blueprint };
  const facts = { run: row.run, taskId: row.taskId, blueprint: request.blueprint, ...place, ...given, ...bound };
  const wait = { signal: request.signal, told: options.notice };
  const passes = stopping ? storedPasses(journal, facts) : await passesOfTask(journal, facts, wait);
  if (isProblem(passes)) return refuse("unavailable", passes.problem, passes.hint);
  const { limits } = request.blueprint;
  const reopening = { ...of, ...facts, limits, passes, journal, self, now: options.clock.now(), wait };
  const usedUp = settled === null ? null : await stillUsedUp(settled, reopening);
  if (usedUp !== null) return usedUp;
  const occupied = stopping ? null : await clearPlace(journal, row);
  if (occupied !== null) return occupied;
  const conflict = await journal.takeOver(row.run, row.owner, self, last, { onlyStopped: stopping });
  if (conflict !== null) {
    const hint = conflict.conflict === "taken" ? { hint: goOnHint(conflict) } : {};
    return { ...refuse(conflict.conflict === "finished" ? "finished" : "conflict", conflict.what), ...hint };
  }
  await endLeftOver(row.owner, memory);
  const found = await findingsOf(options, request, facts, memory, (node) => stopping || settled?.node === node);
  if ("refused" in found) return found;
  const { contentHash, bindingHash, calls } = request;
  const accepted: Bound = { contentHash, bindingHash, limits, ...(calls === undefined ? {} : { calls }) };
  const events: EventBody[] = [
    { type: "run.resumed", owner: self, ...asleepIn(memory), ...(change === null ? {} : { accepted }) },
    { type: "passes.synced", passes },
    ...found.events,
    ...(settled === null ? [] : [settled]),
    ...(request.stop === undefined ? [] : [{ type: "run.stop_requested", by: request.stop } as const]),
    ...found.stops.map(({ body }) => body),
  ];
  const taken = found.stops.map(({ id }) => id);
  return { run: row.run, started, given, workspace, memory, events, taken };
}

function goOnHint({ parked, holder = "RUN" }: Conflict): string {
  return parked === true
    ? `answer it (trammel inbox), or stop it: trammel stop ${holder}`
    : "wait until it has ended, or stop it";
}

function asleepIn({ state: { asleep, plan } }: Memory): Pick<RunResumed, "asleep"> {
  if (asleep.size === 0) return {};
  return { asleep: Object.fromEntries([...asleep].map(([node, until]) => [item(plan.ids, node), until])) };
}

function cannotResume(
  options: EngineOptions,
  request: ResumeRequest,
  row: RunRow,
  { state: { halt } }: Memory,
): Refusal | null {
  const { run, status, owner, endedAt } = row;
  if (endedAt !== null && !isReopenable(status))
    return refuse("finished", `run ${run} has ended: ${status}`, onwards(run));
  if (endedAt !== null && request.settle === undefined) {
    const why = row.reason ?? status;
    if (halt?.node === undefined) return refuse("finished", `run ${run} has ended: ${why}`, onwards(run));
    const node = shellWord(halt.node);
    const used = halt.unsaid === undefined ? "" : ` ${usedOptions(halt.unsaid)}`;
    const hint =
      status === "needs_attention"
        ? `settle it with trammel settle ${run} ${node} --as done|failed|again${used}`
        : `decide how to go on: trammel resolve ${run} --node ${node} --as done|failed|again --reason TEXT${used}`;
    return refuse("finished", `run ${run} waits for a decision: ${why}`, hint);
  }
  if (endedAt === null && !isSame(owner, options.self) && options.isAlive(owner))
    return refuse("conflict", `run ${run} is executed by process ${owner.pid}`, "wait until it has ended, or stop it");
  if (request.stop !== undefined) return null;
  const missing = missingIn(request.blueprint, calleesOf(request), options.performers, options.can);
  return missing.length > 0 ? refuseMissing(missing) : null;
}

function cannotChange(
  change: string,
  { run, blueprint, settle, acceptChanges }: ResumeRequest,
  callees: RunFacts["callees"],
  journal: EngineOptions["journal"],
): Refusal | null {
  if (acceptChanges) return astray({ run, blueprint, callees, journal });
  return refuse(
    "changed",
    `run ${run} started with another version of ${change}`,
    `${settle === undefined ? "resume with" : "add"} --accept-changes, or put the old version back`,
  );
}

/** What is no longer as the run knows it, or null. */
function changeOf(
  { contentHash, bindingHash, blueprint: { limits } }: ResumeRequest,
  { bound }: Memory,
): string | null {
  if (bound?.contentHash !== contentHash) return "its blueprint";
  if (bound.bindingHash !== bindingHash) return "the configuration that its blueprint is bound to";
  return bound.limits === undefined || isDeepStrictEqual(bound.limits, limits) ? null : "its limits";
}

/**
 * What becomes of the claims that are open. Nobody waits for a probe once the run is to be stopped, be it by who goes
 * on with it, who may then be asked again, or by a message, which the run is to take.
 */
async function findingsOf(
  options: EngineOptions,
  { run, signal }: ResumeRequest,
  facts: RunFacts,
  memory: Memory,
  isDecided: (node: string) => boolean,
): Promise<{ readonly events: readonly EventBody[]; readonly stops: readonly Message[] } | Refusal> {
  const asked = new AbortController();
  const stops: Message[] = [];
  const take = (message: Message): void => {
    if (message.body.type !== "run.stop_requested") return;
    stops.push(message);
    asked.abort();
  };
  const end = options.journal.listen(run, take, () => asked.abort());
  const ended = signal === undefined ? asked.signal : AbortSignal.any([signal, asked.signal]);
  const events: EventBody[] = [];
  try {
    for (const attempt of unfinished(memory.state))
      events.push(...(await left(options, facts, memory, attempt, isDecided(attempt.node), ended)));
  } finally {
    end();
  }
  if (signal?.aborted !== true) return { events, stops };
  return refuse("conflict", `run ${run} was stopped before it went on`, `go on with it: trammel resume ${run}`);
}

/** What took the run over and died before it recorded so has not ended what the owner before it left. */
async function endLeftOver(owner: ProcessIdentity, memory: Memory): Promise<void> {
  await endOrphans(owner);
  if (memory.owner !== null && !isSame(memory.owner, owner)) await endOrphans(memory.owner);
  for (const process of memory.nodes.processes()) await endTree(process);
}

/**
 * What becomes of a claim whose engine died before it recorded an outcome; where a person has
 * `decided`, that stands above what its author said. Nobody waits for one whose join went on without
 * it: it was being cancelled, and its processes are ended by now.
 */
async function left(
  options: EngineOptions,
  facts: RunFacts,
  memory: Memory,
  { node: id, pass, attempt: n }: Attempt,
  decided: boolean,
  signal: AbortSignal,
): Promise<readonly EventBody[]> {
  const attempt = { node: id, pass, attempt: n };
  const node = facts.blueprint.nodes.get(id);
  const index = nodeIndex(memory.state.plan, id);
  const lost = memory.state.lost.has(index);
  const unsaid = unsaidBy(node, memory.nodes);
  if (lost && !decided && !holdsRuns(node)) {
    const usage = usageOfUnconfirmed({ node: id, ...unsaid }, memory.state.spending.get(index));
    return [{ type: "node.ended", ...attempt, result: { ...cancelled, ...(usage && { usage }) } }];
  }
  const settled = decided || node === undefined ? null : await settledBy(options, facts, memory, node, attempt, signal);
  const asked = settled === null && !decided && node?.effect !== undefined;
  const unknown = asked ? `${unknownOutcome}, and its probe could not tell` : unknownOutcome;
  const waited = node === undefined ? undefined : memory.nodes.isHeld(node.id) ? waiting : standing[node.type];
  const reason = waited === undefined ? ({ code: "crash", text: unknown } as const) : waited;
  const unconfirmed: EventBody = { type: "node.unconfirmed", ...attempt, reason, ...unsaid };
  return settled === null ? [unconfirmed] : [unconfirmed, { type: "node.settled", ...attempt, ...settled }];
}

const cancelled: NodeResult = {
  outcome: "cancelled",
  reason: { code: "lost_join", text: "its join had started without it when the engine ended" },
};

/** What runs inside a node is ended by going on with it, and cancelling it then. */
function holdsRuns(node: Node | undefined): boolean {
  return node?.type === "call" || node?.type === "map";
}

const unknownOutcome = "the engine ended while it ran, so its outcome is unknown";

const waiting: Reason = { code: "taken_up", text: "it was still waiting" };
const holding: Reason = { code: "taken_up", text: "the engine ended while it ran; what runs inside goes on" };
const standing: Partial<Record<NodeType, Reason>> = { human: waiting, wait: waiting, call: holding, map: holding };

/** What the author said about such a claim: it may be repeated, or a probe finds out. */
async function settledBy(
  options: EngineOptions,
  facts: RunFacts,
  memory: Memory,
  node: Node,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Pick<NodeSettled, "as" | "by"> | null> {
  const by = memory.nodes.isHeld(node.id) ? "engine" : repeatedBy(node);
  if (by !== null) return { as: "again", by };
  const { effect } = node;
  if (effect === undefined) return null;
  const { can, environment } = options;
  const values = new RunValues({ ...facts, results: memory.nodes.results }, can.blobs);
  const pass = { since: options.clock.now() };
  const silent = { signal, report: () => undefined };
  const context = contextOf({ facts, node, attempt, pass, values, can, environment }, silent);
  const finding = await told(options, `the probe of ${node.id}, at most ${limits.probeTimeoutMs / 1000} s`, () =>
    findEffect(context, effect),
  );
  return finding === "unknown" ? null : { as: finding === "there" ? "done" : "again", by: "probe" };
}
