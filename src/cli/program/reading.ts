import type { Command } from "commander";
import type { ArtifactsOptions } from "../commands/artifacts.ts";
import type { ReplayOptions } from "../commands/replay.ts";
import type { RunsOptions } from "../commands/runs.ts";
import type { ShowOptions } from "../commands/show.ts";
import type { World } from "../world.ts";
import { atLeast } from "./arguments.ts";
import { type Finish, jsonHelp, runHelp } from "./options.ts";

/** Commands that tell what runs did. */
export function addReading(program: Command, world: World, finish: Finish): void {
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
    .argument("<run>", runHelp)
    .option("-f, --follow", "go on until the run is over")
    .option("--json", "one event a line as JSON")
    .action(async (run: string, options: { follow?: true; json?: true }) => {
      const { logs } = await import("../commands/logs.ts");
      finish(await logs(world, run, options));
    });
  program
    .command("diff")
    .description("print what a run changed in its working tree")
    .argument("<run>", runHelp)
    .action(async (run: string) => {
      const { diff } = await import("../commands/changes.ts");
      finish(await diff(world, run));
    });
  addEvidence(program, world, finish);
}

/** Commands that prove what runs did. */
function addEvidence(program: Command, world: World, finish: Finish): void {
  program
    .command("artifacts")
    .description("list the full outputs and patches of a run, or copy them")
    .argument("<run>", runHelp)
    .option("--out <dir>", "copy them into this folder")
    .option("--json", jsonHelp)
    .action(async (run: string, options: ArtifactsOptions) => {
      const { artifacts } = await import("../commands/artifacts.ts");
      finish(await artifacts(world, run, options));
    });
  program
    .command("replay")
    .description("recompute a run from its events; nothing is run")
    .argument("<run>", runHelp)
    .option("--with <file>", "tell what would have gone another way with this blueprint")
    .option("--json", jsonHelp)
    .action(async (run: string, options: ReplayOptions) => {
      const { replay } = await import("../commands/replay.ts");
      finish(await replay(world, run, options));
    });
  program
    .command("receipt")
    .description("print what a run leaves behind as one file that can be checked offline")
    .argument("<run>", runHelp)
    .option("--out <file>", "write it into a new file")
    .action(async (run: string, options: { out?: string }) => {
      const { receipt } = await import("../commands/receipt.ts");
      finish(await receipt(world, run, options));
    });
  program
    .command("verify")
    .description("check a receipt by itself; exit 1 names the first bad place")
    .argument("<file>", "what trammel receipt wrote")
    .action(async (file: string) => {
      const { verify } = await import("../commands/receipt.ts");
      finish(await verify(world, file));
    });
}
