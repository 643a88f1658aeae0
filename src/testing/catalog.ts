import type { Blueprint, MapBody, Node } from "../model/blueprint.ts";
import type { Callees } from "../runtime/api.ts";

/** Every node that a run of a blueprint can start, by its path: `test`, `each/do` in a map, `deploy/push` in a call. */
export function catalogOf(blueprint: Blueprint, callees: Callees): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>();
  const add = ({ nodes }: Pick<MapBody, "nodes">, prefix: string): void => {
    for (const node of nodes.values()) {
      found.set(prefix + node.id, node);
      const inner = insideOf(node, callees);
      if (inner !== null) add(inner, `${prefix}${node.id}/`);
    }
  };
  add(blueprint, "");
  return found;
}

function insideOf(node: Node, callees: Callees): Pick<MapBody, "nodes"> | null {
  if (node.type === "map") return node.do;
  if (node.type !== "call" || node.pin === undefined) return null;
  return callees.get(node.pin)?.blueprint ?? null;
}

/** A path without the indices of items: what is said of all of them. */
export function withoutItems(path: string): string {
  return path.replaceAll(/\[\d+\]/g, "");
}

/** Paths of the nodes around one, the nearest first. */
export function around(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(0, -1).map((_, index) => parts.slice(0, parts.length - 1 - index).join("/"));
}
