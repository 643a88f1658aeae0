import type { ParentLink } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { Observer } from "../../runtime/api.ts";
import { fold } from "../../views/fold.ts";
import { isPressing, plainLine, plainLineInside } from "../../views/plain.ts";
import { TakenUp } from "../../views/taken-up.ts";
import type { RunView } from "../../views/run-view.ts";
import type { Output } from "../output.ts";
import { eventLine } from "../report.ts";
import type { Display } from "./display.ts";

/** One line an event on standard error. */
export function plainDisplay(output: Output, view: RunView): Display {
  const taken = new TakenUp();
  return {
    event(event) {
      fold(view, event);
      const body = taken.told(event.body);
      const line = body === null ? null : plainLine({ ...event, body }, view.startedAt);
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
  const taken = new TakenUp();
  return {
    event(event) {
      const body = taken.told(event.body);
      if (body === null || (!isWhole && !isPressing(body))) return;
      const line = plainLineInside({ ...event, body }, view.startedAt, parent);
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
