import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { emptyConfig } from "../../config/config.ts";
import { exitCodes } from "../../model/outcome.ts";
import { shellWord } from "../../model/shell.ts";
import { readDocument } from "../documents/document.ts";
import { drive } from "../running/drive.ts";
import { packageRoot } from "../documents/package-root.ts";
import { temporaryFolder } from "../../runtime/scratch/scratch.ts";
import { boundBy, prepare } from "../running/prepare.ts";
import { isProblem, report } from "../problem.ts";
import { palette, type Palette } from "../screen/palette.ts";
import type { World } from "../world.ts";

const task = "Make the tests pass";
const blueprint = "fix-test-failure.yaml";

/** A really failing test, a real run, a real mend; only the model's turn is a recording. */
export async function demo(world: World, options: { readonly plain?: true }): Promise<number> {
  const examples = join(packageRoot(), "examples");
  const folder = temporaryFolder("trammel-demo-");
  const [project, untouched] = [join(folder, "project"), join(folder, "yours")];
  for (const copy of [project, untouched]) {
    await cp(join(examples, "demo-project"), copy, { recursive: true });
    await cp(join(examples, blueprint), join(copy, blueprint));
  }
  const document = readDocument(join(project, blueprint), project);
  if (isProblem(document)) return report(world, document);
  const stage: World = { ...world, cwd: project, env: { ...world.env, TRAMMEL_HOME: join(folder, "home") } };
  const agent = { provider: "replay", cassettes: join(examples, "demo-cassettes") };
  const prepared = await prepare(stage, document, { ...emptyConfig, agent });
  if (typeof prepared === "number") return prepared;

  world.err.write(`A small project with a failing test, in ${project}\n\n`);
  const { exit } = await drive(stage, prepared, project, options, ({ engine }, observer) => {
    const request = { ...boundBy(prepared), file: document.file };
    return engine.start({ ...request, task, inputs: {}, cwd: project }, observer);
  });
  if (exit !== exitCodes.ok) return exit;
  world.out.write(`\nWhat the agent changed:\n\n${await changes(untouched, project, palette(world.out, world.env))}`);
  world.out.write(`\n${closing(untouched, world.env["npm_command"] === "exec" ? "npx trammel" : "trammel")}`);
  return exitCodes.ok;
}

async function changes(before: string, after: string, colors: Palette): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const files = await readdir(after, { recursive: true, withFileTypes: true });
  const patches = files
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name).slice(after.length + 1);
      const [old, now] = await Promise.all([
        readFile(join(before, path), "utf8").catch(() => ""),
        readFile(join(after, path), "utf8"),
      ]);
      return old === now
        ? ""
        : createTwoFilesPatch(path, path, old, now, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY });
    });
  return (await Promise.all(patches)).map((patch) => paint(patch, colors)).join("");
}

function paint(patch: string, colors: Palette): string {
  return patch.replace(/^[+-].*$/gm, (line) => (line.startsWith("+") ? colors.green(line) : colors.red(line)));
}

function closing(untouched: string, command: string): string {
  return `The tests, the run, the cap and the journal were real. The agent's turn was a recording, so that this needs no key.
The same with your own agent, on an untouched copy, once ~/.config/trammel/config.yaml names its model (agent: {model: anthropic/…}):

  ${command} run "${task}" -b ${shellWord(`${untouched}/${blueprint}`)} --cwd ${shellWord(untouched)}

`;
}
