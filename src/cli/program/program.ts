import { Command, CommanderError } from "commander";
import { exitCodes } from "../../model/outcome.ts";
import { atLeast, collect, filled, money, oneOf } from "./arguments.ts";
import type { CheckOptions } from "../commands/check.ts";
import type { ReplayOptions } from "../commands/replay.ts";
import type { ResumeOptions } from "../commands/resume.ts";
import type { RunOptions } from "../commands/run.ts";
import type { RunsOptions } from "../commands/runs.ts";
import type { ShowOptions } from "../commands/show.ts";
import { inert } from "../../views/inert.ts";
import { addChanges } from "./changes.ts";
import { addAnswers, addDecisions } from "./decisions.ts";
import { addEvidence } from "./evidence.ts";
import { addSecrets } from "./secrets.ts";
import { addTests } from "./tests.ts";
import { version } from "../version.ts";
import type { World } from "../world.ts";

/** Where a command leaves its exit code. */
type Finish = (code: number) => void;

const jsonHelp = "print a stable JSON document";

const exitHelp = `
Exit codes:
  0 succeeded, 1 failed or rejected, 2 a blueprint or an option is wrong,
  3 escalated or needs attention, 4 a limit was passed, 5 waits for a person,
  6 the store is unavailable, 130 stopped`;

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
      outputError: (text, write) => write(inert(told(text))),
      getOutHelpWidth: () => world.out.size().columns,
      getErrHelpWidth: () => world.err.size().columns,
    });
  program.helpCommand("help [command]", "explain a command");
  addRun(program, world, finish);
  addAuthoring(program, world, finish);
  addTests(program, world, finish);
  addReading(program, world, finish);
  addEvidence(program, world, finish);
  addChanges(program, world, finish);
  addSteering(program, world, finish);
  addAnswers(program, world, finish);
  addDecisions(program, world, finish);
  addSecrets(program, world, finish);
  addHelpers(program, world, finish);
  return program;
}

function addRun(program: Command, world: World, finish: Finish): void {
  program
    .command("run")
    .description("run a blueprint here and now")
    .argument("[task]", "what the run is for; reaches nodes as {task}")
    .option(
      "-b, --blueprint <path>",
      "blueprint file, or a name under .trammel/blueprints; else the project's default",
      filled,
    )
    .option("--input <name=value>", "value of an input; may be given again", collect, [])
    .option("--input-file <file>", "inputs from a YAML or JSON file", filled)
    .option("--task-id <id>", "count passes under this task over several runs", filled)
    .option("--cwd <dir>", "working folder of the run", filled)
    .option("--max-steps <n>", "most node starts; wins over limits.steps", atLeast(1))
    .option("--max-retries <n>", "most retries of an error; wins over limits.retries", atLeast(0))
    .option("--record <dir>", "write each agent turn as a cassette", filled)
    .option("--loose", "play cassettes that were recorded for another prompt, and show in what it differs")
    .option("--keep-sandbox", "keep the workspaces of sandboxes, and say how to enter them")
    .option("--queue", "wait until no other run has its tree or its key")
    .option("--dry-run", "print the way a run takes when every node succeeds, and run nothing")
    .option("--detach", "ask nobody here: park with exit 5 where only a person can go on")
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view")
    .addHelpText("after", exitHelp)
    .action(async (task: string | undefined, options: RunOptions) => {
      const { run } = await import("../commands/run.ts");
      finish(await run(world, task, options));
    });
}

function addAuthoring(program: Command, world: World, finish: Finish): void {
  program
    .command("check")
    .description("find the problems of a blueprint without running anything")
    .argument("[place...]", "blueprint files, folders of them, or names under .trammel/blueprints; else all of these")
    .option("--format <format>", "text, json, sarif or github", oneOf(["text", "json", "sarif", "github"]), "text")
    .option("--bound", "add the most that a run can cost")
    .option("--max-agent-passes <n>", "fail where a run may take more agent passes", atLeast(0))
    .option("--max-cost <amount>", 'fail where a run may cost more, e.g. "5 USD", or an unknown amount', money)
    .action(async (files: string[], options: CheckOptions) => {
      const { check } = await import("../commands/check.ts");
      finish(await check(world, files, options));
    });
  program
    .command("pin")
    .description("write down which content each call of a blueprint leads to, in trammel.lock beside it")
    .argument("<blueprint>", "a blueprint, by file or name")
    .action(async (name: string) => {
      const { pin } = await import("../commands/pin.ts");
      finish(await pin(world, name));
    });
  program
    .command("new")
    .description("write a blueprint into this project, from an example")
    .argument("<name>", "its name, under which `run -b` finds it")
    .option("--from <example>", "which example; fix-test-failure when left out")
    .action(async (name: string, options: { from?: string }) => {
      const { create } = await import("../commands/new.ts");
      finish(create(world, name, options));
    });
  program
    .command("init")
    .description("write trammel.yaml from what this project's files say")
    .action(async () => {
      const { init } = await import("../commands/init.ts");
      finish(init(world));
    });
  program
    .command("list")
    .description("list the blueprints of this project")
    .option("--json", jsonHelp)
    .action(async (options: { json?: true }) => {
      const { list } = await import("../commands/list.ts");
      finish(await list(world, options));
    });
  program
    .command("explain")
    .description("explain the code of a diagnostic, or list all codes")
    .argument("[code]", "as it stands in brackets, e.g. unknown-field")
    .action(async (code: string | undefined) => {
      const { explain } = await import("../commands/explain.ts");
      finish(explain(world, code));
    });
  program
    .command("schema")
    .description("print a JSON Schema for editors: of blueprints, of trammel.yaml, or of tests")
    .argument("[what]", "blueprint, config or test", oneOf(["blueprint", "config", "test"]), "blueprint")
    .action(async (what: "blueprint" | "config" | "test") => {
      const { schema } = await import("../commands/explain.ts");
      finish(schema(world, what));
    });
}

function addReading(program: Command, world: World, finish: Finish): void {
  program
    .command("runs")
    .description("list runs, newest first")
    .option("--limit <n>", "most rows", atLeast(1), 50)
    .option("--all", "also those inside calls and maps")
    .option("--json", jsonHelp)
    .action(async (options: RunsOptions) => {
      const { runs } = await import("../commands/runs.ts");
      finish(await runs(world, options));
    });
  program
    .command("show")
    .description("show what a run did, or a blueprint at a glance")
    .argument("<target>", "run id or its unambiguous beginning; or a blueprint, by file or name")
    .option("--expanded", "a blueprint with everything written out that it stands for")
    .option("--json", "print a run as a stable JSON document")
    .action(async (target: string, options: ShowOptions) => {
      const { show } = await import("../commands/show.ts");
      finish(await show(world, target, options));
    });
  program
    .command("logs")
    .description("print the events of a run")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("-f, --follow", "go on until the run is over")
    .option("--json", "one event a line as JSON")
    .action(async (run: string, options: { follow?: true; json?: true }) => {
      const { logs } = await import("../commands/logs.ts");
      finish(await logs(world, run, options));
    });
  program
    .command("replay")
    .description("recompute a run from its events; nothing is run")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--with <file>", "tell what would have gone another way with this blueprint")
    .option("--json", jsonHelp)
    .action(async (run: string, options: ReplayOptions) => {
      const { replay } = await import("../commands/replay.ts");
      finish(await replay(world, run, options));
    });
}

function addSteering(program: Command, world: World, finish: Finish): void {
  program
    .command("resume")
    .description("go on with an interrupted run")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--accept-changes", "go on although the blueprint or its configuration changed")
    .option("--record <dir>", "write each agent turn as a cassette", filled)
    .option("--loose", "play cassettes that were recorded for another prompt, and show in what it differs")
    .option("--keep-sandbox", "keep the workspaces of sandboxes, and say how to enter them")
    .option("--detach", "ask nobody here: park with exit 5 where only a person can go on")
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view")
    .action(async (run: string, options: ResumeOptions) => {
      const { resume } = await import("../commands/resume.ts");
      finish(await resume(world, run, options));
    });
  program
    .command("stop")
    .description("stop a run in order")
    .argument("<run>", "run id, or its unambiguous beginning")
    .action(async (run: string) => {
      const { stop } = await import("../commands/stop.ts");
      finish(await stop(world, run));
    });
}

function addHelpers(program: Command, world: World, finish: Finish): void {
  program
    .command("doctor")
    .description("say what is there and what is missing")
    .option("--probe", "try what is found too: keys at their vendors, agents by starting them; nothing is billed")
    .option("--json", jsonHelp)
    .action(async (options: { json?: true; probe?: true }) => {
      const { doctor } = await import("../commands/doctor.ts");
      finish(await doctor(world, options));
    });
  program
    .command("demo")
    .description("see an agent mend a failing test, from a recording")
    .option("--plain", "one line an event instead of the live view")
    .action(async (options: { plain?: true }) => {
      const { demo } = await import("../commands/demo.ts");
      finish(await demo(world, options));
    });
}

/** An error of an argument, with a way on where it does not name what would be right. */
function told(error: string): string {
  const isOpen = /^error: (missing|unknown option|too many) /.test(error) && !error.includes("(Did you mean");
  return `${error.replace(/^error: /, "trammel: ")}${isOpen ? "  What a command takes is told by its --help.\n" : ""}`;
}
