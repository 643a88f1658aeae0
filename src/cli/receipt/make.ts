import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { version } from "../version.ts";
import { factsOf } from "./facts.ts";
import { sealOf, sha256, textOf } from "./text.ts";

/** The text of what a run leaves behind for somebody without its store; null where the journal does not begin with the start of the run. */
export async function makeReceipt(journal: JournalReader, { run, definition: stored }: RunRow): Promise<string | null> {
  const records = [...journal.records(run)];
  const definition = journal.definition(stored);
  const { facts } = await factsOf(records, definition);
  const last = records.at(-1);
  if (facts === null || last === undefined) return null;
  const fields = {
    format: "trammel-receipt",
    version: 1,
    trammel: version,
    run,
    ...facts,
    journal: { head: { seq: last.seq + last.events - 1, hash: last.hash }, records },
    definition: definition === null ? null : { sha256: sha256(definition), text: definition },
  };
  return textOf({ ...fields, seal: sealOf(fields) });
}
