import type { Command } from "commander";
import type { PruneOptions } from "../commands/prune.ts";
import type { World } from "../world.ts";
import { type Finish, jsonHelp } from "./options.ts";

/** Commands about this machine and what Trammel keeps on it. */
export function addHousekeeping(program: Command, world: World, finish: Finish): void {
  program
    .command("demo")
    .description("see an agent mend a failing test, from a recording")
    .option("--plain", "one line an event instead of the live view")
    .action(async (options: { plain?: true }) => {
      const { demo } = await import("../commands/demo.ts");
      finish(await demo(world, options));
    });
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
    .command("prune")
    .description("remove what runs left behind and `retention` no longer keeps")
    .option("--dry-run", "print what would go, and remove nothing")
    .option("--json", jsonHelp)
    .action(async (options: PruneOptions) => {
      const { prune } = await import("../commands/prune.ts");
      finish(await prune(world, options));
    });
  addSecrets(program, world, finish);
}

function addSecrets(program: Command, world: World, finish: Finish): void {
  const secret = program
    .command("secret")
    .description("keep secrets for `secrets:` of nodes, in the keyring where there is one");
  secret
    .command("set")
    .description("keep a secret; its value is read from standard input, or asked for without showing it")
    .argument("<name>", "as nodes name it, e.g. DEPLOY_TOKEN")
    .action(async (name: string) => {
      const { set } = await import("../commands/secret.ts");
      finish(await set(world, name));
    });
  secret
    .command("list")
    .description("list the names of secrets that are kept, and where")
    .option("--json", jsonHelp)
    .action(async (options: { json?: true }) => {
      const { list } = await import("../commands/secret.ts");
      finish(await list(world, options));
    });
  secret
    .command("rm")
    .description("forget a secret")
    .argument("<name>", "as nodes name it")
    .action(async (name: string) => {
      const { remove } = await import("../commands/secret.ts");
      finish(await remove(world, name));
    });
}
