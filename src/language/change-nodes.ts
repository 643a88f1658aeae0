import type { Blueprint } from "../model/blueprint.ts";
import type { MapBody, Node } from "../model/node.ts";

/** The blueprint with each node changed, those inside maps included. */
export function changeNodes(blueprint: Blueprint, change: (node: Node) => Node): Blueprint {
  return { ...blueprint, nodes: changed(blueprint, change) };
}

function changed({ nodes }: Pick<MapBody, "nodes">, change: (node: Node) => Node): ReadonlyMap<string, Node> {
  return new Map(
    [...nodes].map(([id, node]) => {
      const inner = node.type === "map" ? { ...node, do: { ...node.do, nodes: changed(node.do, change) } } : node;
      return [id, change(inner)];
    }),
  );
}
