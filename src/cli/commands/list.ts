import { join, relative } from "node:path";
import { exitCodes } from "../../model/outcome.ts";
import { inert } from "../../views/inert.ts";
import type { BlueprintList } from "../../wire/blueprint-list.ts";
import { blueprintFolder, findBlueprint, listBlueprints } from "../documents/document.ts";
import { checkDocument, configHere } from "../plugins/plugins.ts";
import { isProblem } from "../problem.ts";
import { fit, pad, width } from "../screen/text.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

type Listed = BlueprintList["blueprints"][number];

/** Lists the blueprints that `run -b NAME` understands here. One that does not check is listed as such. */
export async function list(world: World, options: { readonly json?: true }): Promise<number> {
  const config = configHere(world);
  const blueprints = await Promise.all(listBlueprints(world.cwd).map((name) => look(world, name, config)));
  if (options.json === true) world.out.write(jsonLine({ blueprints } satisfies BlueprintList));
  else world.out.write(table(blueprints, world.out.size().columns));
  if (blueprints.length === 0 && options.json !== true) {
    world.err.write(
      `no blueprints in ${join(world.cwd, blueprintFolder)}; any file runs with: trammel run TASK -b FILE\n`,
    );
  }
  return exitCodes.ok;
}

async function look(world: World, name: string, config: ReturnType<typeof configHere>): Promise<Listed> {
  const document = findBlueprint(name, world.cwd);
  if (isProblem(document)) return { name, file: null, valid: false, note: document.message };
  const { blueprint, diagnostics } = await checkDocument(document.text, config);
  const note =
    blueprint === null
      ? (diagnostics.find((one) => one.severity === "error")?.message ?? null)
      : (blueprint.note ?? null);
  return { name, file: relative(world.cwd, document.file), valid: blueprint !== null, note };
}

function table(rows: readonly Listed[], columns: number): string {
  const nameColumns = Math.max(0, ...rows.map((row) => width(row.name)));
  const line = (row: Listed): string =>
    `${row.valid ? "✓" : "✗"} ${pad(row.name, nameColumns)}  ${inert(row.note ?? "").replace(/\s+/g, " ")}`;
  return rows.map((row) => `${fit(line(row), columns).trimEnd()}\n`).join("");
}
