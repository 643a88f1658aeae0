import type { Command } from "commander";
import type { AnswerOptions } from "../commands/answer.ts";
import type { SettleOptions } from "../commands/settle.ts";
import type { World } from "../world.ts";
import { atLeast, money, oneOf } from "./arguments.ts";
import { addAcceptChanges, addDriving, type Finish, jsonHelp, runHelp } from "./options.ts";

const decisions = ["done", "failed", "again"] as const;

/** Commands with which a person decides, and a run goes on. */
export function addDeciding(program: Command, world: World, finish: Finish): void {
  program
    .command("inbox")
    .description("list everything that waits for a person")
    .option("--json", jsonHelp)
    .action(async (options: { json?: true }) => {
      const { inbox } = await import("../commands/inbox.ts");
      finish(await inbox(world, options));
    });
  addDriving(
    program
      .command("answer")
      .description("answer a gate of a run; a parked run goes on here")
      .argument("<run>", runHelp)
      .argument("<node>", "the gate")
      .argument("[answer]", "yes or no, an option, a text, or a form as JSON")
      .option("--stdin", "read the answer from standard input, as for a long text or a form"),
  ).action(async (run: string, node: string, text: string | undefined, options: AnswerOptions) => {
    const { answer } = await import("../commands/answer.ts");
    finish(await answer(world, run, node, text, options));
  });
  addDriving(
    addUsed(
      program
        .command("settle")
        .description("decide about a node whose outcome is unknown, and go on")
        .argument("<run>", runHelp)
        .argument("<node>", "the node that waits for a decision")
        .requiredOption("--as <decision>", "done, failed or again; required", oneOf(decisions))
        .option("--reason <text>", "why, for the journal"),
    ),
  ).action(async (run: string, node: string, options: SettleOptions) => {
    const { settle } = await import("../commands/settle.ts");
    finish(await settle(world, run, node, options));
  });
  addDriving(
    addUsed(
      program
        .command("resolve")
        .description("decide about a node at which a run escalated or came to a limit, and go on")
        .argument("<run>", runHelp)
        .requiredOption("--node <node>", "the node at which it halted; required")
        .requiredOption("--as <decision>", "done, failed or again; required", oneOf(decisions))
        .requiredOption("--reason <text>", "why, for the journal; required")
        .option("--grant <n>", "passes beyond the cap, with --as again", atLeast(1)),
    ),
  ).action(async (run: string, options: SettleOptions & { readonly node: string }) => {
    const { settle } = await import("../commands/settle.ts");
    finish(await settle(world, run, options.node, options));
  });
}

function addUsed(command: Command): Command {
  return addAcceptChanges(
    command
      .option("--used-tokens <n>", "what agents have used, in all, that have not said it", atLeast(0))
      .option("--used-cost <amount>", "the same as a cost, such as 0.40 USD", money),
  );
}
