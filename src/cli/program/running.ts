import type { Command } from "commander";
import type { UndoOptions } from "../commands/changes.ts";
import type { ForkOptions, RerunOptions } from "../commands/rerun.ts";
import type { ResumeOptions } from "../commands/resume.ts";
import type { RunOptions } from "../commands/run.ts";
import type { World } from "../world.ts";
import { atLeast, collect, filled } from "./arguments.ts";
import { addAcceptChanges, addDriving, type Finish, runHelp } from "./options.ts";

const exitHelp = `
Exit codes:
  0 succeeded, 1 failed or rejected, 2 a blueprint or an option is wrong,
  3 escalated or needs attention, 4 a limit was passed, 5 waits for a person,
  6 the store is unavailable, 130 stopped`;
const queueHelp = "wait until no other run has its tree or its key";
const maxSteps = ["--max-steps <n>", "most node starts; wins over limits.steps", atLeast(1)] as const;
const inputHelp = "another value of an input; may be given again";

/** Commands that begin a run, go on with it, end it or take it back. */
export function addRunning(program: Command, world: World, finish: Finish): void {
  addDriving(
    program
      .command("run")
      .description("run a blueprint here and now")
      .argument("[task]", "what the run is for; reaches nodes as {task}")
      .option(
        "-b, --blueprint <path>",
        "blueprint file, or a name that trammel list tells; else the project's default",
        filled,
      )
      .option("--input <name=value>", "value of an input; may be given again", collect)
      .option("--input-file <file>", "inputs from a YAML or JSON file", filled)
      .option("--task-id <id>", "count passes under this task over several runs", filled)
      .option("--cwd <dir>", "working folder of the run", filled)
      .option(...maxSteps)
      .option("--max-retries <n>", "most retries of an error; wins over limits.retries", atLeast(0))
      .option("--accept-risk", "go on with a task whose risk execution-guardian-check finds high")
      .option("--queue", queueHelp)
      .option("--dry-run", "print the way a run takes when every node succeeds, and run nothing"),
  )
    .addHelpText("after", exitHelp)
    .action(async (task: string | undefined, options: RunOptions) => {
      const { run } = await import("../commands/run.ts");
      finish(await run(world, task, options));
    });
  addDriving(
    addAcceptChanges(program.command("resume").description("go on with an interrupted run").argument("<run>", runHelp)),
  ).action(async (run: string, options: ResumeOptions) => {
    const { resume } = await import("../commands/resume.ts");
    finish(await resume(world, run, options));
  });
  program
    .command("stop")
    .description("stop a run in order")
    .argument("<run>", runHelp)
    .action(async (run: string) => {
      const { stop } = await import("../commands/stop.ts");
      finish(await stop(world, run));
    });
  addRepeating(program, world, finish);
}

/** Commands that set out from what an earlier run did. */
function addRepeating(program: Command, world: World, finish: Finish): void {
  addDriving(
    program
      .command("rerun")
      .description("do the same once more: a new run with the definition, task and inputs of an earlier one")
      .argument("<run>", runHelp)
      .option("--input <name=value>", inputHelp, collect)
      .option(...maxSteps)
      .option("--queue", queueHelp),
  ).action(async (run: string, options: RerunOptions) => {
    const { rerun } = await import("../commands/rerun.ts");
    finish(await rerun(world, run, options));
  });
  addDriving(
    program
      .command("fork")
      .description("go another way from a node of an earlier run; what it recorded before is taken over")
      .argument("<run>", runHelp)
      .requiredOption("--at <node>", "the node to begin with: NODE for its last pass, NODE#PASS, or 'NODE (pass N)'")
      .option("--keep-tree", "leave the tree as it is instead of taking it back to the checkpoint")
      .option("--input <name=value>", inputHelp, collect)
      .option(...maxSteps)
      .option("--queue", queueHelp),
  ).action(async (run: string, options: ForkOptions) => {
    const { fork } = await import("../commands/rerun.ts");
    finish(await fork(world, run, options));
  });
  program
    .command("undo")
    .description("take back what a run changed in its working tree; commits stay")
    .argument("<run>", runHelp)
    .option("--force", "also what others changed since; a copy is kept")
    .action(async (run: string, options: UndoOptions) => {
      const { undo } = await import("../commands/changes.ts");
      finish(await undo(world, run, options));
    });
}
