import type { Bound } from "../model/bound.ts";
import type { EventBody } from "../model/events.ts";

/** What events of a run were led to by, from one place in its journal (from 0) to another, the latter exclusive. */
export interface BoundPart {
  readonly from: number;
  readonly to: number;
  readonly bound: Bound;
}

/** What a run was bound to when it started, and each time that it went on with something else. */
export function bindingsOf(events: readonly EventBody[]): readonly BoundPart[] {
  const begins = events.flatMap((body, from) => {
    if (body.type === "run.started") return [{ from, bound: body }];
    return body.type === "run.resumed" && body.accepted !== undefined ? [{ from, bound: body.accepted }] : [];
  });
  return begins.map(({ from, bound }, i) => ({ from, bound, to: begins[i + 1]?.from ?? events.length }));
}
