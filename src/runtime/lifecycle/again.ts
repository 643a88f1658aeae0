import { advance } from "../../engine/advance.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { EventBody, NodeSettled, RunHalting } from "../../model/events.ts";
import { shellWord } from "../../model/shell.ts";
import type { RunLimits } from "../../model/settings.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { Journal } from "../../ports/journal.ts";
import { refuse } from "../admission/admit.ts";
import type { Refusal } from "../api.ts";
import type { RunFacts } from "../context.ts";
import { isProblem, passesOfTask } from "../counters/counters.ts";
import { recordsWithin } from "../inner/child-blueprint.ts";
import { remember } from "../memory/memory.ts";
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
  readonly journal: Pick<Journal, "find" | "read" | "passes">;
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
  const { reason, iteration, lasting } = halt;
  const node = shellWord(halt.node);
  const granted = decision.inside?.grant ?? decision.grant ?? 0;
  const limit =
    lasting === true
      ? `it holds as long as the run does; with more steps, from a node of it on: trammel fork ${of.run} --at NODE --max-steps N`
      : "raise that limit and add --accept-changes, or decide --as done or --as failed";
  const hint =
    reason.code === "cap" && iteration !== undefined
      ? `grant passes beyond it: trammel resolve ${of.run} --node ${node} --as again --grant ${iteration.n - iteration.max + granted + 1} --reason TEXT`
      : limit;
  return refuse("bad_input", `${halt.node} of run ${of.run} would not begin again: ${reason.text}`, hint);
}

/** As the engine decides it, on a copy of the run. The node of a run inside is named by its path. */
async function haltAfter(decision: NodeSettled, of: Reopened): Promise<Halt | Refusal | null> {
  const { as, node, inside } = decision;
  if (as !== "again") return null;
  if (inside !== undefined) return haltInside(decision, of);
  const { run, blueprint, limits, passes, journal, self, now } = of;
  const remembered = remember(planOf(blueprint), journal.read(run));
  if (remembered === null) return null;
  const accepted = { contentHash: "", bindingHash: "", limits };
  const resumed: EventBody = { type: "run.resumed", owner: self, accepted };
  const { events } = advance(remembered.memory.state, [resumed, { type: "passes.synced", passes }, decision], now);
  if (events.some((event) => event.type === "node.started" && event.node === node)) return null;
  const halt = events.find((event) => event.type === "run.halting" && isAbout(event, node));
  return halt?.type === "run.halting" ? { ...halt, node } : null;
}

/** Whether it keeps this very node from beginning: another node may have to be settled first. */
function isAbout({ node, reason }: RunHalting, id: string): boolean {
  return node === id || (node === undefined && reason.code === "limit");
}

async function haltInside(decision: NodeSettled, of: Reopened): Promise<Halt | Refusal | null> {
  const within = runInside(decision, of);
  const parent = within === null ? undefined : of.journal.find(within.run)?.parent;
  if (within === null || parent === undefined) return null;
  const { run, settled, segment } = within;
  const blueprint = { ...within.blueprint, records: recordsWithin(of.blueprint.records, within.blueprint.records) };
  // What is left of them is told by the run around.
  const { tokens: _tokens, cost: _cost, ...limits } = blueprint.limits;
  const inside = { ...of, run, blueprint, parent };
  const passes = await passesOfTask(of.journal, inside, of.wait);
  if (isProblem(passes)) return refuse("unavailable", passes.problem, passes.hint);
  const halt = await haltAfter(settled, { ...inside, limits, passes });
  return halt === null || "refused" in halt ? halt : { ...halt, node: `${segment}/${halt.node}` };
}
