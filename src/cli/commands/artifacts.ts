import { createReadStream, createWriteStream, mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { exitCodes } from "../../model/outcome.ts";
import { messageOf } from "../../model/thrown.ts";
import { escaped } from "../../views/inert.ts";
import type { Artifacts } from "../../wire/artifacts.ts";
import { type Artifact, artifactsOf } from "../artifacts.ts";
import { dataHome } from "../store/home.ts";
import { jsonLine } from "../json.ts";
import { report, usage } from "../problem.ts";
import { readingRun } from "../store/stored-run.ts";
import type { World } from "../world.ts";

export interface ArtifactsOptions {
  readonly out?: string;
  readonly json?: true;
}

/** Lists what a run left behind beside its journal, or copies it into a folder. */
export function artifacts(world: World, run: string, options: ArtifactsOptions): Promise<number> {
  return readingRun(world, run, async (row, journal) => {
    const home = dataHome(world.env, world.cwd);
    const { openBlobs } = await world.compose();
    const found = artifactsOf({ journal, blobs: openBlobs(home), home }, row.run);
    const problem = options.out === undefined ? null : await copy(found, resolve(world.cwd, options.out));
    if (problem !== null) return report(world, usage(problem, "Name a folder that is not there yet, or is empty."));
    print(world, row.run, found, options);
    const missing = found.filter((one) => one.row.missing).length;
    return missing > 0 && options.out !== undefined ? exitCodes.failed : exitCodes.ok;
  });
}

function print(world: World, run: string, found: readonly Artifact[], { json, out }: ArtifactsOptions): void {
  const rows = found.map(({ row }) => row);
  if (json === true) return world.out.write(jsonLine({ run, artifacts: rows } satisfies Artifacts));
  for (const row of rows) {
    const notes = [row.cut ? "cut at limits.output" : "", row.missing ? "gone" : ""].filter((one) => one !== "");
    const where = out === undefined ? (row.file ?? "in the journal") : join(out, row.name);
    const line = `${row.name}  ${row.bytes} bytes  ${row.missing ? "" : where}`;
    world.out.write(`${escaped(`${line.trimEnd()}${notes.map((one) => `  (${one})`).join("")}`)}\n`);
  }
  if (rows.length === 0) world.err.write(`run ${run} left nothing behind\n`);
}

/** Nothing that is there already is overwritten. Answers why it could not go on, or null. */
async function copy(found: readonly Artifact[], folder: string): Promise<string | null> {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { row, text } of found) {
      const to = join(folder, row.name);
      if (text !== null) await writeFile(to, text, { flag: "wx" });
      else if (row.file !== null && !row.missing)
        await pipeline(createReadStream(row.file), createWriteStream(to, { flags: "wx" }));
    }
    return null;
  } catch (error) {
    return `the artifacts cannot be written: ${messageOf(error)}`;
  }
}
