import { Command, CommanderError } from "commander";
import { exitCodes } from "../../model/outcome.ts";
import { inert } from "../../views/inert.ts";
import { version } from "../version.ts";
import type { World } from "../world.ts";
import { addAuthoring, addTestEngine } from "./authoring.ts";
import { addDeciding } from "./deciding.ts";
import { addHousekeeping } from "./housekeeping.ts";
import type { Finish } from "./options.ts";
import { addReading } from "./reading.ts";
import { addRunning } from "./running.ts";

/** Parses the arguments, runs the command and answers the exit code. Every command is loaded when it is used. */
export async function execute(argv: readonly string[], world: World): Promise<number> {
  let code: number = exitCodes.ok;
  const program = build(world, (exit) => {
    code = exit;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
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

function build(world: World, finish: Finish): Command {
  const program = new Command("trammel")
    .description("Runs blueprints: graphs that mix deterministic steps with bounded agent work.")
    .version(version, "-V, --version", "print the version")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      outputError: (text, write) => write(inert(told(text))),
      getOutHelpWidth: () => world.out.size().columns,
      getErrHelpWidth: () => world.err.size().columns,
    });
  for (const [heading, add] of groups) {
    program.commandsGroup(heading);
    add(program, world, finish);
  }
  program.helpCommand("help [command]", "explain a command");
  addTestEngine(program, world, finish);
  return program;
}

/** An error of an argument, with a way on where it does not name what would be right. */
function told(error: string): string {
  const isOpen =
    /^error: (missing|required option|unknown option|too many) /.test(error) && !error.includes("(Did you mean");
  return `${error.replace(/^error: /, "trammel: ")}${isOpen ? "  What a command takes is told by its --help.\n" : ""}`;
}
