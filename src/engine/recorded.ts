import type { EventBody } from "../model/events.ts";

/** An event as the journal has it; `at` in milliseconds. */
export interface Recorded {
  readonly body: EventBody;
  readonly at: number;
}

/** What came from the world together, before the engine decided anything on it. */
export interface Batch {
  /** Place of the first of it in the journal. */
  readonly from: number;
  readonly at: number;
  /** As it came: a retry was the end of an attempt then. */
  readonly events: readonly EventBody[];
}

/**
 * What came from the world, in order, from a place in the journal on. What was
 * taken together was recorded together, at one time.
 */
export function batchesOf(journal: readonly Recorded[], from = 0): readonly Batch[] {
  const batches: { readonly from: number; readonly at: number; readonly events: EventBody[] }[] = [];
  const delayed = new Set<string>();
  for (const [index, { body, at }] of journal.entries()) {
    // What waits for a retry has no performer: its end is decided, when the run halts.
    const isDecided = isOfEngine(body) || (body.type === "node.ended" && delayed.has(body.node));
    if (body.type === "node.retrying") delayed.add(body.node);
    else if ("attempt" in body || body.type === "node.skipped") delayed.delete(body.node);
    if (isDecided || index < from) continue;
    const last = batches.at(-1);
    if (last !== undefined && last.at === at && last.from + last.events.length === index)
      last.events.push(asItCame(body));
    else batches.push({ from: index, at, events: [asItCame(body)] });
  }
  return batches;
}

function isOfEngine({ type }: EventBody): boolean {
  switch (type) {
    case "node.queued":
    case "node.started":
    case "node.skipped":
    case "arrivals.superseded":
    case "run.halting":
    case "run.finished":
      return true;
    default:
      return false;
  }
}

function asItCame(event: EventBody): EventBody {
  if (event.type !== "node.retrying") return event;
  const { delayMs: _, until: __, ...ended } = event;
  return { ...ended, type: "node.ended" };
}
