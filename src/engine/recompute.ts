import { at } from "../graph/ints.ts";
import type { Plan } from "../graph/plan.ts";
import { nodeIndex } from "../graph/plan.ts";
import type { EventBody } from "../model/events.ts";
import { advance } from "./advance.ts";
import { reduce } from "./reduce.ts";
import type { RunState } from "./state.ts";
import { initial, stage } from "./state.ts";

/** An event as the journal has it; `at` in milliseconds. */
export interface Recorded {
  readonly body: EventBody;
  readonly at: number;
}

/** Where a journal stops being what the engine makes of what came from the world. */
export interface Difference {
  /** Place of the event in the journal, from 0; its length where the journal ends too soon. */
  readonly index: number;
  readonly recorded: EventBody | null;
  readonly recomputed: EventBody | null;
}

/**
 * Plays what came from the world to the engine again and compares all that it decides with the journal. Null when they are the same.
 * A journal may end before the run does, but not between what came and what was decided on it: that is one commit. What stands before
 * `from` was decided with another plan, and is taken as it is.
 */
export function recompute(plan: Plan, journal: readonly Recorded[], from = 0): Difference | null {
  const state = initial(plan);
  for (const { body, at } of journal.slice(0, from)) reduce(state, body, at);
  for (let index = from; index < journal.length;) {
    const batch = worldFrom(state, journal, index);
    const now = journal[index + Math.max(0, batch.length - 1)]?.at ?? 0;
    const { events } = advance(state, batch.map(asItCame), now);
    if (events.length === 0) return { index, recorded: journal[index]?.body ?? null, recomputed: null };
    for (const recomputed of events) {
      const recorded = journal[index]?.body ?? null;
      if (recorded === null || !isSame(recorded, recomputed)) return { index, recorded, recomputed };
      index += 1;
    }
  }
  return null;
}

/** What came from the world next, before the engine decided anything on it. */
function worldFrom(state: RunState, journal: readonly Recorded[], start: number): EventBody[] {
  const batch: EventBody[] = [];
  const delayed = new Set<string>();
  for (let index = start; index < journal.length; index += 1) {
    const body = journal[index]?.body;
    if (body === undefined || !isFromWorld(state, body)) break;
    // What was taken together was recorded together, at one time.
    if (journal[index]?.at !== journal[start]?.at) break;
    if (body.type === "node.ended" && delayed.has(body.node)) break;
    if (body.type === "node.retrying") delayed.add(body.node);
    if (body.type === "retry.due") delayed.delete(body.node);
    batch.push(body);
  }
  return batch;
}

function isFromWorld(state: RunState, event: EventBody): boolean {
  switch (event.type) {
    case "node.queued":
    case "node.started":
    case "node.skipped":
    case "arrivals.superseded":
    case "run.halting":
    case "run.finished":
      return false;
    case "node.ended":
      // What waits for a retry has no performer: its end is decided, when the run halts.
      return at(state.stage, nodeIndex(state.plan, event.node)) !== stage.delayed;
    default:
      return true;
  }
}

/** A retry was the end of an attempt when it came. */
function asItCame(event: EventBody): EventBody {
  if (event.type !== "node.retrying") return event;
  const { delayMs: _, until: __, ...ended } = event;
  return { ...ended, type: "node.ended" };
}

function isSame(recorded: EventBody, recomputed: EventBody): boolean {
  return JSON.stringify(sorted(recorded)) === JSON.stringify(sorted(recomputed));
}

/** Keys may have come back from the journal in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}
