import type { Blueprint } from "../../model/blueprint.ts";
import type { CalleePins, EventBody } from "../../model/events.ts";
import type { JournalRecord } from "../../ports/journal.ts";
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
    contents: blueprints.map((one, i) => (one === null ? null : contentOf(one, bindings[i]?.calls))),
  };
}

/** What a run was bound to when it started, and each time that it went on with something else. */
export function bindingsOf(
  events: readonly EventBody[],
): readonly { readonly contentHash: string; readonly calls?: CalleePins }[] {
  return events.flatMap((body) => {
    if (body.type === "run.started") return [body];
    return body.type === "run.resumed" && body.accepted !== undefined ? [body.accepted] : [];
  });
}

export function eventsOf({ at, body }: JournalRecord): readonly TimedEvent[] {
  // What the chain holds was written by the journal, from the same union.
  return (JSON.parse(body) as EventBody[]).map((one) => ({ at, body: one }));
}
