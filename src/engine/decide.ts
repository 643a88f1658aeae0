import { at, item } from "../graph/ints.ts";
import type { EventBody, RunHalting } from "../model/events.ts";
import { isReopenable } from "../model/outcome.ts";
import { finish } from "./ending/finish.ts";
import { nextHalt } from "./ending/halts.ts";
import { claim, nextStart } from "./routing/starts.ts";
import type { RunState } from "./state.ts";
import { strikeOfCap } from "./ending/strikes.ts";

/**
 * What must be journaled next, a few events at a time; empty when the run waits for the world or is
 * over. Changes nothing of the state but what it has derived.
 */
export function decide(state: RunState): EventBody[] {
  if (state.phase !== "live") return [];
  const halt = nextHalt(state);
  if (halt !== null) return [halt];
  if (state.halt !== null) return settleHalted(state, state.halt);
  const start = nextStart(state);
  if (start.length > 0) return start;
  return state.liveNodes === 0 ? close(state) : [];
}

/**
 * A halted run starts nothing, and what runs may finish. What waits for a retry is tried when a decision goes on with
 * the run; where none can, it ends with the error it had.
 */
function settleHalted(state: RunState, { cause }: RunHalting): EventBody[] {
  for (const [node, result] of isReopenable(cause) ? [] : state.delayed) {
    const attempt = { node: item(state.plan.ids, node), pass: at(state.pass, node), attempt: at(state.attempt, node) };
    return [{ type: "node.ended", ...attempt, result }];
  }
  return state.running === 0 ? close(state) : [];
}

/**
 * The end, after the node of `finally` where there is one, which no limit but its own cap forbids. A
 * run that waits for a person's settlement is not at its end.
 */
function close(state: RunState): EventBody[] {
  const { last } = state.plan;
  const parked = state.halt?.cause === "needs_attention";
  if (last >= 0 && state.closing === "open" && !parked && strikeOfCap(state, last) === null) {
    return [claim(state, last, 1, [], 1)];
  }
  return [finish(state)];
}
