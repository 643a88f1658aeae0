import type { Command } from "commander";
import type { World } from "../world.ts";
import { oneOf } from "./arguments.ts";
import type { Finish } from "./options.ts";

const shells = ["bash", "zsh", "fish"] as const;

const setUp = `
For bash, in ~/.bashrc:                    eval "$(trammel completion bash)"
For zsh, in ~/.zshrc, after compinit:      eval "$(trammel completion zsh)"
For fish, in ~/.config/fish/config.fish:   trammel completion fish | source`;

/** The completion of command lines: what a shell sources, and what that asks. */
export function addCompletion(program: Command, world: World, finish: Finish): void {
  program
    .command("completion")
    .description("print what a shell sources to complete commands, blueprints and runs")
    .argument("<shell>", shells.join(", "), oneOf(shells))
    .addHelpText("after", setUp)
    .action(async (shell: string) => {
      const { completion } = await import("../commands/completion.ts");
      finish(completion(world, shell));
    });
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "what follows `trammel` on the line, after --")
    .action(async (words: string[]) => {
      const { complete } = await import("../commands/completion.ts");
      finish(await complete(world, program, words));
    });
}
