import type { RunStatus } from "../model/outcome.ts";
import { isWorking, type RunState } from "./state.ts";

/** A live run is `waiting` while all that goes on in it waits for a person or a time. */
export function statusOf(state: RunState): RunStatus {
  if (state.phase === "finished") return state.status;
  return !isWorking(state) && state.idlers + state.asleep.size > 0 ? "waiting" : "running";
}
