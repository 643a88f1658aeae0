import { fits } from "../../engine/fits.ts";
import { at } from "../../graph/ints.ts";
import { blueprintInside } from "../../graph/body.ts";
import { nodeIndex } from "../../graph/plan.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { NodeSettled } from "../../model/events.ts";
import { classOf } from "../../model/node.ts";
import { unsaidIn } from "../../engine/limits/usage.ts";
import { unfinished } from "../../engine/ending/unfinished.ts";
import type { SaidUse } from "../../model/outcome.ts";
import type { RunLimits } from "../../model/settings.ts";
import { shellWord } from "../../model/shell.ts";
import { type RunState, stage } from "../../engine/state.ts";
import type { JournalReader } from "../../ports/journal.ts";
import { refuse } from "../admission/admit.ts";
import type { Refusal, Settlement } from "../api.ts";
import { idOfInside, segmentOf } from "../inner/place.ts";
import type { RunFacts } from "../context.ts";
import { remember } from "../memory/memory.ts";
import type { Nodes } from "../memory/nodes.ts";
import { planOf } from "./parts.ts";

/** A run as a decision about it finds it. */
export interface Undecided {
  readonly run: string;
  /** The outermost run, which a person names it by; absent of that run itself. */
  readonly outermost?: string;
  readonly state: RunState;
  readonly nodes: Pick<Nodes, "isHeld">;
  readonly blueprint: Blueprint;
  readonly callees: RunFacts["callees"];
  readonly journal: Pick<JournalReader, "find" | "read" | "runs">;
}

/**
 * The decision as an event about the attempt it can be about: the latest one, or the pass that a cap or limit refused.
 * One about a node inside is refused here too where nothing inside waits for it.
 */
export function settlement(given: Settlement, of: Undecided): NodeSettled | Refusal {
  const decision = withUsed(inward(given, of.state), of);
  if ("refused" in decision) return decision;
  const { plan } = of.state;
  const node = nodeIndex(plan, decision.node);
  const asks = decision.as !== "again" && of.state.phase === "live";
  const gate = asks ? gateAt(decision.node, of) : null;
  if (gate !== null)
    return refuse(
      "bad_input",
      `${gate} of run ${of.run} waits for an answer, and a decision is none`,
      `answer it: trammel answer ${of.run} ${shellWord(gate)} ANSWER`,
    );
  // Not as it was started last: a pass that a cap refused may have been settled without a start.
  const [pass, attempt] = node < 0 ? [0, 1] : [at(of.state.pass, node), at(of.state.attempt, node)];
  const candidates: NodeSettled[] = [
    { type: "node.settled", ...decision, pass, attempt },
    { type: "node.settled", ...decision, pass: pass + 1, attempt: 1 },
  ];
  const fitting = candidates.find((event) => fits(of.state, event) && !isEarly(event, of));
  if (fitting !== undefined && isAwaitedInside(fitting, of)) return fitting;
  const waiting = of.state.halt?.node;
  const none = of.state.phase === "live" ? "trammel inbox lists what waits, and how to answer" : onwards(of.run);
  return refuse(
    "bad_input",
    `node ${given.node} of run ${of.run} has nothing to settle`,
    waiting === undefined ? none : `what waits for a decision is ${waiting}`,
  );
}

/**
 * Whether it is about a node that only waits for its arms, such as a gate: nothing kept that from beginning, and once
 * they have come it would be done all the same.
 */
function isEarly({ node: id, pass }: NodeSettled, { state }: Undecided): boolean {
  const node = nodeIndex(state.plan, id);
  return at(state.stage, node) === stage.idle && pass > at(state.pass, node) && state.halt?.node !== id;
}

/**
 * The path of a gate that waits at a node, before it or inside it: only those who may answer it say what comes of it,
 * and for what they were shown.
 */
function gateAt(id: string, of: Undecided): string | null {
  const { run, state, nodes, blueprint, journal } = of;
  const node = nodeIndex(state.plan, id);
  const now = node < 0 ? stage.idle : at(state.stage, node);
  if (now !== stage.running && now !== stage.again) return null;
  const type = blueprint.nodes.get(id)?.type;
  if (type === "human" || nodes.isHeld(id)) return id;
  if (type !== "call" && type !== "map") return null;
  for (const row of journal.runs(Number.MAX_SAFE_INTEGER, run, "live")) {
    if (row.parent?.node !== id) continue;
    const gate = gateInside(row.run, id, of);
    if (gate !== null) return `${segmentOf(row.parent)}/${gate}`;
  }
  return null;
}

function gateInside(run: string, around: string, of: Undecided): string | null {
  const inside = undecided(run, around, of);
  if (inside === null) return null;
  for (const { node } of unfinished(inside.state)) {
    const gate = gateAt(node, inside);
    if (gate !== null) return gate;
  }
  return null;
}

/** A run inside a node; null where it never began. */
function undecided(
  run: string,
  around: string,
  { run: outerRun, outermost = outerRun, blueprint: outer, callees, journal }: Omit<Undecided, "state" | "nodes">,
): Undecided | null {
  const blueprint = blueprintInside(outer, around, callees);
  const remembered = blueprint && journal.find(run) && remember(planOf(blueprint), journal.read(run));
  if (!remembered) return null;
  const { state, nodes } = remembered.memory;
  return { run, outermost, state, nodes, blueprint, callees, journal };
}

/** What may be done about a run that no decision lets go on. */
export function onwards(run: string): string {
  return `take over what it did, from a node on: trammel fork ${run} --at NODE; or do all of it once more: trammel rerun ${run}`;
}

/** Whether the run inside that a decision leads into can take it; true of one that leads nowhere. */
function isAwaitedInside(decision: NodeSettled, of: Undecided): boolean {
  return decision.inside === undefined || runInside(decision, of) !== null;
}

interface RunInside extends Undecided {
  /** As it stands in a path, `call` or `map[2]`. */
  readonly segment: string;
  /** The decision as one about a node of it. */
  readonly settled: NodeSettled;
}

/** The run inside that a decision leads into; null where nothing in it waits for the decision. */
export function runInside(decision: Inward, around: Omit<Undecided, "state" | "nodes">): RunInside | null {
  const found = insideOf(decision, around);
  return found === null || "refused" in found.settled ? null : { ...found, settled: found.settled };
}

type Inward = Pick<NodeSettled, "node" | "pass" | "inside">;

function insideOf(
  { node: id, pass, inside }: Inward,
  around: Omit<Undecided, "state" | "nodes">,
): (Omit<RunInside, "settled"> & { readonly settled: NodeSettled | Refusal }) | null {
  if (inside === undefined) return null;
  const [, index, path = ""] = /^(?:\[(\d+)\]\/)?(.+)$/.exec(inside.node) ?? [];
  const place = { node: id, ...(index === undefined ? {} : { item: Number(index) }) };
  const of = undecided(idOfInside({ run: around.run, pass, ...place }), id, around);
  if (of === null) return null;
  return { ...of, settled: settlement({ ...inside, node: path }, of), segment: segmentOf(place) };
}

type Decision = Omit<NodeSettled, "type" | "pass" | "attempt">;

/** With what was used where the agents are that have not said it, here or inside. */
function withUsed(decision: Decision, of: Undecided): Decision | Refusal {
  const { run, outermost = run } = of;
  const used = decision.inside?.used ?? decision.used;
  if (used === undefined) return decision;
  const node = nodeIndex(of.state.plan, decision.node);
  const within = node < 0 ? null : insideOf({ ...decision, pass: at(of.state.pass, node) }, of);
  const there = within?.settled;
  if (there !== undefined && !("refused" in there)) return decision;
  if (!isUnsaid(of)) {
    if (within !== null && there !== undefined && isUnsaid(within)) return there;
    return refuse(
      "bad_input",
      `all agents of run ${outermost} have said what they used`,
      "leave out --used-tokens and --used-cost",
    );
  }
  const lacking = lackingIn(used, of.state.limits);
  if (lacking !== null)
    return refuse("bad_input", `what was used is not said for each budget of run ${outermost}`, `add ${lacking}`);
  if (decision.inside === undefined) return decision;
  const { used: _, ...inside } = decision.inside;
  return { ...decision, used, inside };
}

function lackingIn({ tokens, cost }: SaidUse, limits: RunLimits): string | null {
  if (limits.tokens !== undefined && tokens === undefined) return "--used-tokens N";
  const currency = limits.cost?.currency;
  return currency === undefined || cost?.currency === currency ? null : `--used-cost "AMOUNT ${currency}"`;
}

/** Whether an agent has not said what it used, or, of a run whose engine died, may not have. */
function isUnsaid({ state, blueprint }: Undecided): boolean {
  if (unsaidIn(state) !== null) return true;
  return unfinished(state).some(({ node }) => {
    const open = blueprint.nodes.get(node);
    return open !== undefined && classOf(open) === "agentic" && !state.spending.has(nodeIndex(state.plan, node));
  });
}

/** A decision about a node inside a call or a map is one to go on with the attempt around it, which hands it on. */
function inward(decision: Settlement, { plan, held }: RunState): Decision {
  const [, head = decision.node, path = ""] = /^([^/[]+)(?:\/|(?=\[))(.+)$/.exec(decision.node) ?? [];
  const inner = path === "" && decision.as === "again" ? held.get(nodeIndex(plan, head))?.node : path;
  if (inner === undefined || inner === "") return decision;
  const { id, by, reason } = decision;
  const shared = { ...(id === undefined ? {} : { id }), by, ...(reason === undefined ? {} : { reason }) };
  return { node: head, as: "again", ...shared, inside: { ...decision, node: inner } };
}
