import type { Blueprint } from "../model/blueprint.ts";
import { END } from "../model/edge.ts";
import { isRefused } from "../language/draft.ts";
import type { LocatedEdge, Source } from "../language/source.ts";
import { outcomesOf } from "./outcomes.ts";

type Nearest = (word: string, candidates: Iterable<string>) => string | undefined;

/**
 * How much of the graph is known: nothing, which edges there are, or also where paths begin and so what lies on them.
 */
export type Known = "document" | "edges" | "paths";

export interface Mended {
  readonly source: Source;
  readonly known: Known;
}

/**
 * The document as its author most likely meant it: a misspelt name in an edge, `entry` or
 * `finally` stands for the nearest one, so that what else is wrong with the graph can be
 * said at once. Where no name is near, nothing is guessed.
 */
export function mend(source: Source, nearest: Nearest): Mended {
  if (!source.graphIsWhole) return { source, known: "document" };
  const nameOf = (name: string): string | undefined =>
    source.origins.has(name) ? name : nearest(name, source.origins.keys());
  const edges: LocatedEdge[] = [];
  let known: Known = "paths";
  for (const located of source.edges) {
    if (located.edge.from.toUpperCase() === END) {
      // What it leads to may lie on a path or not.
      known = "edges";
      continue;
    }
    const mended = mendEdge(located, source, nameOf, nearest);
    if (mended === undefined) return { source, known: "document" };
    edges.push(mended);
  }
  const entry = nameOf(source.blueprint.entry);
  const last = source.blueprint.finally === undefined ? undefined : nameOf(source.blueprint.finally);
  const lastIsKnown = !source.refused.has("finally") && (source.blueprint.finally === undefined || last !== undefined);
  if (entry === undefined || source.blueprint.entry === "" || !lastIsKnown) known = "edges";
  const blueprint: Blueprint = {
    ...source.blueprint,
    entry: entry ?? "",
    ...(last === undefined ? {} : { finally: last }),
    edges: edges.map(({ edge }) => edge),
  };
  return { source: { ...source, blueprint, edges }, known };
}

function mendEdge(
  located: LocatedEdge,
  source: Source,
  nameOf: (name: string) => string | undefined,
  nearest: Nearest,
): LocatedEdge | undefined {
  const { from, to, when } = located.edge;
  const isSound = source.origins.has(from) && (to === END || source.origins.has(to));
  const start = nameOf(from);
  const target = isSound ? to : targetOf(to, source, nearest);
  if (start === undefined || target === undefined) return undefined;
  const node = source.drafts.get(start);
  const outcomes = node === undefined || isRefused(node, "options") ? undefined : outcomesOf(node);
  const isMisspelt = when !== undefined && outcomes !== undefined && !outcomes.includes(when);
  if (isSound && !isMisspelt) return located;
  const meant = isMisspelt ? (nearest(when, outcomes) ?? when) : when;
  return {
    ...located,
    edge: { ...located.edge, from: start, to: target, ...(meant === undefined ? {} : { when: meant }) },
  };
}

function targetOf(name: string, source: Source, nearest: Nearest): string | undefined {
  return name === END || source.origins.has(name) ? name : nearest(name, [...source.origins.keys(), END]);
}
