import { membersOf } from "../../graph/bits.ts";
import { at, item } from "../../graph/ints.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { RunState } from "../state.ts";
import { stage } from "../state.ts";

/** Attempts that were claimed and have no outcome: after a crash of the engine nobody knows how they ended. */
export function unfinished(state: RunState): Attempt[] {
  return [...membersOf(state.busy)]
    .filter((node) => at(state.stage, node) === stage.running)
    .map((node) => ({
      node: item(state.plan.ids, node),
      pass: at(state.pass, node),
      attempt: at(state.attempt, node),
    }));
}
