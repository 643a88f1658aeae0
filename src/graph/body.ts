import type { Blueprint } from "../model/blueprint.ts";
import type { MapBody } from "../model/node.ts";

/**
 * What an item of a map carries out: the body, under what holds around it. Steps
 * are each run's own, and so is what comes at the end.
 */
export function bodyBlueprint(around: Blueprint, { entry, nodes, edges }: MapBody): Blueprint {
  const { finally: _last, limits: bounds, ...rest } = around;
  const { steps: _steps, ...shared } = bounds;
  return { ...rest, limits: shared, outputs: {}, entry, nodes, edges };
}

/** By content hash. */
type Callees = ReadonlyMap<string, { readonly blueprint: Blueprint }>;

/**
 * What the runs inside a node of a blueprint carry out; null where nothing runs inside it, or its callee is not known.
 */
export function blueprintInside(around: Blueprint, id: string, callees: Callees): Blueprint | null {
  const node = around.nodes.get(id);
  if (node?.type === "map") return bodyBlueprint(around, node.do);
  return node?.type === "call" ? (callees.get(node.pin ?? "")?.blueprint ?? null) : null;
}
