import type { Command } from "commander";
import type { UndoOptions } from "./commands/changes.ts";
import type { World } from "./world.ts";

/** What runs did to their working trees. */
export function addChanges(program: Command, world: World, finish: (code: number) => void): void {
  program
    .command("diff")
    .description("print what a run changed in its working tree")
    .argument("<run>", "run id, or its unambiguous beginning")
    .action(async (run: string) => {
      const { diff } = await import("./commands/changes.ts");
      finish(await diff(world, run));
    });
  program
    .command("undo")
    .description("take back what a run changed in its working tree; commits stay")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--force", "also what others changed since; a copy is kept")
    .action(async (run: string, options: UndoOptions) => {
      const { undo } = await import("./commands/changes.ts");
      finish(await undo(world, run, options));
    });
}
