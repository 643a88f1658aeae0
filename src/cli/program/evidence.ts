import type { Command } from "commander";
import type { ArtifactsOptions } from "../commands/artifacts.ts";
import type { PruneOptions } from "../commands/prune.ts";
import type { World } from "../world.ts";

/** Commands about what a run leaves behind. */
export function addEvidence(program: Command, world: World, finish: (code: number) => void): void {
  program
    .command("receipt")
    .description("print what a run leaves behind as one file that can be checked offline")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--out <file>", "write it into a new file")
    .action(async (run: string, options: { out?: string }) => {
      const { receipt } = await import("../commands/receipt.ts");
      finish(await receipt(world, run, options));
    });
  program
    .command("artifacts")
    .description("list the full outputs and patches of a run, or copy them")
    .argument("<run>", "run id, or its unambiguous beginning")
    .option("--out <dir>", "copy them into this folder")
    .option("--json", "print a stable JSON document")
    .action(async (run: string, options: ArtifactsOptions) => {
      const { artifacts } = await import("../commands/artifacts.ts");
      finish(await artifacts(world, run, options));
    });
  program
    .command("prune")
    .description("remove what runs left behind and `retention` no longer keeps")
    .option("--dry-run", "print what would go, and remove nothing")
    .option("--json", "print a stable JSON document")
    .action(async (options: PruneOptions) => {
      const { prune } = await import("../commands/prune.ts");
      finish(await prune(world, options));
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
