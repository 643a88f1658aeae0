import type { ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Observer } from "../../runtime/api.ts";
import { fold } from "../../views/fold.ts";
import { isPressing, plainLine, plainLineInside } from "../../views/plain.ts";
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
    inside: (parent) => plainInside(output, view, parent),
    ...still,
  };
}

/** Of a map only the first items are told whole, so that many of them leave the rest to be read. */
function plainInside(output: Output, view: RunView, parent: ParentLink, around = true): Observer {
  const isWhole = around && (parent.item ?? 0) < limits.itemsToldWhole;
  if (around && parent.item === limits.itemsToldWhole)
    output.write(`${" ".repeat(11)}… of later items of ${parent.node} only what fails or asks is told\n`);
  return {
    event(event) {
      if (!isWhole && !isPressing(event.body)) return;
      const line = plainLineInside(event, view.startedAt, parent);
      if (line !== null) output.write(`${line}\n`);
    },
    progress: () => undefined,
    inside: (inner) => plainInside(output, view, inner, isWhole),
  };
}

/**
 * One event a line of JSON on standard output; the end of the run is left to the command, which knows the exit code.
 */
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
