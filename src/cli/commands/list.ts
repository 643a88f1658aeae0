import { relative } from "node:path";
import { exitCodes } from "../../model/outcome.ts";
import { escaped, inertLine } from "../../views/inert.ts";
import type { BlueprintList } from "../../wire/blueprint-list.ts";
import { findBlueprint, keptFolder, listBlueprints, shippedBlueprints } from "../documents/by-name.ts";
import { checkDocument, configHere } from "../plugins/plugins.ts";
import { isProblem } from "../problem.ts";
import { fit, lineColumns, pad, width } from "../screen/text.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

type Listed = BlueprintList["blueprints"][number];

/** Lists the blueprints that `run -b NAME` understands here, the project's first. One that does not check is listed. */
export async function list(world: World, options: { readonly json?: true }): Promise<number> {
  const config = configHere(world);
  const own = listBlueprints(world.cwd);
  const shipped = [...shippedBlueprints().keys()].filter((name) => !own.includes(name));
  const blueprints = await Promise.all([
    ...own.map((name) => look(world, name, false, config)),
    ...shipped.map((name) => look(world, name, true, config)),
  ]);
  if (options.json === true) {
    world.out.write(jsonLine({ blueprints } satisfies BlueprintList));
    return exitCodes.ok;
  }
  if (own.length === 0)
    world.err.write(
      `no blueprints in ${escaped(keptFolder(world.cwd))}; any file runs with: trammel run TASK -b FILE\n`,
    );
  world.out.write(table(blueprints, lineColumns(world.out)));
  return exitCodes.ok;
}

async function look(
  world: World,
  name: string,
  shipped: boolean,
  config: ReturnType<typeof configHere>,
): Promise<Listed> {
  const document = findBlueprint(name, world.cwd);
  if (isProblem(document)) return { name, file: null, valid: false, note: document.message, shipped };
  const { blueprint, diagnostics } = await checkDocument(document.text, config);
  const note =
    blueprint === null
      ? (diagnostics.find((one) => one.severity === "error")?.message ?? null)
      : (blueprint.note ?? null);
  const file = shipped ? document.file : relative(world.cwd, document.file);
  return { name, file, valid: blueprint !== null, note, shipped };
}

function table(rows: readonly Listed[], columns: number): string {
  const nameColumns = rows.reduce((most, { name }) => Math.max(most, width(inertLine(name))), 0);
  const line = (row: Listed): string =>
    `${row.valid ? "✓" : "✗"} ${pad(inertLine(row.name), nameColumns)}  ${inertLine(row.note ?? "")}`;
  const lines = (shipped: boolean): string =>
    rows.flatMap((row) => (row.shipped === shipped ? [`${fit(line(row), columns).trimEnd()}\n`] : [])).join("");
  return `${lines(false)}come with trammel:\n${lines(true)}`;
}
