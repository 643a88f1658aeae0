import type { Blueprint, Edge } from "../model/blueprint.ts";
import { END } from "../model/blueprint.ts";
import type { Walk } from "./walk.ts";

export interface Counted<T> {
  readonly total: number;
  readonly missed: readonly T[];
}

/** What the tests of a blueprint walk of it; what is inside its maps and calls counts as the node around it. */
export interface Coverage {
  readonly nodes: Counted<string>;
  /** Edges as `test failure → fix`, with their place among the edges of the blueprint. */
  readonly edges: Counted<{ readonly edge: string; readonly index: number }>;
  /** Of nodes and edges together, rounded down: 100 only where nothing is missed. */
  readonly percent: number;
}

export function coverageOf({ nodes, edges }: Blueprint, walks: readonly Walk[]): Coverage {
  const started = new Set(walks.flatMap(({ passes }) => [...passes.keys()]));
  const walked = new Set(walks.flatMap((walk) => [...walk.edges]));
  const missedNodes = [...nodes.keys()].filter((id) => !started.has(id));
  const missedEdges = edges.flatMap((edge, index) => (walked.has(index) ? [] : [{ edge: edgeText(edge), index }]));
  const total = nodes.size + edges.length;
  return {
    nodes: { total: nodes.size, missed: missedNodes },
    edges: { total: edges.length, missed: missedEdges },
    percent: total === 0 ? 100 : Math.floor((100 * (total - missedNodes.length - missedEdges.length)) / total),
  };
}

function edgeText({ from, when, to, as }: Edge): string {
  return `${from}${when === undefined ? "" : ` ${when}`} → ${to === END ? "END" : to}${as === undefined ? "" : ` as ${as}`}`;
}
