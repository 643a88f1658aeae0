import type { Command } from "commander";
import { filled } from "./arguments.ts";

/** Where a command leaves its exit code. */
export type Finish = (code: number) => void;

export const runHelp = "run id, or its unambiguous beginning";
export const jsonHelp = "print a stable JSON document";

/** What every command takes that drives a run. */
export function addDriving(command: Command): Command {
  return command
    .option("--record <dir>", "write each agent turn as a cassette", filled)
    .option("--loose", "play cassettes that were recorded for another prompt, and show in what it differs")
    .option("--keep-sandbox", "keep the workspaces of sandboxes, and say how to enter them")
    .option("--detach", "ask nobody here: park with exit 5 where only a person can go on")
    .option("--json", "print one event a line, the end last")
    .option("--plain", "one line an event instead of the live view");
}

export function addAcceptChanges(command: Command): Command {
  return command.option("--accept-changes", "go on although the blueprint or its configuration changed");
}
