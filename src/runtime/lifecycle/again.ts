import { advance } from "../../engine/advance.ts";
import { strikeOfBudget } from "../../engine/ending/strikes.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { EventBody, NodeSettled, RunHalting } from "../../model/events.ts";
import { shellWord } from "../../model/shell.ts";
import { usedOptions } from "../../model/usage.ts";
import { unsaidBy } from "../memory/unsaid.ts";
import { unfinished } from "../../engine/ending/unfinished.ts";
import { type RunState, stage } from "../../engine/state.ts";
import { at } from "../../graph/ints.ts";
import { nodeIndex } from "../../graph/plan.ts";
import type { RunLimits } from "../../model/settings.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { Journal } from "../../ports/journal.ts";
import { refuse } from "../admission/admit.ts";
import type { Refusal } from "../api.ts";
import type { RunFacts } from "../context.ts";
import { isProblem, passesOfTask } from "../counters/counters.ts";
import { within } from "../inner/child-blueprint.ts";
import { type Memory, remember } from "../memory/memory.ts";
import { planOf } from "./parts.ts";
import { runInside } from "./settlement.ts";
import type { Wait } from "../time/wait.ts";

/** A run as a decision to do one of its nodes again would go on with it. */
export interface Reopened {
  readonly run: string;
  readonly taskId: string;
  readonly account: string;
  /** Absolute; of the outermost run. */
  readonly project: string;
  readonly blueprint: Blueprint;
  readonly callees: RunFacts["callees"];
  readonly limits: RunLimits;
  /** Passes of the task, by node. */
  readonly passes: Readonly<Record<string, number>>;
  readonly journal: Pick<Journal, "find" | "read" | "runs" | "passes">;
  readonly self: ProcessIdentity;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** For the counter file. */
  readonly wait: Wait;
}

type Halt = RunHalting & { readonly node: string };

/**
 * Why a node would not even begin again: what halted the run there is used up still, so that the same halt is all that
 * would come of the decision, in a run inside too. Null where it begins, and of a decision that says what it came to.
 */
export async function stillUsedUp(decision: NodeSettled, of: Reopened): Promise<Refusal | null> {
  const halt = await haltAfter(decision, of);
  if (halt === null || "refused" in halt) return halt;
  const { reason, iteration, lasting, unsaid } = halt;
  const node = shellWord(halt.node);
  const granted = decision.inside?.grant ?? decision.grant ?? 0;
  const further = iteration === undefined ? 1 : iteration.n - iteration.max + granted + 1;
  const hint =
    reason.code === "cap"
      ? `grant passes beyond it: trammel resolve ${of.run} --node ${node} --as again --grant ${further} --reason TEXT`
      : lasting === true
        ? `it holds as long as the run does; with more steps, from a node of it on: trammel fork ${of.run} --at NODE --max-steps N`
        : unsaid !== undefined
          ? `say what was used that nobody has said: add ${usedOptions(unsaid)}`
          : "raise that limit and add --accept-changes, or decide --as done or --as failed";
  return refuse("bad_input", `${halt.node} of run ${of.run} would not begin again: ${reason.text}`, hint);
}

/** As the engine decides it, on a copy of the run. The node of a run inside is named by its path. */
async function haltAfter(decision: NodeSettled, of: Reopened): Promise<Halt | Refusal | null> {
  const { as, node, inside } = decision;
  if (as !== "again") return null;
  const { run, blueprint, limits, passes, journal, self, now } = of;
  const remembered = remember(planOf(blueprint), journal.read(run));
  if (remembered === null) return null;
  const { memory } = remembered;
  const resumed: EventBody = {
    type: "run.resumed",
    owner: self,
    accepted: { contentHash: "", bindingHash: "", limits },
  };
  const found = [resumed, { type: "passes.synced", passes } as const, ...leftOpen(memory, node, blueprint)];
  const { events } = advance(memory.state, [...found, decision], now);
  if (inside !== undefined) return haltInside(decision, of, memory);
  if (events.some((event) => event.type === "node.started" && event.node === node)) return null;
  const halt =
    events.find((event) => event.type === "run.halting" && isAbout(event, node)) ?? strikeBehind(memory.state, node);
  return halt?.type === "run.halting" ? { ...halt, node } : null;
}

/** What would halt an attempt that did not get its turn, since another node halted the run before it. */
function strikeBehind(state: RunState, id: string): RunHalting | null {
  const node = nodeIndex(state.plan, id);
  return node >= 0 && at(state.stage, node) === stage.again ? strikeOfBudget(state, node) : null;
}

/** What a resume finds of an attempt at the node whose engine died. */
function leftOpen({ state, nodes }: Memory, id: string, blueprint: Blueprint): EventBody[] {
  const unsaid = unsaidBy(blueprint.nodes.get(id), nodes);
  return unfinished(state)
    .filter(({ node }) => node === id)
    .map((attempt) => ({ type: "node.unconfirmed", ...attempt, reason: unknown, ...unsaid }));
}

const unknown = { code: "crash", text: "nobody knows how it ended" } as const;

/** Whether it keeps this very node from beginning: another node may have to be settled first. */
function isAbout({ node, reason }: RunHalting, id: string): boolean {
  return node === id || (node === undefined && reason.code === "limit");
}

/** `memory` is that of the run around, once it goes on. */
async function haltInside(
  decision: NodeSettled,
  of: Reopened,
  { state, nodes }: Memory,
): Promise<Halt | Refusal | null> {
  const inner = runInside(decision, of);
  const parent = inner === null ? undefined : of.journal.find(inner.run)?.parent;
  if (inner === null || parent === undefined) return null;
  const { run, settled, segment } = inner;
  const counted = nodes.get(decision.node)?.used?.total();
  const blueprint = within({ run: of.run, blueprint: of.blueprint, state, counted }, inner.blueprint);
  const inside = { ...of, run, blueprint, parent };
  const passes = await passesOfTask(of.journal, inside, of.wait);
  if (isProblem(passes)) return refuse("unavailable", passes.problem, passes.hint);
  const halt = await haltAfter(settled, { ...inside, limits: blueprint.limits, passes });
  return halt === null || "refused" in halt ? halt : { ...halt, node: `${segment}/${halt.node}` };
}
