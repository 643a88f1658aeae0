import type { JournalReader } from "../../ports/journal.ts";
import { mentionedIn } from "../../runtime/blobs/mentioned.ts";

/** A run and those inside it. */
export function familyOf(journal: Pick<JournalReader, "runs">, run: string): readonly string[] {
  const inside = journal.runs(Number.MAX_SAFE_INTEGER, run);
  return [run, ...inside.flatMap((one) => familyOf(journal, one.run))];
}

/** Hashes of the blobs that a run may refer to. */
export function blobsOf(journal: Pick<JournalReader, "records">, run: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { body } of journal.records(run)) for (const hash of mentionedIn(body)) found.add(hash);
  return found;
}
