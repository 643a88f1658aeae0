import { print } from "../../language/print.ts";
import { exitCodes } from "../../model/outcome.ts";
import { loopEdges, outline } from "../../views/outline.ts";
import type { SourceDocument } from "../documents/document.ts";
import { checkDocument, configHere } from "../plugins/plugins.ts";
import { printFaults } from "../running/prepare.ts";
import { printProblems } from "../problems.ts";
import type { World } from "../world.ts";

/**
 * Shows a blueprint at a glance, or with everything written out that `flow`, `next`, lists and stock nodes stand for.
 */
export async function showBlueprint(world: World, document: SourceDocument, expanded: boolean): Promise<number> {
  const { blueprint, diagnostics, faults } = await checkDocument(document.text, configHere(world));
  if (faults.length > 0) return printFaults(world, faults);
  if (blueprint === null) {
    printProblems(world.err, document.name, document.text, diagnostics);
    return exitCodes.usage;
  }
  if (!expanded) {
    world.out.write(outline(blueprint));
    return exitCodes.ok;
  }
  const loops = loopEdges(blueprint).map((edge) => `# ${edge} starts a new pass\n`);
  world.out.write(print(blueprint) + loops.join(""));
  return exitCodes.ok;
}
