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
  const [{ check }, { canonical }] = await Promise.all([
    import("../../check/check.ts"),
    import("../../language/canonical.ts"),
  ]);
  const blueprint = definition === null ? null : check(definition, {}).blueprint;
  return {
    facts: receiptFacts(eventsOf(records), blueprint),
    content: blueprint === null ? null : sha256(canonical(blueprint)),
  };
}

function* eventsOf(records: readonly JournalRecord[]): Iterable<TimedEvent> {
  // What the chain holds was written by the journal, from the same union.
  for (const { at, body } of records) for (const one of JSON.parse(body) as EventBody[]) yield { at, body: one };
}
