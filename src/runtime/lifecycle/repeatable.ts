import type { Node, NodeType } from "../../model/node.ts";

/**
 * Asking a person and waiting have no effect, a box that was being made is made anew, a checkout
 * is finished, and what runs inside has claims of its own.
 */
const withoutEffect: ReadonlySet<NodeType> = new Set(["human", "wait", "provision", "checkout", "call", "map"]);

/** Who says that an attempt whose outcome nobody knows may be made once more; null where nobody does. */
export function repeatedBy({ type, idempotent }: Node): "engine" | "idempotent" | null {
  if (withoutEffect.has(type)) return "engine";
  return idempotent === true ? "idempotent" : null;
}
