import { isAbsolute, relative, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { shellWord } from "../../model/shell.ts";
import { exitCodes } from "../../model/outcome.ts";
import { blueprintFolder, findBlueprint, listBlueprints, shippedBlueprints } from "../documents/by-name.ts";
import type { SourceDocument } from "../documents/document.ts";
import { drive, type DriveOptions } from "../running/drive.ts";
import { isFile, isFolder } from "../documents/files.ts";
import { isInside } from "../inside.ts";
import { readInputs } from "../running/inputs.ts";
import { boundBy, prepare, type Prepared, readConfig, withAgentOf } from "../running/prepare.ts";
import { isProblem, type Problem, report, usage } from "../problem.ts";
import { jsonLine } from "../json.ts";
import type { World } from "../world.ts";

export interface RunOptions extends DriveOptions {
  readonly blueprint?: string;
  readonly input?: readonly string[];
  readonly inputFile?: string;
  readonly taskId?: string;
  readonly cwd?: string;
  readonly maxSteps?: number;
  readonly maxRetries?: number;
  readonly acceptRisk?: true;
  readonly dryRun?: true;
}

export async function run(world: World, task: string | undefined, options: RunOptions): Promise<number> {
  const cwd = resolve(world.cwd, options.cwd ?? ".");
  if (!isFolder(cwd)) return report(world, usage(`--cwd ${options.cwd ?? cwd} is no folder`));
  const config = await readConfig(world, cwd);
  if (typeof config === "number") return config;
  const fallback = defaultHere(config, world.cwd);
  if (options.blueprint === undefined && fallback !== undefined && isFileOfBlueprint(world, task))
    return report(world, takenForTask(task, fallback));
  const document = chooseBlueprint(world, task, options.blueprint, fallback, cwd);
  if (isProblem(document)) return report(world, document);
  const prepared = await prepareWithAgent(world, document, config, cwd, options);
  if (typeof prepared === "number") return prepared;
  const inputs = await readInputs(options.inputFile, options.input ?? [], world.cwd);
  if ("problem" in inputs) return report(world, inputs.problem);
  const { taskId, maxSteps, maxRetries, acceptRisk } = options;
  if (options.dryRun === true) return printRoute(world, prepared, options);
  const folder = resolve(cwd, prepared.blueprint.workspace.cwd ?? ".");
  const request = {
    ...boundBy(prepared),
    file: document.file,
    task: task ?? "",
    inputs: inputs.values,
    cwd: folder,
    ...(taskId === undefined ? {} : { taskId }),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...(maxRetries === undefined ? {} : { maxRetries }),
    ...(acceptRisk === undefined ? {} : { acceptRisk }),
  };
  const { exit } = await drive(world, prepared, folder, options, ({ engine }, observer, waits) =>
    engine.start({ ...request, ...waits }, observer),
  );
  return exit;
}

/** Where no agent is set up, a person at the terminal chooses one first. */
async function prepareWithAgent(
  world: World,
  document: SourceDocument,
  config: Config,
  cwd: string,
  { dryRun, detach }: RunOptions,
): Promise<Prepared | number> {
  const prepared = await prepare(world, document, config);
  if (typeof prepared === "number" || dryRun === true || detach === true || !world.interactive || isInside(world))
    return prepared;
  const { chooseAgent, lacksAgent } = await import("../doctor/first-use.ts");
  const chosen = lacksAgent(prepared) ? await chooseAgent(world) : "nothing";
  if (chosen !== "written") return chosen === "nothing" ? prepared : chosen;
  const now = await readConfig(world, cwd);
  return typeof now === "number" ? now : withAgentOf(prepared, now);
}

async function printRoute(world: World, { blueprint, document }: Prepared, options: RunOptions): Promise<number> {
  const { routeOf, routeText } = await import("../../views/route.ts");
  const { maxSteps } = options;
  const route = routeOf(blueprint, maxSteps === undefined ? {} : { maxSteps });
  world.out.write(options.json === true ? jsonLine(route) : routeText(document.name, route));
  return exitCodes.ok;
}

/** The `default:` of the configuration, a file as it would be named from a folder. */
function defaultHere({ default: name }: Config, cwd: string): string | undefined {
  if (name === undefined || !isAbsolute(name)) return name;
  const here = relative(cwd, name);
  return here.includes("/") ? here : `./${here}`;
}

/** Text of a task is hardly ever the name of such a file, readable or not. */
function isFileOfBlueprint(world: World, task: string | undefined): task is string {
  return task !== undefined && /\.ya?ml$/i.test(task) && isFile(resolve(world.cwd, task));
}

/** Nothing has happened yet, and the default might do something that nobody asked for. */
function takenForTask(task: string, fallback: string): Problem {
  const [file, other] = [shellWord(task), shellWord(fallback)];
  return usage(
    `${task} is a file, and would be the task of ${fallback}, the \`default:\` of trammel.yaml`,
    `To run the file: trammel run -b ${file}. To give ${fallback} that task: trammel run ${file} -b ${other}`,
  );
}

/** A blueprint named on the command line is looked for where the person stands; the default, where the run works. */
function chooseBlueprint(
  world: World,
  task: string | undefined,
  name: string | undefined,
  fallback: string | undefined,
  cwd: string,
): SourceDocument | Problem {
  if (name !== undefined)
    return name.includes("/") ? findBlueprint(name, world.cwd) : findBlueprint(name, world.cwd, cwd);
  if (fallback !== undefined) {
    const found = findBlueprint(fallback, fallback.includes("/") ? world.cwd : cwd);
    return isProblem(found) ? { ...found, message: `\`default:\` of the configuration: ${found.message}` } : found;
  }
  const known = listBlueprints(cwd);
  if (task !== undefined && (known.includes(task) || !isProblem(findBlueprint(task, world.cwd))))
    return usage(
      `${task} is the task here, and no blueprint was named`,
      `To run it: trammel run -b ${shellWord(task)}`,
    );
  return usage(
    "no blueprint was named and trammel.yaml has no `default:`",
    known.length === 0
      ? `Name one: trammel run TASK -b FILE. ${blueprintFolder} holds none yet; with trammel come: ${[...shippedBlueprints().keys()].join(", ")}`
      : `Name one: trammel run TASK -b NAME. There are: ${known.join(", ")}`,
  );
}
