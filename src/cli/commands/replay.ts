import type { Config } from "../../config/config.ts";
import type { EventBody } from "../../model/events.ts";
import { exitCodes } from "../../model/outcome.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import { inert, inertLine } from "../../views/inert.ts";
import type { WhatIf } from "../../views/what-if.ts";
import { sentence } from "../../views/plain.ts";
import { readDocument } from "../documents/document.ts";
import { bind, prepare, readConfig } from "../running/prepare.ts";
import { isProblem, report, usage } from "../problem.ts";
import { findRun, openStoreToRead } from "../store/stored-run.ts";
import type { DefinitionOf, Replayed } from "../store/replayed.ts";
import { dataHome } from "../store/home.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

export interface ReplayOptions {
  readonly json?: true;
  /** Another blueprint to play the recorded outcomes to. */
  readonly with?: string;
}

/**
 * Recomputes a run and those inside it from what came from the world, without a process or
 * a model: the journal must say what the engine decides.
 */
export async function replay(world: World, run: string, options: ReplayOptions): Promise<number> {
  const journal = await openStoreToRead(world);
  try {
    const row = findRun(journal, run);
    if (isProblem(row)) return report(world, row);
    const config = await readConfig(world, row.cwd);
    if (typeof config === "number") return config;
    const json = options.json === true;
    return options.with === undefined
      ? await replayAsItWas(world, journal, row, config, json)
      : await replayWith(world, journal, row, config, options.with, json);
  } finally {
    await journal.close();
  }
}

async function replayAsItWas(
  world: World,
  journal: JournalReader,
  row: RunRow,
  config: Config,
  json: boolean,
): Promise<number> {
  const { replayAll } = await import("../store/replayed.ts");
  const all = await replayAll(journal, row, keptDefinition(journal, config));
  const unread = all.find((one) => one.unread !== undefined);
  if (unread !== undefined) return report(world, notKept(unread));
  world.out.write(json ? jsonLine(asReport(all)) : text(all));
  return all.every(({ difference }) => difference === null) ? exitCodes.ok : exitCodes.failed;
}

/** Each is read once, however many items of a map were carried out by it. */
function keptDefinition(journal: JournalReader, config: Config): DefinitionOf {
  const known = new Map<string, ReturnType<DefinitionOf>>();
  const read = async (hash: string): ReturnType<DefinitionOf> => {
    const { checkDocument } = await import("../plugins/plugins.ts");
    const document = journal.definition(hash);
    const blueprint = document === null ? null : (await checkDocument(document, config)).blueprint;
    return blueprint === null ? null : bind(blueprint, config);
  };
  return (hash) => {
    const reading = known.get(hash) ?? read(hash);
    known.set(hash, reading);
    return reading;
  };
}

function notKept({ run, unread = 0 }: Replayed): { exit: number; message: string; hint: string } {
  const what = unread === 0 ? `the blueprint of run ${run}` : `what run ${run} went on with at event ${unread + 1}`;
  const message = `${what} is not kept any more, or this version refuses it`;
  return { exit: exitCodes.failed, message, hint: `trammel show ${run} prints what was recorded.` };
}

/** Tells what would have gone another way with another blueprint. */
async function replayWith(
  world: World,
  journal: JournalReader,
  row: RunRow,
  config: Config,
  file: string,
  json: boolean,
): Promise<number> {
  const { run } = row;
  const document = readDocument(file, world.cwd);
  if (isProblem(document)) return report(world, document);
  const prepared = await prepare(world, document, config);
  if (typeof prepared === "number") return prepared;
  const [{ Trial }, { bodyIn, mapsAround }, { whatIfText }] = await Promise.all([
    import("../store/tried.ts"),
    import("../store/inner-runs.ts"),
    import("../../views/what-if-text.ts"),
  ]);
  const maps = mapsAround(journal, row);
  const blueprint = bodyIn(prepared.blueprint, maps);
  if (blueprint === null)
    return report(world, usage(`run ${run} is an item of ${maps.join("/")}, and ${file} has no such map`));
  const { openBlobs } = await world.compose();
  const blobs = openBlobs(dataHome(world.env, world.cwd));
  const tried = await new Trial(journal, blobs, keptDefinition(journal, config), prepared.callees).of(row, blueprint);
  if (tried === null)
    return report(world, { exit: exitCodes.failed, message: `the journal of run ${run} has no start` });
  const { seen, inside } = tried;
  const shown = {
    run,
    ...asSeen(seen),
    inside: inside.map((one) => ({ path: one.path, run: one.run, ...asSeen(one) })),
  };
  world.out.write(json ? jsonLine(shown) : whatIfText(run, file, seen, inside));
  return exitCodes.ok;
}

function asSeen({ before, after, starts, halts, assumed, changed, decisions }: WhatIf): WhatIf {
  return { before, after, starts, halts, assumed, changed, decisions };
}

function asReport([top, ...inside]: readonly Replayed[]): object {
  return {
    run: top?.run ?? "",
    events: top?.events ?? 0,
    difference: top?.difference ?? null,
    inside: inside.map(({ run, path, events, difference }) => ({ run, path, events, difference })),
  };
}

/** The run and what is inside of it in one line while all of it is the same; else a line for each that is not. */
function text(all: readonly Replayed[]): string {
  const [top, ...inside] = all;
  const differing = all.filter(({ difference }) => difference !== null);
  const count = (of: readonly Replayed[]): number => of.reduce((sum, { events }) => sum + events, 0);
  if (differing.length > 0) return differing.map(differenceText).join("");
  const runs = `${inside.length} ${inside.length === 1 ? "run" : "runs"} inside it`;
  const also = inside.length === 0 ? "" : `, and ${count(inside)} of ${runs}`;
  return `${top?.run ?? ""}: ${top?.events ?? 0} events${also} recomputed, the same\n`;
}

function differenceText({ run, path, difference }: Replayed): string {
  if (difference === null) return "";
  const { seq, recorded, recomputed } = difference;
  const at = path === "" ? "" : ` (${inert(path)})`;
  const basis = "with the blueprint and the limits that it was bound to";
  return `${run}${at}: event ${seq} differs, ${basis}\n  recorded    ${line(recorded)}\n  recomputed  ${line(recomputed)}\n`;
}

function line(body: EventBody | null): string {
  return body === null ? "nothing" : inertLine(`${body.type}: ${sentence(body) ?? ""}`);
}
