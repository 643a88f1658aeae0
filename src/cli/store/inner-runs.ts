import { bodyBlueprint } from "../../graph/body.ts";
import { segmentOf as placeOf } from "../../runtime/inner/place.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { JournalReader, RunRow } from "../../ports/journal.ts";
import type { World } from "../world.ts";
import { type OpenGate, openGates } from "../../views/open-gates.ts";

/** A gate that waits, in a run or in one inside it. */
export interface WaitingGate extends OpenGate {
  /** The run that asks. */
  readonly row: RunRow;
  /** From the run that was looked at: `call/child`, `map[2]/child`. */
  readonly path: string;
  /** Number of the last event of the run that asks, when this was read. */
  readonly read: number;
}

/** One with the texts that it shows, and what may be answered. */
export interface AskedGate extends WaitingGate {
  readonly shown: readonly string[];
  readonly choices: readonly string[];
}

/** The gates that wait in a run and in those inside it, oldest first in each; none in what has halted or is over. */
export function waitingGates(journal: JournalReader, row: RunRow, prefix = ""): readonly WaitingGate[] {
  if (row.endedAt !== null) return [];
  const events = [...journal.read(row.run)];
  const read = events.at(-1)?.seq ?? 0;
  // Whom an agent asked is not asked any more once that is gone.
  const open = openGates(events).filter(({ gate }) => gate.leave !== true || row.status !== "interrupted");
  const own = open.map((one) => ({ ...one, row, path: `${prefix}${one.gate.node}`, read }));
  const inside = liveInside(journal, row).flatMap((child) =>
    waitingGates(journal, child, `${prefix}${segmentOf(child)}/`),
  );
  return [...own, ...inside];
}

/** Those directly inside, in the order in which they began. */
export function insideOf(journal: JournalReader, { run }: RunRow): readonly RunRow[] {
  return journal.runs(Number.MAX_SAFE_INTEGER, run).toReversed();
}

function liveInside(journal: JournalReader, { run }: RunRow): readonly RunRow[] {
  return journal.runs(Number.MAX_SAFE_INTEGER, run, "live").toReversed();
}

/** As a run stands in a path: `call`, `map[2]`. */
export function segmentOf({ parent }: RunRow): string {
  return parent === undefined ? "" : placeOf(parent);
}

/** The run inside that a path leads into, whatever became of it, and the node there; null where it leads nowhere. */
export function insideAt(
  journal: JournalReader,
  row: RunRow,
  path: string,
): { readonly row: RunRow; readonly node: string } | null {
  const slash = path.indexOf("/");
  if (slash < 0) return { row, node: path };
  const next = journal
    .runs(Number.MAX_SAFE_INTEGER, row.run)
    .find((child) => segmentOf(child) === path.slice(0, slash));
  return next === undefined ? null : insideAt(journal, next, path.slice(slash + 1));
}

/** The run around all others, which is the one that goes on. */
export function topOf(journal: JournalReader, row: RunRow): RunRow {
  const around = row.parent === undefined ? null : journal.find(row.parent.run);
  return around === null ? row : topOf(journal, around);
}

/** What a run carries out, without what configuration supplies; null where its definition is gone. */
export async function blueprintOf(
  world: Pick<World, "env">,
  journal: JournalReader,
  row: RunRow,
): Promise<Blueprint | null> {
  const document = journal.definition(row.definition);
  if (document === null) return null;
  const kept = await (await import("../plugins/plugins.ts")).readKept(world, row.cwd, document);
  return kept === null ? null : bodyIn(kept, mapsAround(journal, row));
}

/** The same where plug-ins are gone, which is enough to end it. */
export async function blueprintToEnd(
  world: Pick<World, "env">,
  journal: JournalReader,
  row: RunRow,
): Promise<Blueprint | null> {
  const known = await blueprintOf(world, journal, row);
  const document = journal.definition(row.definition);
  if (known !== null || document === null) return known;
  const [{ standIns }, { check }] = await Promise.all([
    import("../plugins/stand-ins.ts"),
    import("../../check/check.ts"),
  ]);
  const { blueprint } = check(document, { plugins: standIns(document)[0] ?? [] });
  return blueprint === null ? null : bodyIn(blueprint, mapsAround(journal, row));
}

/** The maps that a run is an item of, the outermost first: it keeps the document around them. */
export function mapsAround(journal: JournalReader, { parent }: RunRow): readonly string[] {
  if (parent?.item === undefined) return [];
  const outer = journal.find(parent.run);
  return [...(outer === null ? [] : mapsAround(journal, outer)), parent.node];
}

/** What an item of these maps carries out: the body of the last; null where there is no such map. */
export function bodyIn(around: Blueprint, [first, ...more]: readonly string[]): Blueprint | null {
  if (first === undefined) return around;
  const map = around.nodes.get(first);
  if (map?.type !== "map") return null;
  return bodyIn(bodyBlueprint(around, map.do), more);
}
