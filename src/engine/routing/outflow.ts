import { at, item } from "../../graph/ints.ts";
import type { Reason } from "../../model/outcome.ts";
import type { Ending } from "../ending/endings.ts";
import { carries } from "../ending/endings.ts";
import { addMiss, escalates } from "../ending/halts.ts";
import { place } from "./moves.ts";
import type { Standstill } from "../ending/progress.ts";
import { isAbsorbed } from "./races.ts";
import type { Miss, RunState } from "../state.ts";

/** Sends an ending over the edges that carry it and notes what it means for the end of the run. */
export function routeEnding(state: RunState, node: number, ending: Ending): void {
  const taken = sendOn(state, node, ending);
  state.misses.delete(node);
  if (ending.outcome !== "success") {
    const way = isAbsorbed(state, node) ? "absorbed" : wayOf(taken, ending);
    addMiss(state, node, missOf(state, node, ending, way, haltFor(state, ending, way)));
  } else if (taken.exit === "failed") {
    addMiss(state, node, missOf(state, node, ending, "as_failed", null));
  } else if (ending.option === "other" && !taken.arc && taken.exit === "none") {
    addMiss(state, node, missOf(state, node, { ...ending, reason: choseNone }, "no_edge", "escalated"));
  }
}

const choseNone: Reason = { code: "output_invalid", text: "chose none of the options, and no edge takes other" };

/** Keeps an ending back for a person to settle: it takes no edge. */
export function holdEnding(state: RunState, node: number, ending: Ending, standing: Standstill): void {
  const { reason, failures } = standing;
  addMiss(state, node, { ...missOf(state, node, { ...ending, reason }, "no_edge", "escalated"), failures });
}

interface Taken {
  readonly arc: boolean;
  readonly exit: "none" | "end" | "failed";
}

function sendOn(state: RunState, node: number, ending: Ending): Taken {
  const { plan } = state;
  const { outStart } = plan.graph;
  const step = at(state.step, node);
  let arc = false;
  for (let next = at(outStart, node); next < at(outStart, node + 1); next += 1) {
    if (!item(plan.whens, next).some((when) => carries(plan, node, when, ending))) continue;
    place(state, next, step);
    arc = true;
  }
  let exit: Taken["exit"] = "none";
  for (const { when, failed } of item(plan.exits, node)) {
    if (!carries(plan, node, when, ending)) continue;
    if (failed) return { arc, exit: "failed" };
    exit = "end";
  }
  return { arc, exit };
}

function wayOf(taken: Taken, ending: Ending): Miss["way"] {
  switch (taken.exit) {
    case "failed":
      return "as_failed";
    case "end":
      return ending.declined ? "rejected" : "end";
    case "none":
      return taken.arc ? "edge" : "no_edge";
  }
}

/** Missed by itself, not by another's miss. */
function missOf(state: RunState, node: number, ending: Ending, way: Miss["way"], halt: Miss["halt"]): Miss {
  const { outcome, declined } = ending;
  return { outcome, declined, way, reason: reasonOf(state, node, ending), halt, because: node };
}

function reasonOf(state: RunState, node: number, ending: Ending): Reason {
  if (ending.reason !== null) return ending.reason;
  if (ending.outcome === "success") return { code: "exit", text: "this way ends the run as failed" };
  return { code: "internal", text: `${item(state.plan.ids, node)} gave no reason` };
}

/**
 * A decline without an edge, and what `escalate:` lists, halt the run; what
 * a person has settled does not halt it again.
 */
function haltFor(state: RunState, ending: Ending, way: Miss["way"]): Miss["halt"] {
  const { outcome } = ending;
  if (ending.settled || (way !== "no_edge" && way !== "end")) return null;
  if (ending.declined) return way === "no_edge" ? "rejected" : null;
  return (outcome === "error" || outcome === "failure") && escalates(state, outcome) ? "escalated" : null;
}
