import type { JournalReader } from "../../ports/journal.ts";

/**
 * A hash by itself, or as the path of its file. Anything that looks like one
 * counts: what is kept needlessly does no harm.
 */
const mention = /(?<![0-9a-f])[0-9a-f]{2}\/?[0-9a-f]{62}(?![0-9a-f])/g;

/** A run and those inside it. */
export function familyOf(journal: Pick<JournalReader, "runs">, run: string): readonly string[] {
  const inside = journal.runs(Number.MAX_SAFE_INTEGER, run);
  return [run, ...inside.flatMap((one) => familyOf(journal, one.run))];
}

/** Hashes of the blobs that a run may refer to. */
export function blobsOf(journal: Pick<JournalReader, "records">, run: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { body } of journal.records(run))
    for (const [text] of body.matchAll(mention)) found.add(text.replace("/", ""));
  return found;
}
