import type { JournalEvent } from "../../src/model/events.ts";

/** Nodes that a journal claims without an outcome: computed here from the records alone, apart from the engine. */
export function unfinishedIn(events: readonly JournalEvent[]): readonly string[] {
  const open = new Set<string>();
  for (const { body } of events) {
    if (body.type === "node.started") open.add(body.node);
    if (body.type === "node.ended" || body.type === "node.retrying") open.delete(body.node);
  }
  return [...open];
}
