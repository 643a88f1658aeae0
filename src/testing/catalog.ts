import type { Blueprint } from "../model/blueprint.ts";
import type { MapBody, Node } from "../model/node.ts";
import type { Callees } from "../runtime/api.ts";

/** Nodes and edges that a run can walk: those of a blueprint, of the body of a map in it, or of what it calls. */
export interface Graph extends Pick<MapBody, "nodes" | "edges"> {
  /** The beginning of paths of its nodes: empty, `each/`, `deploy/each/`. */
  readonly prefix: string;
  /** The prefix of the innermost callee that it is of; null where it stands in the blueprint itself. */
  readonly callee: string | null;
}

export function graphsOf(blueprint: Blueprint, callees: Callees): readonly Graph[] {
  const found: Graph[] = [];
  const add = ({ nodes, edges }: Pick<MapBody, "nodes" | "edges">, prefix: string, callee: string | null): void => {
    found.push({ prefix, nodes, edges, callee });
    for (const node of nodes.values()) {
      const inner = insideOf(node, callees);
      const below = `${prefix}${node.id}/`;
      if (inner !== null) add(inner, below, node.type === "call" ? below : callee);
    }
  };
  add(blueprint, "", null);
  return found;
}

/** Every node that a run of a blueprint can start, by its path: `test`, `each/do` in a map, `deploy/push` in a call. */
export function catalogOf(blueprint: Blueprint, callees: Callees): ReadonlyMap<string, Node> {
  const graphs = graphsOf(blueprint, callees);
  return new Map(graphs.flatMap(({ prefix, nodes }) => [...nodes.values()].map((node) => [prefix + node.id, node])));
}

function insideOf(node: Node, callees: Callees): Pick<MapBody, "nodes" | "edges"> | null {
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
