import type { Command } from "commander";
import { collect } from "./arguments.ts";
import type { ForkOptions, RerunOptions } from "../commands/rerun.ts";
import type { UndoOptions } from "../commands/changes.ts";
import type { World } from "../world.ts";

/** Commands about a run that is over: what it did to its tree, and to do it once more. */
export function addChanges(program: Command, world: World, finish: (code: number) => void): void {
  program
    .command("diff")
    .description("print what a run changed in its working tree")
    .argument("<run>", "run id, or its unambiguous beginning")
    .action(async (run: string) => {
      const { diff } = await import("../commands/changes.ts");
      finish(await diff(world, run));
    });
  program
    .command("undo")
    .description("take back what a run changed in its working tree; commits stay")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--force", "also what others changed since; a copy is kept")
    .action(async (run: string, options: UndoOptions) => {
      const { undo } = await import("../commands/changes.ts");
      finish(await undo(world, run, options));
    });
  program
    .command("rerun")
    .description("do the same once more: a new run with the definition, task and inputs of an earlier one")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--input <name=value>", "another value of an input; may be given again", collect, [])
    .option("--record <dir>", "write each agent turn as a cassette")
    .option("--keep-sandbox", "keep the workspaces of sandboxes, and say how to enter them")
    .option("--queue", "wait until no other run has its tree or its key")
    .option("--detach", "ask nobody here: park with exit 5 where only a person can go on")
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view")
    .action(async (run: string, options: RerunOptions) => {
      const { rerun } = await import("../commands/rerun.ts");
      finish(await rerun(world, run, options));
    });
  program
    .command("fork")
    .description("go another way from a node of an earlier run; what it recorded before is taken over")
    .argument("<run>", "run id, or its unambiguous beginning")
    .requiredOption("--at <node>", "the node to begin with: NODE for its last pass, NODE#PASS, or 'NODE (pass N)'")
    .option("--keep-tree", "leave the tree as it is instead of taking it back to the checkpoint")
    .option("--input <name=value>", "another value of an input; may be given again", collect, [])
    .option("--record <dir>", "write each agent turn as a cassette")
    .option("--queue", "wait until no other run has its tree or its key")
    .option("--detach", "ask nobody here: park with exit 5 where only a person can go on")
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view")
    .action(async (run: string, options: ForkOptions) => {
      const { fork } = await import("../commands/rerun.ts");
      finish(await fork(world, run, options));
    });
}
