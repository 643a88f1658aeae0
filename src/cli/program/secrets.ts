import type { Command } from "commander";
import type { World } from "../world.ts";

/** Commands about secrets that nodes name. */
export function addSecrets(program: Command, world: World, finish: (code: number) => void): void {
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
    .option("--json", "print a stable JSON document")
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
