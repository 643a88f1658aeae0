import { Command, CommanderError } from "commander";
import { exitCodes } from "../../model/outcome.ts";
import { escaped, inert } from "../../views/inert.ts";
import { version } from "../version.ts";
import type { World } from "../world.ts";
import { addAuthoring, addTestEngine } from "./authoring.ts";
import { addCompletion } from "./completion.ts";
import { addDeciding } from "./deciding.ts";
import { addHousekeeping } from "./housekeeping.ts";
import type { Finish } from "./options.ts";
import { addReading } from "./reading.ts";
import { addRunning } from "./running.ts";

/** Parses the arguments, runs the command and answers the exit code. Every command is loaded when it is used. */
export async function execute(argv: readonly string[], world: World): Promise<number> {
  let code: number = exitCodes.ok;
  const program = build(world, argv, (exit) => {
    code = exit;
  });
  const [first, about] = argv;
  const isNone = about !== "help" && program.commands.every((one) => one.name() !== about);
  try {
    // Of a command that is none nothing can be explained: that is said as of one that was to be run.
    await program.parseAsync(first === "help" && about !== undefined && isNone ? [about] : argv, { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}

const groups = [
  ["Run:", addRunning],
  ["Decide:", addDeciding],
  ["Write and test:", addAuthoring],
  ["Look back:", addReading],
  ["This machine:", addHousekeeping],
] as const;

const firstSteps = `
A first blueprint: trammel demo shows one at work, trammel new NAME writes one,
trammel check finds what is wrong with it, trammel run TASK -b NAME runs it.`;

/** Without "[options]", so that what a command does has its place on a line of 80 columns. */
function subcommandTerm(command: Command): string {
  const taken = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? "..." : ""}`;
    return one.required ? ` <${name}>` : ` [${name}]`;
  });
  return `${command.name()}${taken.join("")}`;
}

function build(world: World, argv: readonly string[], finish: Finish): Command {
  const program = new Command("trammel")
    .description("Runs blueprints: graphs that mix deterministic steps with bounded agent work.")
    .version(version, "-V, --version", "print the version")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureHelp({ subcommandTerm, minWidthToWrap: 30 })
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      outputError: (text, write) => write(told(visible(text, argv), program, argv)),
      getOutHelpWidth: () => world.out.size().columns,
      getErrHelpWidth: () => world.err.size().columns,
    });
  for (const [heading, add] of groups) {
    program.commandsGroup(heading);
    add(program, world, finish);
  }
  addCompletion(program, world, finish);
  program.helpCommand("help [command]", "explain a command").addHelpText("after", firstSteps);
  addTestEngine(program, world, finish);
  return program;
}

/** What was typed makes no line of its own. */
function visible(error: string, argv: readonly string[]): string {
  const typed = argv.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]);
  return inert(typed.reduce((text, word) => text.replaceAll(word, () => escaped(word)), error));
}

/** An error of an argument, with a way on where it does not name what would be right. */
function told(error: string, program: Command, argv: readonly string[]): string {
  const isOpen = /^error: (missing|required option|unknown|too many) /.test(error) && !error.includes("(Did you mean");
  return `${error.replace(/^error: /, "trammel: ")}${isOpen ? wayOn(program, argv) : ""}`;
}

function wayOn(program: Command, argv: readonly string[]): string {
  let command = program;
  const names = [program.name()];
  for (const word of argv) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner === undefined) break;
    names.push(word);
    command = inner;
  }
  const name = names.join(" ");
  return `  Usage: ${name} ${command.usage()}\n  What these are is told by: ${name} --help\n`;
}
