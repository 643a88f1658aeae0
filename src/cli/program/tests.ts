import { type Command, Option } from "commander";
import { filled, oneOf, percent } from "./arguments.ts";
import type { TestOptions } from "../commands/test.ts";
import type { World } from "../world.ts";

const formats = ["text", "json", "junit"] as const;

const exitHelp = `
Exit codes: 0 all tests pass, 1 some do not or too little is covered, 2 a test or a blueprint cannot be read.`;

/** Tests of blueprints. */
export function addTests(program: Command, world: World, finish: (code: number) => void): void {
  program
    .command("test")
    .description("run the tests of blueprints (*.test.yaml), without a model and without a network")
    .argument("[place...]", "test files, blueprints, or folders of them; else this folder")
    .option("-t, --name <text>", "only tests whose name holds the text", filled)
    .option("--coverage", "say which nodes and edges the tests walk")
    .option("--min-coverage <percent>", "fail where the tests of a blueprint walk less of it", percent)
    .option("--crash-matrix", "kill an engine of each test at every commit, go on, and ask for the same end")
    .option("--loose", "play recordings that were made for another prompt, and show in what it differs")
    .option("--format <format>", formats.join(", "), oneOf(formats), "text")
    .addOption(new Option("--json", "as --format json").implies({ format: "json" }))
    .addHelpText("after", exitHelp)
    .action(async (places: string[], options: TestOptions) => {
      const { test } = await import("../commands/test.ts");
      finish(await test(world, places, options));
    });
  program
    .command("test-engine", { hidden: true })
    .argument("<task>", "what to do, as a file that test wrote")
    .action(async (task: string) => {
      const { runEngine } = await import("../testing/engine.ts");
      finish(await runEngine(world, task));
    });
}
