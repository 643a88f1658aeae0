import type { NodeUnconfirmed } from "../../model/events.ts";
import { classOf, type Node } from "../../model/node.ts";
import type { Nodes } from "./nodes.ts";

/** Whether an attempt that nobody has heard the end of may have used what it has not said: an agent that had begun. */
export function unsaidBy(node: Node | undefined, nodes: Pick<Nodes, "isHeld">): Pick<NodeUnconfirmed, "unsaid"> {
  return node !== undefined && classOf(node) === "agentic" && !nodes.isHeld(node.id) ? { unsaid: true } : {};
}
