import { at, item } from "../../graph/ints.ts";
import type { EscalateCause } from "../../model/settings.ts";
import type { HaltCause, RunHalting } from "../../model/events.ts";
import type { Reason } from "../../model/outcome.ts";
import { capOf } from "../limits/caps.ts";
import type { Miss, RunState } from "../state.ts";
import { overspent, unsaidBudgets } from "../limits/usage.ts";

const rank: Readonly<Record<HaltCause, number>> = {
  stopped: 5,
  escalated: 4,
  needs_attention: 3,
  limit: 2,
  rejected: 1,
};

export function escalates(state: RunState, cause: EscalateCause): boolean {
  return state.plan.blueprint.escalate.includes(cause);
}

/** Notes the halt that the miss of a node calls for; of several the strongest stands. */
function recall(state: RunState, node: number): void {
  const miss = state.misses.get(node);
  if (miss === undefined || miss.halt === null) return;
  if (state.due === null || rank[miss.halt] > rank[state.due.cause])
    state.due = { ...halting(state, miss.halt, node, miss.reason), ...failuresOf(miss) };
}

function failuresOf({ failures }: Miss): Pick<RunHalting, "failures"> {
  return failures === undefined ? {} : { failures };
}

/** Adds a miss, and notes the halt it calls for. */
export function addMiss(state: RunState, node: number, miss: Miss): void {
  state.misses.delete(node); // the latest comes last
  state.misses.set(node, miss);
  recall(state, node);
}

/** Notes anew what halts are called for, after a resume or a settlement. */
export function recallHalts(state: RunState): void {
  state.due = null;
  for (const node of state.misses.keys()) recall(state, node);
}

/** A halted run goes on: it halts again unless what halted it has been settled. */
export function liftHalt(state: RunState): void {
  state.halt = null;
  recallHalts(state);
}

/** A halt at a node, with how many passes of its cap are used. */
export function halting(state: RunState, cause: HaltCause, node: number, reason: Reason): RunHalting {
  const cap = capOf(state, node);
  const iteration = cap === null ? { n: 1, max: 1 } : { n: at(state.charged, node), max: cap };
  return { type: "run.halting", cause, node: item(state.plan.ids, node), reason, iteration };
}

/** The halt that is due and stronger than the one under way, if any. */
export function nextHalt(state: RunState): RunHalting | null {
  if (isQuiet(state)) return null;
  const under = state.halt === null ? 0 : rank[state.halt.cause];
  const strongest = candidates(state).reduce<RunHalting | null>(
    (best, halt) => (best === null || rank[halt.cause] > rank[best.cause] ? halt : best),
    null,
  );
  return strongest !== null && rank[strongest.cause] > under ? strongest : null;
}

/** Nothing calls for a halt, as nearly always: this is asked after every event. */
function isQuiet({ due, stopRequested, unconfirmed, held, timeIsSpent, spending }: RunState): boolean {
  const nobodyAsks = due === null && stopRequested === null && !timeIsSpent;
  return nobodyAsks && unconfirmed.size === 0 && held.size === 0 && spending.size === 0;
}

const crashed: Reason = { code: "crash", text: "was running when the engine died; its outcome is unknown" };

function candidates(state: RunState): RunHalting[] {
  const found: RunHalting[] = state.due === null ? [] : [state.due];
  if (state.stopRequested !== null) {
    const text = `stopped by ${state.stopRequested}`;
    found.push({ type: "run.halting", cause: "stopped", reason: { code: "cancelled", text } });
  }
  for (const [node, reason] of state.unconfirmed) {
    const halt = halting(state, "needs_attention", node, reason.code === "crash" ? crashed : reason);
    found.push({ ...halt, ...unsaidBudgets(state) });
    break;
  }
  for (const [node, { cause, node: inner, reason, iteration, unsaid }] of state.held) {
    // The run inside may have halted as a whole.
    const path = `${item(state.plan.ids, node)}${inner === "" || inner.startsWith("[") ? "" : "/"}${inner}`;
    const of = { iteration: iteration ?? { n: 1, max: 1 }, ...(unsaid && { unsaid }) };
    found.push({ type: "run.halting", cause, node: path, reason, ...of });
  }
  if (state.timeIsSpent) {
    found.push({ type: "run.halting", cause: "limit", reason: { code: "limit", text: "limits.time is used up" } });
  }
  const budget = overspent(state);
  if (budget !== null)
    found.push({ type: "run.halting", cause: "limit", reason: { code: "limit", text: budget.text } });
  return found;
}
