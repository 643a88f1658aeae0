import type { Command } from "commander";
import { atLeast, oneOf } from "./arguments.ts";
import type { ResumeOptions } from "../commands/resume.ts";
import type { SettleOptions } from "../commands/settle.ts";
import type { World } from "../world.ts";

const decisions = ["done", "failed", "again"] as const;
const detachHelp = "ask nobody here: park with exit 5 where only a person can go on";

/** Commands with which a person decides. */
export function addAnswers(program: Command, world: World, finish: (code: number) => void): void {
  program
    .command("inbox")
    .description("list everything that waits for a person")
    .option("--json", "print a stable JSON document")
    .action(async (options: { json?: true }) => {
      const { inbox } = await import("../commands/inbox.ts");
      finish(await inbox(world, options));
    });
  program
    .command("answer")
    .description("answer a gate of a run; a parked run goes on here")
    .argument("<run>", "run id, or its unambiguous beginning")
    .argument("<node>", "the gate")
    .argument("<answer>", "yes or no, an option, a text, or a form as JSON")
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view")
    .action(async (run: string, node: string, text: string, options: ResumeOptions) => {
      const { answer } = await import("../commands/answer.ts");
      finish(await answer(world, run, node, text, options));
    });
}

/** Commands that go on with a run that halted. */
export function addDecisions(program: Command, world: World, finish: (code: number) => void): void {
  program
    .command("settle")
    .description("decide about a node whose outcome is unknown, and go on")
    .argument("<run>", "run id, or its unambiguous beginning")
    .argument("<node>", "the node that waits for a decision")
    .requiredOption("--as <decision>", "done, failed or again; required", oneOf(decisions))
    .option("--reason <text>", "why, for the journal")
    .option("--detach", detachHelp)
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view")
    .action(async (run: string, node: string, options: SettleOptions) => {
      const { settle } = await import("../commands/settle.ts");
      finish(await settle(world, run, node, options));
    });
  program
    .command("resolve")
    .description("decide about a node at which a run escalated, and go on")
    .argument("<run>", "run id, or its unambiguous beginning")
    .requiredOption("--node <node>", "the node that escalated; required")
    .requiredOption("--as <decision>", "done, failed or again; required", oneOf(decisions))
    .requiredOption("--reason <text>", "why, for the journal; required")
    .option("--grant <n>", "passes beyond the cap, with --as again", atLeast(1))
    .option("--detach", detachHelp)
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view")
    .action(async (run: string, options: SettleOptions & { readonly node: string }) => {
      const { settle } = await import("../commands/settle.ts");
      finish(await settle(world, run, options.node, options));
    });
}
