import type { EventBody } from "../../model/events.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import { receiptFacts, type ReceiptFacts, type TimedEvent } from "../../views/receipt-facts.ts";
import { sha256 } from "./text.ts";

export interface Recomputed {
  readonly facts: ReceiptFacts | null;
  /** Content hash of the definition; null where this version does not read it. */
  readonly content: string | null;
}

/** What the records and the definition say. A body is JSON. */
export async function factsOf(records: readonly JournalRecord[], definition: string | null): Promise<Recomputed> {
  const [{ check }, { canonical }, { withPins }] = await Promise.all([
    import("../../check/check.ts"),
    import("../../language/canonical.ts"),
    import("../callees.ts"),
  ]);
  const events = records.flatMap(eventsOf);
  const blueprint = definition === null ? null : check(definition, {}).blueprint;
  const first = events[0]?.body;
  // The content of a blueprint covers that of what it calls.
  const calls = first?.type === "run.started" ? first.calls : undefined;
  return {
    facts: receiptFacts(events, blueprint),
    content: blueprint === null ? null : sha256(canonical(withPins(blueprint, calls ?? {}))),
  };
}

function eventsOf({ at, body }: JournalRecord): readonly TimedEvent[] {
  // What the chain holds was written by the journal, from the same union.
  return (JSON.parse(body) as EventBody[]).map((one) => ({ at, body: one }));
}
