import type { ParentLink } from "../../model/events.ts";
import type { JournalReader, JournalRecord } from "../../ports/journal.ts";
import { idOfInside, segmentOf } from "../../runtime/inner/place.ts";
import { type Approval, receiptFacts } from "../../views/receipt-facts.ts";
import type { Receipt } from "../../wire/receipt.ts";
import { eventsOf, parentOf } from "./facts.ts";
import { type BadPlace, brokenRecord } from "./records.ts";

type Inside = NonNullable<Receipt["inside"]>[number];

interface InsideFacts {
  readonly path: string;
  readonly parent: ParentLink | null;
  readonly approvals: readonly Approval[];
}

/** The runs inside a run, each after the one around it and oldest first. */
export function insideOf(journal: JournalReader, run: string, around = ""): readonly InsideMade[] {
  return journal
    .runs(Number.MAX_SAFE_INTEGER, run)
    .toReversed()
    .flatMap((row): readonly InsideMade[] => {
      const records = [...journal.records(row.run)];
      const last = records.at(-1);
      if (last === undefined) return [];
      const { path, approvals } = factsOf(records, around);
      const head = { seq: last.seq + last.events - 1, hash: last.hash };
      return [{ run: row.run, path, approvals, journal: { head, records } }, ...insideOf(journal, row.run, `${path}/`)];
    });
}

interface InsideMade {
  readonly run: string;
  readonly path: string;
  readonly approvals: readonly Approval[];
  readonly journal: { readonly head: Inside["journal"]["head"]; readonly records: readonly JournalRecord[] };
}

/**
 * The first place in the runs inside that does not fit; the name of such a run is told by the run around it and the
 * node there. Whether they are all there, and whole, is for `wholeInside` to tell.
 */
export function badInside({ run: top, inside = [] }: Receipt): BadPlace | null {
  const paths = new Map([[top, ""]]);
  for (const [index, { run, path, approvals, journal }] of inside.entries()) {
    const at = `inside[${index}]`;
    const broken = brokenRecord(run, journal, `${at}.`);
    if (broken !== null) return broken;
    if (paths.has(run)) return { place: `${at}.run`, problem: "it stands there twice" };
    const parent = parentOf(journal.records);
    const around = parent === null ? undefined : paths.get(parent.run);
    if (parent === null || around === undefined || idOfInside(parent) !== run)
      return { place: `${at}.run`, problem: "it is no run inside this one" };
    const facts = factsOf(journal.records, around);
    if (facts.path !== path) return { place: `${at}.path`, problem: "it is not what the records say" };
    if (JSON.stringify(facts.approvals) !== JSON.stringify(approvals))
      return { place: `${at}.approvals`, problem: "it is not what the records say" };
    paths.set(run, `${path}/`);
  }
  return null;
}

function factsOf(records: readonly JournalRecord[], around: string): InsideFacts {
  const parent = parentOf(records);
  const facts = receiptFacts(records.flatMap(eventsOf), []);
  return { path: around + (parent === null ? "" : segmentOf(parent)), parent, approvals: facts?.approvals ?? [] };
}
