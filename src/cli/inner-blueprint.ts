import type { Blueprint } from "../model/blueprint.ts";
import type { Callees } from "../runtime/api.ts";

/** What runs inside a node of a blueprint carry out, as far as the process that began them knows; null for any other node. */
export function innerBlueprint(around: Blueprint | null, id: string, callees: Callees): Blueprint | null {
  const node = around?.nodes.get(id);
  if (node?.type === "call") return callees.get(node.pin ?? "")?.blueprint ?? null;
  if (node?.type !== "map" || around === null) return null;
  const { entry, nodes, edges } = node.do;
  return { ...around, entry, nodes, edges };
}
