import { exitCodes } from "../../model/outcome.ts";
import type { RunRow } from "../../ports/journal.ts";
import { elapsed } from "../../views/words.ts";
import { inert } from "../../views/inert.ts";
import { instant, runList } from "../report.ts";
import { fit, pad, width } from "../screen/text.ts";
import { openStoreToRead } from "../stored-run.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

/** Of the blueprint's name. */
const nameColumns = 24;

export interface RunsOptions {
  readonly limit: number;
  readonly json?: true;
}

export async function runs(world: World, options: RunsOptions): Promise<number> {
  const journal = await openStoreToRead(world);
  const rows = journal.runs(options.limit);
  world.out.write(options.json === true ? jsonLine(runList(rows)) : table(rows, world.out.size().columns));
  if (rows.length === 0 && options.json !== true)
    world.err.write("no runs yet; start one with: trammel run TASK -b FILE\n");
  await journal.close();
  return exitCodes.ok;
}

/** Columns as wide as what stands in them; the last one takes what is left of the line. */
function table(rows: readonly RunRow[], columns: number): string {
  const cells = rows.map((row) => [
    row.run,
    instant(row.startedAt).slice(5, 16).replace("T", " "),
    row.status,
    row.endedAt === null ? "" : elapsed(row.endedAt - row.startedAt),
    fit(row.blueprint, nameColumns),
    inert(row.reason ?? row.task).replace(/\s+/g, " "),
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
