import { Command, CommanderError, InvalidArgumentError } from "commander";
import { exitCodes } from "../model/outcome.ts";
import { version } from "./version.ts";
import type { World } from "./world.ts";

/** Where a command leaves its exit code. */
type Finish = (code: number) => void;

const jsonHelp = "print a stable JSON document";

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

function build(world: World, finish: Finish): Command {
  const program = new Command("trammel")
    .description("Runs blueprints: graphs that mix deterministic steps with bounded agent work.")
    .version(version, "-V, --version", "print the version")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "trammel: ")),
      getOutHelpWidth: () => world.out.size().columns,
      getErrHelpWidth: () => world.err.size().columns,
    });
  program.helpCommand("help [command]", "explain a command");
  addCheck(program, world, finish);
  addReading(program, world, finish);
  addSteering(program, world, finish);
  return program;
}

function addCheck(program: Command, world: World, finish: Finish): void {
  program
    .command("check")
    .description("find the problems of a blueprint without running anything")
    .argument("<file...>", "blueprint files")
    .option("--format <format>", "text or json", oneOf(["text", "json"]), "text")
    .action(async (files: string[], options: { format: "text" | "json" }) => {
      const { check } = await import("./commands/check.ts");
      finish(await check(world, files, options.format));
    });
}

function addReading(program: Command, world: World, finish: Finish): void {
  program
    .command("runs")
    .description("list runs, newest first")
    .option("--limit <n>", "most rows", atLeast(1), 50)
    .option("--json", jsonHelp)
    .action(async (options: { limit: number; json?: true }) => {
      const { runs } = await import("./commands/runs.ts");
      finish(await runs(world, options));
    });
  program
    .command("show")
    .description("show what a run did")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--json", jsonHelp)
    .action(async (run: string, options: { json?: true }) => {
      const { show } = await import("./commands/show.ts");
      finish(await show(world, run, options));
    });
  program
    .command("logs")
    .description("print the events of a run")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("-f, --follow", "go on until the run is over")
    .option("--json", "one event a line as JSON")
    .action(async (run: string, options: { follow?: true; json?: true }) => {
      const { logs } = await import("./commands/logs.ts");
      finish(await logs(world, run, options));
    });
}

function addSteering(program: Command, world: World, finish: Finish): void {
  program
    .command("stop")
    .description("stop a run in order")
    .argument("<run>", "run id, or its unambiguous beginning")
    .action(async (run: string) => {
      const { stop } = await import("./commands/stop.ts");
      finish(await stop(world, run));
    });
}

function atLeast(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
  };
}

function oneOf<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((one) => one === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${allowed.join(", ")}.`);
  };
}
