import type { Blueprint } from "../../model/blueprint.ts";
import type { CalleePins } from "../../model/bound.ts";
import type { EventBody } from "../../model/events.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { receiptFacts, type ReceiptFacts, type TimedEvent } from "../../views/receipt-facts.ts";
import { sha256 } from "./text.ts";

export interface Recomputed {
  readonly facts: ReceiptFacts | null;
  /** Content hash of each definition; null where this version does not read it. */
  readonly contents: readonly (string | null)[];
}

/** What the records and the definitions say: that of the start, then each that was accepted. A body is JSON. */
export async function factsOf(
  records: readonly JournalRecord[],
  definitions: readonly (string | null)[],
): Promise<Recomputed> {
  const [{ check }, { canonical }, { withPins }] = await Promise.all([
    import("../../check/check.ts"),
    import("../../language/canonical.ts"),
    import("../documents/callees.ts"),
  ]);
  const events = records.flatMap(eventsOf);
  const blueprints = definitions.map((text) => (text === null ? null : check(text, {}).blueprint));
  const bindings = bindingsOf(events.map(({ body }) => body));
  // The content of a blueprint covers that of what it calls.
  const contentOf = (blueprint: Blueprint, calls: CalleePins = {}): string =>
    sha256(canonical(withPins(blueprint, calls)));
  return {
    facts: receiptFacts(events, blueprints),
    contents: blueprints.map((one, i) => (one === null ? null : contentOf(one, bindings[i]?.bound.calls))),
  };
}

export function eventsOf({ at, body }: JournalRecord): readonly TimedEvent[] {
  // What the chain holds was written by the journal, from the same union.
  return (JSON.parse(body) as EventBody[]).map((one) => ({ at, body: one }));
}
