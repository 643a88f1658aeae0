import type { EventBody } from "../../model/events.ts";
import type { RunStatus } from "../../model/outcome.ts";
import type { Account } from "./charges.ts";

/** Where a run that this process owns stands: what the next record is chained to, and what the list of runs says. */
export interface Head {
  readonly id: number;
  readonly run: string;
  readonly account: Account;
  seq: number;
  hash: string;
  status: RunStatus;
  /** False when another process has committed since ownership was last looked up. */
  verified: boolean;
  /** How many nodes are being performed, and which of them wait for a person. */
  active: number;
  readonly gates: Set<string>;
  /** Nodes that a provider asked to pause, and until when. */
  readonly asleep: Map<string, number>;
}

/** The status after an event; `waiting` while nothing but gates is open and pauses are kept. */
export function statusAfter(head: Head, body: EventBody): RunStatus {
  switch (body.type) {
    case "run.resumed":
      for (const [node, until] of Object.entries(body.asleep ?? {})) head.asleep.set(node, until);
      break;
    case "retry.due":
    case "node.skipped":
    case "node.settled":
      head.asleep.delete(body.node);
      break;
    case "node.started":
      head.active += 1;
      break;
    case "gate.opened":
      head.gates.add(body.node);
      break;
    case "gate.answered":
      head.gates.delete(body.node);
      break;
    case "node.ended":
    case "node.retrying":
    case "node.unconfirmed":
      // What an engine that died had claimed was not counted by this one.
      head.active = Math.max(0, head.active - 1);
      head.gates.delete(body.node);
      head.asleep.delete(body.node);
      if (body.type === "node.retrying" && body.until !== undefined) head.asleep.set(body.node, body.until);
      break;
    case "run.finished":
      return body.status;
    default:
      return head.status;
  }
  return head.gates.size + head.asleep.size > 0 && head.gates.size >= head.active ? "waiting" : "running";
}

/** What a run that keeps nothing but pauses waits for. */
export function pauseOf({ gates, asleep }: Head): string | null {
  if (gates.size > 0) return null;
  const [first] = [...asleep].toSorted(([, a], [, b]) => a - b);
  return first === undefined ? null : `${first[0]} waits for its provider until ${new Date(first[1]).toISOString()}`;
}
