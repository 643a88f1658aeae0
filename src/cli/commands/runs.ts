import { exitCodes } from "../../model/outcome.ts";
import { limits } from "../../model/limits.ts";
import type { JournalReader, Queued, RunRow } from "../../ports/journal.ts";
import { elapsed } from "../../views/words.ts";
import { escaped, inertLine } from "../../views/inert.ts";
import { placeText } from "../queue.ts";
import { instant, runList } from "../report.ts";
import { fit, lineColumns, pad, width } from "../screen/text.ts";
import { reading } from "../store/stored-run.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

export interface RunsOptions {
  readonly limit: number;
  readonly json?: true;
  /** Also those inside others. */
  readonly all?: true;
}

export function runs(world: World, options: RunsOptions): Promise<number> {
  return reading(world, async (journal) => {
    const top = journal.runs(options.limit);
    const queued = journal.queued();
    const rows = options.all === true ? withInside(journal, top) : top;
    if (options.json === true) world.out.write(jsonLine(runList(rows, queued)));
    else print(world, rows, queued);
    return exitCodes.ok;
  });
}

function print(world: World, rows: readonly RunRow[], queued: readonly Queued[]): void {
  world.out.write(table(rows, lineColumns(world.out)));
  for (const { run, blueprint, ahead } of queued)
    world.err.write(`waiting: run ${run} (${escaped(blueprint)}): ${escaped(placeText(ahead))}\n`);
  if (rows.length === 0) world.err.write("no runs are kept here; start one with: trammel run TASK -b FILE\n");
}

/** Each run followed by those inside it, oldest first: at most `limits.runsListed` of one run. */
function withInside(journal: JournalReader, rows: readonly RunRow[]): readonly RunRow[] {
  return rows.flatMap((row) => [row, ...withInside(journal, journal.runs(limits.runsListed, row.run).toReversed())]);
}

/** Those inside are indented, and named by their place in the run around them. */
function nameOf({ blueprint, parent }: RunRow): string {
  if (parent === undefined) return blueprint;
  const depth = parent.path.split("/").length - 1;
  return "  ".repeat(depth) + parent.path.split("/").slice(-2).join("/").slice(0, -1);
}

/** Columns as wide as what stands in them; the last one takes what is left of the line. */
function table(rows: readonly RunRow[], columns: number): string {
  const cells = rows.map((row) => [
    row.run,
    instant(row.startedAt).slice(5, 16).replace("T", " "),
    row.status,
    row.endedAt === null ? "" : elapsed(row.endedAt - row.startedAt),
    fit(nameOf(row), limits.blueprintNameColumns),
    inertLine(row.reason ?? row.task),
  ]);
  const widths = cells.reduce<readonly number[]>(
    (most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, width(cell))),
    [],
  );
  return cells
    .map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : pad(cell, widths[at] ?? 0))).join("  "))
    .map((line) => `${fit(line, columns).trimEnd()}\n`)
    .join("");
}
