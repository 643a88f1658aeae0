import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { version } from "../version.ts";
import { bindingsOf } from "../../views/bindings.ts";
import { blobsIn, eventsOf, factsOf } from "./facts.ts";
import { insideOf } from "./inside.ts";
import { sealOf, sha256, textOf } from "./text.ts";

/**
 * The text of what a run leaves behind for somebody without its store, which tells what `isKept` says is gone of its
 * outputs; null where the journal does not begin with the start of the run.
 */
export async function makeReceipt(
  journal: JournalReader,
  { run, definition: latest }: RunRow,
  isKept: (blob: string) => boolean,
): Promise<string | null> {
  const records = [...journal.records(run)];
  const [, ...accepted] = bindingsOf(records.flatMap(eventsOf).map(({ body }) => body)).map(
    ({ bound }) => bound.contentHash,
  );
  const texts = definitionsOf(journal, run, accepted, latest);
  const { facts } = await factsOf(records, texts);
  const last = records.at(-1);
  if (facts === null || last === undefined) return null;
  const [definition = null, ...others] = texts.map((text) => (text === null ? null : { sha256: sha256(text), text }));
  const inside = insideOf(journal, run);
  const gone = [...blobsIn([records, ...inside.map((one) => one.journal.records)])].filter((blob) => !isKept(blob));
  const fields = {
    format: "trammel-receipt",
    version: 1,
    trammel: version,
    run,
    ...facts,
    journal: { head: { seq: last.seq + last.events - 1, hash: last.hash }, records },
    definition,
    ...(others.length === 0 ? {} : { acceptedDefinitions: others }),
    ...(inside.length === 0 ? {} : { inside }),
    ...(gone.length === 0 ? {} : { gone }),
  };
  return textOf({ ...fields, seal: sealOf(fields) });
}

/**
 * Those that are still kept. An item of a map keeps the document around it, under another hash than its start names.
 */
function definitionsOf(
  journal: JournalReader,
  run: string,
  accepted: readonly string[],
  latest: string,
): readonly (string | null)[] {
  if (accepted.length === 0) return [journal.definition(latest)];
  const [first] = journal.read(run);
  const started = first?.body.type === "run.started" ? first.body.contentHash : latest;
  return [started, ...accepted].map((hash) => journal.definition(hash));
}
