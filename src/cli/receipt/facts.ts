import type { EventBody, ParentLink } from "../../model/events.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { nodeOutputs } from "../../views/outputs.ts";
import { receiptFacts, type ReceiptFacts, type TimedEvent } from "../../views/receipt-facts.ts";
import type { ReadDefinition } from "./definition.ts";

export interface Recomputed {
  readonly facts: ReceiptFacts | null;
  /** As far as this version reads them; null where it does not. */
  readonly definitions: readonly (ReadDefinition | null)[];
}

/** What the records and the definitions say: that of the start, then each that was accepted. A body is JSON. */
export async function factsOf(
  records: readonly JournalRecord[],
  texts: readonly (string | null)[],
): Promise<Recomputed> {
  const { readDefinition } = await import("./definition.ts");
  const events = records.flatMap(eventsOf);
  const bindings = bindingsOf(events.map(({ body }) => body));
  const definitions = texts.map((text, i) => (text === null ? null : readDefinition(text, bindings[i]?.bound)));
  const blueprints = definitions.map((one) => one?.blueprint ?? null);
  return { facts: receiptFacts(events, blueprints), definitions };
}

export function eventsOf({ at, body }: JournalRecord): readonly TimedEvent[] {
  // What the chain holds was written by the journal, from the same union.
  return (JSON.parse(body) as EventBody[]).map((one) => ({ at, body: one }));
}

/** Where full outputs are kept that the records of some runs name, by the SHA-256 of their content, in their order. */
export function blobsIn(journals: readonly (readonly JournalRecord[])[]): ReadonlySet<string> {
  const outputs = journals.flatMap((records) => nodeOutputs(records.flatMap(eventsOf)));
  return new Set(outputs.flatMap(({ captured }) => captured.blob ?? []).toSorted());
}

/** Where a run inside another belongs. */
export function parentOf([first]: readonly JournalRecord[]): ParentLink | null {
  const [started] = first === undefined ? [] : eventsOf(first);
  return started?.body.type === "run.started" ? (started.body.parent ?? null) : null;
}
