import type { Edge } from "../model/edge.ts";
import { END } from "../model/edge.ts";
import type { Graph } from "./catalog.ts";
import type { Walk } from "./walk.ts";

export interface Counted<T> {
  readonly total: number;
  readonly missed: readonly T[];
}

export interface MissedEdge {
  /** As `test failure → fix`, or `each/test failure → fix`. */
  readonly edge: string;
  readonly prefix: string;
  /** Its place among the edges of its graph. */
  readonly index: number;
}

/**
 * What the tests of a blueprint walk of it and of the bodies of its maps; of what
 * it calls where one of them goes into that at all.
 */
export interface Coverage {
  readonly nodes: Counted<string>;
  readonly edges: Counted<MissedEdge>;
  /** Of nodes and edges together, rounded down: 100 only where nothing is missed. */
  readonly percent: number;
}

export function coverageOf(graphs: readonly Graph[], walks: readonly Walk[]): Coverage {
  const walksOf = (prefix: string): readonly Walk[] =>
    prefix === "" ? walks : walks.flatMap(({ inside }) => inside.get(prefix) ?? []);
  const counted = graphs.filter(({ callee }) => callee === null || walksOf(callee).length > 0);
  const missedNodes: string[] = [];
  const missedEdges: MissedEdge[] = [];
  for (const { prefix, nodes, edges } of counted) {
    const own = walksOf(prefix);
    const started = new Set(own.flatMap(({ passes }) => [...passes.keys()]));
    const walked = new Set(own.flatMap((walk) => [...walk.edges]));
    for (const id of nodes.keys()) if (!started.has(id)) missedNodes.push(prefix + id);
    for (const [index, edge] of edges.entries())
      if (!walked.has(index)) missedEdges.push({ edge: prefix + edgeText(edge), prefix, index });
  }
  const nodes = counted.reduce((sum, graph) => sum + graph.nodes.size, 0);
  const edges = counted.reduce((sum, graph) => sum + graph.edges.length, 0);
  const total = nodes + edges;
  return {
    nodes: { total: nodes, missed: missedNodes },
    edges: { total: edges, missed: missedEdges },
    percent: total === 0 ? 100 : Math.floor((100 * (total - missedNodes.length - missedEdges.length)) / total),
  };
}

function edgeText({ from, when, to, as }: Edge): string {
  return `${from}${when === undefined ? "" : ` ${when}`} → ${to === END ? "END" : to}${as === undefined ? "" : ` as ${as}`}`;
}
