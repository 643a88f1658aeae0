import { at, item } from "../graph/ints.ts";
import type { EscalateCause } from "../model/blueprint.ts";
import type { HaltCause, RunHalting } from "../model/events.ts";
import type { Reason } from "../model/outcome.ts";
import { capOf } from "./caps.ts";
import type { RunState } from "./state.ts";

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

/** Notes that the run must halt; of several causes the strongest stands. */
export function call(state: RunState, cause: HaltCause, node: number, reason: Reason): void {
  if (state.due === null || rank[cause] > rank[state.due.cause]) state.due = halting(state, cause, node, reason);
}

/** A halt at a node, with how many passes of its cap are used. */
export function halting(state: RunState, cause: HaltCause, node: number, reason: Reason): RunHalting {
  const cap = capOf(state, node);
  const iteration = cap === null ? { n: 1, max: 1 } : { n: at(state.charged, node), max: cap };
  return { type: "run.halting", cause, node: item(state.plan.ids, node), reason, iteration };
}

/** The halt that is due and stronger than the one under way, if any. */
export function nextHalt(state: RunState): RunHalting | null {
  const under = state.halt === null ? 0 : rank[state.halt.cause];
  const strongest = candidates(state).reduce<RunHalting | null>(
    (best, halt) => (best === null || rank[halt.cause] > rank[best.cause] ? halt : best),
    null,
  );
  return strongest !== null && rank[strongest.cause] > under ? strongest : null;
}

function candidates(state: RunState): RunHalting[] {
  const found: RunHalting[] = state.due === null ? [] : [state.due];
  if (state.stopRequested) {
    found.push({ type: "run.halting", cause: "stopped", reason: { code: "cancelled", text: "stopped on request" } });
  }
  for (const node of state.unconfirmed) {
    const text = "was running when the engine died; its outcome is unknown";
    found.push(halting(state, "needs_attention", node, { code: "crash", text }));
    break;
  }
  if (state.timeIsSpent) {
    found.push({ type: "run.halting", cause: "limit", reason: { code: "limit", text: "limits.time is used up" } });
  }
  return found;
}
