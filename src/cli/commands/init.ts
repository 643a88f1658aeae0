import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { discover, type Discovery } from "../../config/discover.ts";
import { projectFile } from "../../config/load.ts";
import { readTextFile } from "../../config/text-file.ts";
import { exitCodes } from "../../model/outcome.ts";
import { messageOf, systemCode } from "../../model/thrown.ts";
import { report, usage } from "../problem.ts";
import type { World } from "../world.ts";

/** Writes trammel.yaml from what the project's own files say; never over one that is there. */
export function init(world: World): number {
  const file = join(world.cwd, projectFile);
  const found = discover((name) => read(join(world.cwd, name)));
  try {
    writeFileSync(file, document(found), { flag: "wx" });
  } catch (error) {
    const isThere = systemCode(error) === "EEXIST";
    const why = isThere
      ? `there is a ${projectFile} here already`
      : `${projectFile} cannot be written: ${messageOf(error)}`;
    return report(world, usage(why, isThere ? "Change it by hand; `trammel doctor` checks it." : undefined));
  }
  const from =
    found.files.length === 0 ? "nothing here suggests commands; add yours" : `commands from ${found.files.join(", ")}`;
  world.out.write(`wrote ${projectFile}: ${from}\n`);
  return exitCodes.ok;
}

/** Null for what is not there or cannot be a project's file. */
function read(file: string): string | null {
  const found = readTextFile(file);
  return found === null || "fault" in found ? null : found.text;
}

function document({ commands }: Discovery): string {
  const known = Object.keys(commands).length > 0;
  const listed = stringify({ commands }, { lineWidth: 0 });
  return `# What belongs to this project. Keys and passwords never stand here: name the variable that holds one.

# Commands of the stock nodes, by node name.
${known ? listed : "# commands:\n#   test: make test\n"}
# The agent of agentic nodes. Without this, blueprints that have none run all the same.
# agent:
#   model: anthropic/claude-sonnet-4-5
#   key: ANTHROPIC_API_KEY

# The blueprint that \`trammel run\` takes without -b, from .trammel/blueprints.
# default: my-blueprint
`;
}
