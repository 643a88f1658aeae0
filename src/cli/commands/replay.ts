import type { Config } from "../../config/config.ts";
import type { Difference } from "../../engine/recompute.ts";
import type { EventBody, JournalEvent } from "../../model/events.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { inert } from "../../views/inert.ts";
import { sentence } from "../../views/plain.ts";
import { readDocument } from "../documents/document.ts";
import { bind, prepare, readConfig } from "../running/prepare.ts";
import { bodyIn, mapsAround } from "../store/inner-runs.ts";
import { isProblem, type Problem, report } from "../problem.ts";
import { findRun, openStoreToRead } from "../store/stored-run.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

interface Replayed {
  readonly run: string;
  readonly events: number;
  /** `seq` is the number of the event in the journal. */
  readonly difference: (Omit<Difference, "index"> & { readonly seq: number }) | null;
}

export interface ReplayOptions {
  readonly json?: true;
  /** Another blueprint to play the recorded outcomes to. */
  readonly with?: string;
}

/** Recomputes a run from what came from the world, without a process or a model: the journal must say what the engine decides. */
export async function replay(world: World, run: string, options: ReplayOptions): Promise<number> {
  const journal = await openStoreToRead(world);
  const stored = storedRun(journal, run);
  await journal.close();
  if (isProblem(stored)) return report(world, stored);
  const config = await readConfig(world, stored.row.cwd);
  if (typeof config === "number") return config;
  if (options.with !== undefined) return replayWith(world, stored, config, options.with, options.json === true);
  const replayed = await replayOf(stored, config);
  if (isProblem(replayed)) return report(world, replayed);
  world.out.write(options.json === true ? jsonLine(replayed) : text(replayed));
  return replayed.difference === null ? exitCodes.ok : exitCodes.failed;
}

interface Stored {
  readonly row: RunRow;
  readonly parts: readonly Part[];
  readonly events: readonly JournalEvent[];
  /** The maps that it is an item of. */
  readonly maps: readonly string[];
}

/** Events that one definition led to: of the start, or of a resume that accepted another. */
interface Part {
  /** Places in the journal, the latter exclusive. */
  readonly from: number;
  readonly to: number;
  /** Null where it is not kept any more. */
  readonly document: string | null;
}

function storedRun(journal: JournalReader, run: string): Stored | Problem {
  const row = findRun(journal, run);
  if (isProblem(row)) return row;
  const events = [...journal.read(row.run)];
  return { row, parts: partsOf(journal, row, events), events, maps: mapsAround(journal, row) };
}

function partsOf(journal: JournalReader, row: RunRow, events: readonly JournalEvent[]): readonly Part[] {
  const accepted = events.flatMap(({ body }, from) =>
    body.type === "run.resumed" && body.accepted !== undefined ? [{ from, hash: body.accepted.contentHash }] : [],
  );
  const [first] = events;
  // An item of a map keeps the document around it.
  const started = accepted.length > 0 && first?.body.type === "run.started" ? first.body.contentHash : row.definition;
  const starts = [{ from: 0, hash: started }, ...accepted];
  return starts.map(({ from, hash }, i) => {
    const to = starts[i + 1]?.from ?? events.length;
    return { from, to, document: journal.definition(hash) };
  });
}

async function replayOf({ row, parts, events, maps }: Stored, config: Config): Promise<Replayed | Problem> {
  const [{ checkDocument }, { recompute }, { compile }] = await Promise.all([
    import("../plugins/plugins.ts"),
    import("../../engine/recompute.ts"),
    import("../../graph/plan.ts"),
  ]);
  for (const { from, to, document } of parts) {
    const kept = document === null ? null : (await checkDocument(document, config)).blueprint;
    const blueprint = kept === null ? null : bodyIn(kept, maps);
    if (blueprint === null) {
      const what =
        from === 0 ? `the blueprint of run ${row.run}` : `what run ${row.run} went on with at event ${from + 1}`;
      const message = `${what} is not kept any more, or this version refuses it`;
      return { exit: exitCodes.failed, message, hint: `trammel show ${row.run} prints what was recorded.` };
    }
    const difference = recompute(compile(await bind(blueprint, config)), events.slice(0, to), from);
    if (difference === null) continue;
    const { index, recorded, recomputed } = difference;
    return { run: row.run, events: to, difference: { seq: index + 1, recorded, recomputed } };
  }
  return { run: row.run, events: events.length, difference: null };
}

/** Tells what would have gone another way with another blueprint. */
async function replayWith(world: World, stored: Stored, config: Config, file: string, json: boolean): Promise<number> {
  const document = readDocument(file, world.cwd);
  if (isProblem(document)) return report(world, document);
  const prepared = await prepare(world, document, config);
  if (typeof prepared === "number") return prepared;
  const { whatIf, whatIfText } = await import("../../views/what-if.ts");
  const { run } = stored.row;
  const seen = whatIf(
    stored.events.map(({ body }) => body),
    prepared.blueprint,
  );
  if (seen === null)
    return report(world, { exit: exitCodes.failed, message: `the journal of run ${run} has no start` });
  world.out.write(json ? jsonLine({ run, ...seen }) : whatIfText(run, file, seen));
  return exitCodes.ok;
}

function text({ run, events, difference }: Replayed): string {
  if (difference === null) return `${run}: ${events} events recomputed, the same\n`;
  const { seq, recorded, recomputed } = difference;
  const basis = "with the blueprint as the run keeps it and the limits of the configuration as it is now";
  return `${run}: event ${seq} differs, ${basis}\n  recorded    ${line(recorded)}\n  recomputed  ${line(recomputed)}\n`;
}

function line(body: EventBody | null): string {
  return body === null ? "nothing" : inert(`${body.type}: ${sentence(body) ?? ""}`).replace(/\s+/g, " ");
}
