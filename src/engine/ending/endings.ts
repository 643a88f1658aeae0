import { item } from "../../graph/ints.ts";
import type { Plan, When } from "../../graph/plan.ts";
import type { NodeSettled } from "../../model/events.ts";
import type { NodeResult, Reason } from "../../model/outcome.ts";

/** What an attempt comes to for routing: the performer's outcome with the node's `expect` applied. */
export interface Ending {
  readonly outcome: "success" | "failure" | "error" | "cancelled";
  readonly option: string | null;
  /** A person said no. It is a failure that no unconditional edge carries. */
  readonly declined: boolean;
  readonly reason: Reason | null;
  /** Said by a person instead of a performer. */
  readonly settled: boolean;
}

/** With `expect: failure` success and failure change places; an error or a cancellation stays what it is. */
export function endingOf(plan: Plan, node: number, result: NodeResult): Ending {
  const { expect } = item(plan.nodes, node);
  if (expect !== "failure") return plainEnding(result);
  if (result.outcome === "failure") return { ...plainSuccess, settled: false };
  if (result.outcome !== "success") return plainEnding(result);
  return { ...plainSuccess, outcome: "failure", reason: { code: "expected_failure", text: expected }, settled: false };
}

function plainEnding(result: NodeResult): Ending {
  const reason = result.reason ?? null;
  const declined = reason?.code === "declined";
  return { outcome: result.outcome, option: result.option ?? null, declined, reason, settled: false };
}

const expected = "succeeded, but expect: failure wants it to fail";

const plainSuccess = { outcome: "success", option: null, declined: false, reason: null } as const;

export function endingOfSettled(event: NodeSettled): Ending {
  if (event.as === "done") return { ...plainSuccess, settled: true };
  const text = `settled as ${event.as} by ${event.by}`;
  return { ...plainSuccess, outcome: "failure", reason: { code: "crash", text }, settled: true };
}

/** Whether an edge with this condition, out of `node`, carries the ending. */
export function carries(plan: Plan, node: number, when: When, ending: Ending): boolean {
  switch (when) {
    case null:
      return ending.outcome === "success" || (ending.outcome === "failure" && !ending.declined);
    case "success":
    case "failure":
    case "error":
      return ending.outcome === when;
    case "other":
      return ending.outcome === "success" && ending.option !== null && !hasEdgeFor(plan, node, ending.option);
    default:
      return ending.outcome === "success" && ending.option === when;
  }
}

/** Whether an edge with this condition can be taken after a success at all, whatever option is chosen. */
export function canFollowSuccess(when: When): boolean {
  return when !== "failure" && when !== "error";
}

function hasEdgeFor(plan: Plan, node: number, option: string): boolean {
  if (option === "other") return false;
  const { outStart } = plan.graph;
  for (let arc = outStart[node] ?? 0; arc < (outStart[node + 1] ?? 0); arc += 1) {
    if (item(plan.whens, arc).includes(option)) return true;
  }
  return item(plan.exits, node).some((exit) => exit.when === option);
}
