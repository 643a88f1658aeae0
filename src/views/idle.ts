import type { Blueprint } from "../model/blueprint.ts";
import type { JournalEvent } from "../model/events.ts";
import type { IdleSpan } from "../model/idle-span.ts";
import { emptyView, fold } from "./fold.ts";

/**
 * Times in which nothing of a run was at work: it waited for a person, or had halted, until somebody went on with it
 * or it was over.
 * An agent that asks about one of its calls, or pauses, is at work, and so is a call or a map in which others wait.
 * None where the definition is gone.
 */
export function idleSpans(events: Iterable<JournalEvent>, blueprint: Blueprint | null): readonly IdleSpan[] {
  if (blueprint === null) return [];
  const view = emptyView("", blueprint);
  const spans: IdleSpan[] = [];
  const engaged = new Set<string>();
  let from: number | null = null;
  let end = 0;
  for (const event of events) {
    fold(view, event);
    const { body, at } = event;
    if (body.type === "gate.opened" && view.nodes.get(body.node)?.class === "agentic") engaged.add(body.node);
    if (body.type === "node.waiting" && view.nodes.get(body.node)?.type !== "wait") engaged.add(body.node);
    if (body.type === "node.ended" || body.type === "node.retrying" || body.type === "node.unconfirmed")
      engaged.delete(body.node);
    const isIdle = view.atWork.busy === 0 && engaged.size === 0;
    if (isIdle) from ??= at;
    else if (from !== null) {
      spans.push({ from, to: at, followed: true });
      from = null;
    }
    if (body.type === "run.finished") end = at;
  }
  if (from !== null && end > from) spans.push({ from, to: end, followed: false });
  return spans;
}
