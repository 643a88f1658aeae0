import type { Blueprint } from "../model/blueprint.ts";
import type { HumanNode } from "../model/node.ts";
import type { EventBody, JournalEvent } from "../model/events.ts";
import type { GateOpened } from "../model/gate-events.ts";

export interface OpenGate {
  readonly gate: GateOpened;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The gates of a run that wait for an answer, oldest first. */
export function openGates(events: Iterable<JournalEvent>): readonly OpenGate[] {
  const open = new Map<string, OpenGate>();
  for (const { body, at } of events) {
    if (body.type === "gate.opened") open.set(body.node, { gate: body, since: at });
    else if (body.type === "run.finished") open.clear();
    else if ("node" in body && body.node !== undefined && closes(body, open.get(body.node)?.gate))
      open.delete(body.node);
  }
  return [...open.values()];
}

/**
 * Whether nobody waits any more for an answer to the gate of the node that an event is about. What takes an attempt up
 * over a change of its process asks anew.
 */
function closes(body: EventBody, gate: GateOpened | undefined): boolean {
  switch (body.type) {
    case "gate.answered":
    case "node.ended":
    case "node.retrying":
      return true;
    case "node.unconfirmed":
      return body.reason.code !== "taken_up";
    // What a gate before it held up has begun: what was approved stands again.
    case "node.process":
    case "node.waiting":
    case "agent.progressed":
      return gate?.of !== undefined;
    default:
      return false;
  }
}

/**
 * The gate whose question stands: that of the node, or the one before it that is
 * asked again; undefined where an agent asks for leave.
 */
export function askedOf({ nodes }: Pick<Blueprint, "nodes">, { node, of = node }: GateOpened): HumanNode | undefined {
  const asked = nodes.get(of);
  return asked?.type === "human" ? asked : undefined;
}
