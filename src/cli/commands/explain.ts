import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codes, isCode } from "../../language/codes.ts";
import { nearest } from "../../language/nearest.ts";
import { exitCodes } from "../../model/outcome.ts";
import { loadConfig } from "../../config/load.ts";
import { printFaults } from "../running/prepare.ts";
import { packageRoot } from "../documents/package-root.ts";
import { report, usage } from "../problem.ts";
import type { World } from "../world.ts";

/**
 * Prints the page of a diagnostic's code: what it means, an example and its mend; without a code, one line for each.
 */
export function explain(world: World, code: string | undefined): number {
  if (code === undefined) {
    const width = Math.max(...Object.keys(codes).map((name) => name.length));
    for (const [name, { title }] of Object.entries(codes)) world.out.write(`${name.padEnd(width)}  ${title}\n`);
    return exitCodes.ok;
  }
  if (!isCode(code)) {
    const known = Object.keys(codes);
    const near = nearest(code, known);
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    return report(world, usage(`there is no code ${code}${meant}`, "trammel explain lists them."));
  }
  world.out.write(readFileSync(join(packageRoot(), "docs", "checks", `${code}.md`), "utf8"));
  return exitCodes.ok;
}

/**
 * Prints the JSON Schema of blueprints, of configuration files or of tests, for
 * editors; of blueprints with what plug-ins bring here.
 */
export async function schema(world: World, what: "blueprint" | "config" | "test"): Promise<number> {
  const { config } = await loadConfig(world.cwd, world.env);
  if (what !== "blueprint" || config.plugins.length === 0) {
    world.out.write(readFileSync(join(packageRoot(), "schema", `${what}.schema.json`), "utf8"));
    return exitCodes.ok;
  }
  const [{ loadPlugins }, { documentSchema }] = await Promise.all([
    import("../plugins/load.ts"),
    import("../../language/schema.ts"),
  ]);
  const { plugins, faults } = await loadPlugins(config.plugins);
  if (faults.length > 0) return printFaults(world, faults);
  world.out.write(`${JSON.stringify(documentSchema(plugins.flatMap(({ nodes }) => nodes)), null, 2)}\n`);
  return exitCodes.ok;
}
