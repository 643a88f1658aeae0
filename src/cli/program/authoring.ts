import { type Command, Option } from "commander";
import type { CheckOptions } from "../commands/check.ts";
import type { TestOptions } from "../commands/test.ts";
import type { World } from "../world.ts";
import { atLeast, filled, money, oneOf, percent } from "./arguments.ts";
import { type Finish, jsonHelp } from "./options.ts";

const checkFormats = ["text", "json", "sarif", "github"] as const;
const testFormats = ["text", "json", "junit"] as const;
const schemas = ["blueprint", "config", "test"] as const;
const testExitHelp = `
Exit codes: 0 all tests pass, 1 some do not or too little is covered, 2 a test or a blueprint cannot be read.`;

/** Commands for whoever writes blueprints. */
export function addAuthoring(program: Command, world: World, finish: Finish): void {
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
    .command("check")
    .description("find the problems of a blueprint without running anything")
    .argument("[place...]", "blueprint files, folders of them, or names under .trammel/blueprints; else all of these")
    .option("--format <format>", checkFormats.join(", "), oneOf(checkFormats), "text")
    .option("--bound", "add the most that a run can cost")
    .option("--max-agent-passes <n>", "fail where a run may take more agent passes", atLeast(0))
    .option("--max-cost <amount>", 'fail where a run may cost more, e.g. "5 USD", or an unknown amount', money)
    .action(async (files: string[], options: CheckOptions) => {
      const { check } = await import("../commands/check.ts");
      finish(await check(world, files, options));
    });
  program
    .command("test")
    .description("run the tests of blueprints (*.test.yaml), without a model and without a network")
    .argument("[place...]", "test files, blueprints, or folders of them; else this folder and the project's blueprints")
    .option("-t, --name <text>", "only tests whose name holds the text", filled)
    .option("--coverage", "say which nodes and edges the tests walk")
    .option("--min-coverage <percent>", "fail where the tests of a blueprint walk less of it", percent)
    .option("--crash-matrix", "kill an engine of each test at every commit, go on, and ask for the same end")
    .option("--loose", "play recordings that were made for another prompt, and show in what it differs")
    .option("--format <format>", testFormats.join(", "), oneOf(testFormats), "text")
    .addOption(new Option("--json", "as --format json").implies({ format: "json" }))
    .addHelpText("after", testExitHelp)
    .action(async (places: string[], options: TestOptions) => {
      const { test } = await import("../commands/test.ts");
      finish(await test(world, places, options));
    });
  addLanguage(program, world, finish);
}

/** What is known of blueprints, and of the language. */
function addLanguage(program: Command, world: World, finish: Finish): void {
  program
    .command("list")
    .description("list the blueprints of this project, and those that come with trammel")
    .option("--json", jsonHelp)
    .action(async (options: { json?: true }) => {
      const { list } = await import("../commands/list.ts");
      finish(await list(world, options));
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
    .argument("[what]", "blueprint, config or test", oneOf(schemas), "blueprint")
    .action(async (what: (typeof schemas)[number]) => {
      const { schema } = await import("../commands/explain.ts");
      finish(await schema(world, what));
    });
}

/** The engine of a test, in a process of its own. */
export function addTestEngine(program: Command, world: World, finish: Finish): void {
  program
    .command("test-engine", { hidden: true })
    .argument("<task>", "what to do, as a file that test wrote")
    .action(async (task: string) => {
      const { runEngine } = await import("../testing/engine.ts");
      finish(await runEngine(world, task));
    });
}
