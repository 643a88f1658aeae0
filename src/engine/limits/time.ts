import type { EventBody } from "../../model/events.ts";
import { isWorking, type RunState } from "../state.ts";
import { limits } from "../../model/limits.ts";

/**
 * Counts the time in which something works. What lies between the last record of
 * an engine that died and the resume does not count.
 */
export function keepTime(state: RunState, event: EventBody, now: number): void {
  if (event.type === "run.resumed" && state.workingSince !== null) {
    state.spentMs += Math.max(0, state.lastAt - state.workingSince);
    state.workingSince = null;
  }
  if (isWorking(state)) state.workingSince ??= now;
  else if (state.workingSince !== null) {
    state.spentMs += Math.max(0, now - state.workingSince);
    state.workingSince = null;
  }
  state.lastAt = now;
}

/** Milliseconds that are left of `limits.time`. */
export function remainingTime(state: RunState): number {
  const limit = state.limits.timeMs ?? limits.runTimeDefaultMs;
  const running = state.workingSince === null ? 0 : state.lastAt - state.workingSince;
  return Math.max(0, limit - state.spentMs - running);
}
