import type { RunStatus } from "../model/outcome.ts";
import type { RunState } from "./state.ts";

/** A live run is `waiting` while all that goes on in it waits for a person or a time. */
export function statusOf(state: RunState): RunStatus {
  if (state.phase === "finished") return state.status;
  return state.workers === 0 && state.idlers > 0 ? "waiting" : "running";
}
