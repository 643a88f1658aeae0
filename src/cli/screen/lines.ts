import { fold } from "../../views/fold.ts";
import { plainLine } from "../../views/plain.ts";
import type { RunView } from "../../views/run-view.ts";
import type { Output } from "../output.ts";
import { eventLine } from "../report.ts";
import type { Display } from "./display.ts";

/** One line an event on standard error. */
export function plainDisplay(output: Output, view: RunView): Display {
  return {
    event(event) {
      fold(view, event);
      const line = plainLine(event, view.startedAt);
      if (line !== null) output.write(`${line}\n`);
    },
    ...still,
  };
}

/** One event a line of JSON on standard output; the end of the run is left to the command, which knows the exit code. */
export function jsonDisplay(output: Output, view: RunView): Display {
  return {
    event(event) {
      fold(view, event);
      if (event.body.type !== "run.finished") output.write(eventLine(event));
    },
    ...still,
  };
}

const still = {
  progress: () => undefined,
  suspend: () => undefined,
  resume: () => undefined,
  finish: () => undefined,
};
