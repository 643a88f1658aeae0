import { chain, genesis } from "../../hosts/embedded/chain.ts";
import { eventVersion } from "../../model/events.ts";
import type { Receipt } from "../../wire/receipt.ts";

export interface BadPlace {
  /** A path in the receipt, or `file`. */
  readonly place: string;
  readonly problem: string;
}

/**
 * The first record of a run that is not what its journal held; `at` is where the run
 * stands in the receipt: empty, or ending with a dot.
 */
export function brokenRecord(run: string, { head, records }: Receipt["journal"], at: string): BadPlace | null {
  let before = genesis;
  let next = 1;
  for (const [index, record] of records.entries()) {
    const place = `${at}journal.records[${index}]`;
    if (chain(before, run, record) !== record.hash)
      return { place, problem: "it is not what was recorded, or not chained to the record before it" };
    if (record.version > eventVersion)
      return { place, problem: `it has version ${record.version}, and this Trammel reads up to ${eventVersion}` };
    // A record that a crash cut short leaves a gap; its numbers are not used again.
    if (record.seq < next || eventsIn(record.body) !== record.events)
      return { place, problem: "its events are not numbered as they stand" };
    before = record.hash;
    next = record.seq + record.events;
  }
  return head.hash === before && head.seq === next - 1
    ? null
    : { place: `${at}journal.head`, problem: "it is not the last record" };
}

function eventsIn(body: string): number {
  try {
    const events: unknown = JSON.parse(body);
    return Array.isArray(events) ? events.length : 0;
  } catch {
    return 0;
  }
}
