import type { Blueprint } from "../model/blueprint.ts";
import type { HumanNode } from "../model/node.ts";
import type { JournalEvent } from "../model/events.ts";
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
    else if (body.type === "gate.answered" || body.type === "node.ended") open.delete(body.node);
    else if (body.type === "run.finished") open.clear();
  }
  return [...open.values()];
}

/**
 * The gate whose question stands: that of the node, or the one before it that is
 * asked again; undefined where an agent asks for leave.
 */
export function askedOf({ nodes }: Pick<Blueprint, "nodes">, { node, of = node }: GateOpened): HumanNode | undefined {
  const asked = nodes.get(of);
  return asked?.type === "human" ? asked : undefined;
}
