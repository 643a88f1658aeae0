import { exitCodes } from "../../model/outcome.ts";
import type { RunRow } from "../../ports/journal.ts";
import { elapsed } from "../../views/words.ts";
import { inert } from "../../views/inert.ts";
import { instant, runList } from "../report.ts";
import { fit, pad } from "../screen/text.ts";
import { openStore } from "../stored-run.ts";
import type { World } from "../world.ts";

export interface RunsOptions {
  readonly limit: number;
  readonly json?: true;
}

export async function runs(world: World, options: RunsOptions): Promise<number> {
  const journal = await openStore(world);
  const rows = journal.runs(options.limit);
  world.out.write(options.json === true ? `${JSON.stringify(runList(rows))}\n` : table(rows, world.out.size().columns));
  if (rows.length === 0 && options.json !== true)
    world.err.write("no runs yet; start one with: trammel run TASK -b FILE\n");
  await journal.close();
  return exitCodes.ok;
}

function table(rows: readonly RunRow[], columns: number): string {
  const idColumns = Math.max(0, ...rows.map((row) => row.run.length));
  return rows
    .map((row) => {
      const started = instant(row.startedAt).slice(0, 16).replace("T", " ");
      const took = row.endedAt === null ? "" : elapsed(row.endedAt - row.startedAt);
      const about = row.reason ?? row.task;
      const line = `${pad(row.run, idColumns)}  ${started}Z  ${pad(row.status, 15)}  ${pad(took, 7)}  ${pad(row.blueprint, 20)}  ${inert(about).replace(/\s+/g, " ")}`;
      return `${fit(line, columns).trimEnd()}\n`;
    })
    .join("");
}
