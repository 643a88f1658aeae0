import type { EventBody, NodeStarted } from "./events.ts";

/** A claim that uses a pass of its task. */
export type Charge = NodeStarted & { readonly charged: NonNullable<NodeStarted["charged"]> };

/** What is charged by one commit. What a fork takes over from an earlier run was charged there. */
export function chargesIn(events: readonly EventBody[]): readonly Charge[] {
  const [first] = events;
  const isFork = first?.type === "run.started" && first.fork !== undefined;
  const from = isFork
    ? Math.max(
        0,
        events.findLastIndex(({ type }) => type === "run.resumed"),
      )
    : 0;
  return events.slice(from).filter(isCharge);
}

/** A node that was renamed is charged under both names: a run of the document before goes on from the same count. */
export function namesOf({ node, charged: { was } }: Charge): readonly string[] {
  return was === undefined ? [node] : [node, was];
}

function isCharge(event: EventBody): event is Charge {
  return event.type === "node.started" && event.charged !== undefined;
}
