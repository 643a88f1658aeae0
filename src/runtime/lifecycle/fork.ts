import { advance, type Step } from "../../engine/advance.ts";
import { reduce } from "../../engine/reduce.ts";
import { initial } from "../../engine/state.ts";
import { unfinished } from "../../engine/ending/unfinished.ts";
import type { Plan } from "../../graph/plan.ts";
import type { EventBody, JournalEvent, PassesSynced, RunStarted } from "../../model/events.ts";
import type { IdleSpan } from "../../model/idle-span.ts";
import type { Worktree } from "../../model/worktree.ts";
import type { RunRow } from "../../ports/journal.ts";
import { refuse } from "../admission/admit.ts";
import type { WorkspaceRequest } from "../../ports/workspace.ts";
import type { ForkRequest, Refusal } from "../api.ts";
import { mentionedIn } from "../blobs/mentioned.ts";
import type { Memory } from "../memory/memory.ts";
import type { EngineOptions } from "../options.ts";

/** What a fork begins with. */
export interface Inherited {
  readonly from: NonNullable<RunStarted["fork"]>;
  /**
   * What the earlier run recorded between its start and the pass, without what was decided last: that is decided anew.
   */
  readonly events: readonly EventBody[];
  readonly keepTree: boolean;
  readonly idle: readonly IdleSpan[];
  /** That of the earlier run; the fork gets another. */
  readonly worktree?: Worktree;
}

/** What a fork takes over from the journal of the earlier run, or why there can be no fork there. */
export function inheritedOf(
  { run, node, pass: asked, start, keepTree, idle = [] }: ForkRequest,
  row: RunRow | null,
  journal: Iterable<JournalEvent>,
  plan: Plan,
): Inherited | Refusal {
  if (row === null) return refuse("not_found", `there is no run ${run}`, "list them with trammel runs");
  if (row.status === "running" || row.status === "waiting")
    return refuse("conflict", `run ${run} is not over`, "wait until it is, or stop it");
  if (row.parent !== undefined)
    return refuse("conflict", `run ${run} is part of ${row.parent.node} in run ${row.parent.run}`, "fork that one");
  const events = [...journal];
  const claims = events.filter(({ body }) => isClaim(body) && body.node === node);
  const last = claims.at(-1)?.body;
  const pass = asked ?? (last !== undefined && isClaim(last) ? last.pass : 1);
  const at = events.findIndex(({ body }) => isClaim(body) && body.node === node && body.pass === pass);
  if (at < 0) return noPass(run, node, pass, claims.length > 0, start.blueprint.nodes);
  const inherited = events
    .slice(1, afterWorld(events, at))
    .flatMap(({ body }) => (isTelling(body) ? [] : [unforked(body)]));
  const why = cannotInherit(inherited, start.blueprint, plan, events[0]);
  if (why !== null) return refuse("missing_capability", `no fork at pass ${pass} of ${node} in run ${run}: ${why}`);
  const first = events[0]?.body;
  const worktree = first?.type === "run.started" ? first.worktree : undefined;
  return {
    from: { run, node, pass },
    events: inherited,
    keepTree,
    idle,
    ...(worktree === undefined ? {} : { worktree }),
  };
}

function noPass(
  run: string,
  node: string,
  pass: number,
  began: boolean,
  nodes: ForkRequest["start"]["blueprint"]["nodes"],
): Refusal {
  const around = /^([^/[]+)[/[]/.exec(node)?.[1] ?? "";
  if (nodes.has(around))
    return refuse(
      "bad_input",
      `${node} is inside ${around}, and a fork goes on from a node of the run itself`,
      `trammel fork ${run} --at ${around}; what runs inside it is done anew`,
    );
  if (!nodes.has(node))
    return refuse("bad_input", `run ${run} has no node ${node}`, `trammel show ${run} lists its nodes`);
  const what = began ? `has no pass ${pass} of node ${node}` : `never came to node ${node}`;
  return refuse("bad_input", `run ${run} ${what}`, `trammel show ${run} lists the passes of its nodes`);
}

/** Where the worktree of a fork begins, where the earlier run had one. */
export function forkOf(inherited: Inherited | undefined): Pick<WorkspaceRequest, "fork"> {
  if (inherited?.worktree === undefined) return {};
  const { from, worktree, keepTree } = inherited;
  return { fork: { from, worktree, keepTree } };
}

/** Whether the tree of others goes back for a fork before that is in the journal. */
export function holdsPlace(inherited: Inherited | undefined): boolean {
  return inherited?.keepTree === false && inherited.worktree === undefined;
}

/**
 * Takes the tree back to the checkpoint, where it is to go there; it is the turn of the run. Outputs that it takes over
 * are kept from a prune of the run they come from.
 */
export async function returnTree(
  { workspaces, can: { blobs } }: Pick<EngineOptions, "workspaces" | "can">,
  run: string,
  inherited: Inherited | undefined,
): Promise<Refusal | null> {
  if (inherited === undefined) return null;
  for (const hash of mentionedIn(JSON.stringify(inherited.events))) await blobs.keep(hash);
  if (inherited.keepTree && inherited.worktree === undefined) return null;
  const problem = await workspaces.goBack(run, { ...inherited.from, idle: inherited.idle });
  return problem === null ? null : refuse("missing_capability", problem.problem, problem.hint);
}

/** The first events of a run: those of a start, or what a fork takes over and goes on with. */
export function opening(
  { self }: EngineOptions,
  { state }: Memory,
  begun: readonly [RunStarted, PassesSynced],
  inherited: Inherited | undefined,
  at: number,
): Step {
  if (inherited === undefined) return advance(state, begun, at);
  const [started, synced] = begun;
  const taken: readonly EventBody[] = [started, ...inherited.events];
  for (const body of taken) reduce(state, body, at);
  const { events, commands } = advance(state, [{ type: "run.resumed", owner: self, fork: true }, synced], at);
  return { events: [...taken, ...events], commands };
}

/** That of a fork whose fork this is tells no more where it began. */
function unforked(body: EventBody): EventBody {
  if (body.type !== "run.resumed" || body.fork === undefined) return body;
  const { fork: _, ...resumed } = body;
  return resumed;
}

/** Only tells what went on; of what an agent says its usage counts. */
function isTelling(body: EventBody): boolean {
  return body.type === "node.process" || (body.type === "agent.progressed" && body.event.type !== "usage");
}

type Claim = Extract<EventBody, { readonly type: "node.started" | "node.queued" }>;

function isClaim(body: EventBody): body is Claim {
  return body.type === "node.queued" || (body.type === "node.started" && body.attempt === 1);
}

const decided: ReadonlySet<EventBody["type"]> = new Set<EventBody["type"]>([
  "node.queued",
  "node.started",
  "node.skipped",
  "arrivals.superseded",
]);

/** Where the decisions begin that led to the claim at `claim`. */
function afterWorld(events: readonly JournalEvent[], claim: number): number {
  let end = claim;
  while (end > 0 && decided.has(events[end - 1]?.body.type ?? "run.started")) end -= 1;
  return end;
}

function cannotInherit(
  inherited: readonly EventBody[],
  { nodes }: ForkRequest["start"]["blueprint"],
  plan: Plan,
  first: JournalEvent | undefined,
): string | null {
  if (inherited.some((body) => body.type === "run.finished")) return "the run had halted before and was taken up again";
  if (inherited.some((body) => body.type === "run.resumed" && body.accepted !== undefined))
    return "the blueprint was changed before";
  const box = inherited.find((body) => body.type === "node.started" && nodes.get(body.node)?.type === "provision");
  if (box !== undefined) return "a box that was made before is gone";
  if (first === undefined) return "its journal is empty";
  const bodies = [first.body, ...inherited];
  const state = bodies.reduce((before, body) => reduce(before, body, first.at), initial(plan));
  const busy = unfinished(state).map((attempt) => attempt.node);
  return busy.length === 0 ? null : `${busy.join(", ")} was at work then; fork before it began`;
}
