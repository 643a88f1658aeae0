import type { Plan } from "../graph/plan.ts";
import type { EventBody } from "../model/events.ts";
import { stableJson } from "../model/json.ts";
import { advance } from "./advance.ts";
import { batchesOf, type Recorded } from "./recorded.ts";
import { reduce } from "./reduce.ts";
import { initial } from "./state.ts";

/** Where a journal stops being what the engine makes of what came from the world. */
export interface Difference {
  /** Place of the event in the journal, from 0; its length where the journal ends too soon. */
  readonly index: number;
  readonly recorded: EventBody | null;
  readonly recomputed: EventBody | null;
}

/**
 * Plays what came from the world to the engine again and compares all that it decides with the journal. Null when they
 * are the same. A journal may end before the run does, but not between what came and what was decided on it: that is
 * one commit. What stands before `from` was decided with another plan, and is taken as it is.
 */
export function recompute(plan: Plan, journal: readonly Recorded[], from = 0): Difference | null {
  const state = initial(plan);
  for (const { body, at } of journal.slice(0, from)) reduce(state, body, at);
  const batches = new Map(batchesOf(journal, from).map((batch) => [batch.from, batch]));
  for (let index = from; index < journal.length;) {
    const { events } = advance(state, batches.get(index)?.events ?? [], journal[index]?.at ?? 0);
    if (events.length === 0) return { index, recorded: journal[index]?.body ?? null, recomputed: null };
    for (const recomputed of events) {
      const recorded = journal[index]?.body ?? null;
      if (recorded === null || !isSame(recorded, recomputed)) return { index, recorded, recomputed };
      index += 1;
    }
  }
  return null;
}

/** Keys may have come back from the journal in another order. */
function isSame(recorded: EventBody, recomputed: EventBody): boolean {
  return stableJson(recorded) === stableJson(recomputed);
}
