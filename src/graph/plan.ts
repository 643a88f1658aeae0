import type { Blueprint } from "../model/blueprint.ts";
import type { Edge } from "../model/edge.ts";
import type { Node } from "../model/node.ts";
import { END } from "../model/edge.ts";
import type { Digraph } from "./digraph.ts";
import { digraph } from "./digraph.ts";
import { at, item } from "./ints.ts";
import type { Loop } from "./loops.ts";
import { findLoops } from "./loops.ts";

/** Condition of an edge: null for an unconditional one, else success, failure, error, an option id or other. */
export type When = string | null;

/** An edge to END. */
export interface Exit {
  readonly when: When;
  readonly failed: boolean;
}

/** A blueprint as the engine reads it: nodes by index in id order, edges as arcs, one per from × to. */
export interface Plan {
  readonly blueprint: Blueprint;
  readonly ids: readonly string[];
  readonly index: ReadonlyMap<string, number>;
  readonly nodes: readonly Node[];
  /** Joins that start with fewer than all of their arms. */
  readonly races: readonly number[];
  readonly entry: number;
  /** The node of `finally`, or -1. */
  readonly last: number;
  readonly graph: Digraph;
  /** Conditions of each arc. */
  readonly whens: readonly (readonly When[])[];
  /** Edges to END of each node. */
  readonly exits: readonly (readonly Exit[])[];
  readonly loops: readonly Loop[];
  /** The loop whose loop edge an arc is, or -1. */
  readonly loopOf: Int32Array;
  /** In-degree without loop edges. */
  readonly armsInto: Int32Array;
  /** A node in loops nested too deep to run; see `limits.loopNestingLevels`. */
  readonly tooDeep: number | null;
}

/** Pure and near linear in nodes and edges; the blueprint has passed the checks, so every name in it exists. */
export function compile(blueprint: Blueprint): Plan {
  const ids = asParsed([...blueprint.nodes.keys()].sort());
  const index = new Map(ids.map((id, place) => [id, place]));
  const place = (id: string): number => index.get(id) ?? -1;
  const { from, to, whens } = arcsOf(blueprint.edges, place, ids.length);
  const graph = digraph(ids.length, from, to);
  const entry = place(blueprint.entry);
  const { loops, loopOf, tooDeep } = findLoops(graph, entry, (arc) => item(whens, arc).every(isFailing));
  const armsInto = new Int32Array(ids.length);
  for (let arc = 0; arc < to.length; arc += 1) {
    if (at(loopOf, arc) < 0) armsInto[at(to, arc)] = at(armsInto, at(to, arc)) + 1;
  }
  const nodes = ids.map((id) => found(blueprint.nodes.get(id), id));
  return {
    blueprint,
    ids,
    index,
    nodes,
    races: [...ids.keys()].filter((node) => isRace(item(nodes, node))),
    entry,
    last: blueprint.finally === undefined ? -1 : place(blueprint.finally),
    graph,
    whens,
    exits: exitsOf(blueprint.edges, place, ids.length),
    loops,
    loopOf,
    armsInto,
    tooDeep,
  };
}

/**
 * As they come out of the text of an event: short strings are made once there, so that a name
 * and its key are the very same string and are found without a look at their letters.
 */
function asParsed(ids: readonly string[]): readonly string[] {
  return JSON.parse(JSON.stringify(ids));
}

/** An event is asked several times which node it is about, and the next one is often about what an edge leads to. */
const lastAsked = { of: new Map() as Plan["index"], id: "", index: -1 };

/** Index of a node id, or -1. */
export function nodeIndex(plan: Plan, id: string): number {
  if (lastAsked.of === plan.index && lastAsked.id === id) return lastAsked.index;
  const follower = lastAsked.of === plan.index && lastAsked.index >= 0 ? firstAfter(plan, lastAsked.index) : -1;
  const index = follower >= 0 && plan.ids[follower] === id ? follower : (plan.index.get(id) ?? -1);
  lastAsked.of = plan.index;
  lastAsked.id = id;
  lastAsked.index = index;
  return index;
}

function firstAfter({ graph: { outStart, to } }: Plan, node: number): number {
  const arc = at(outStart, node);
  return arc < at(outStart, node + 1) ? at(to, arc) : -1;
}

/** Whether this arc starts no new pass for `node`: it is no loop edge of a loop that contains it. */
export function leadsOn(plan: Plan, arc: number, node: number): boolean {
  const loop = at(plan.loopOf, arc);
  return loop < 0 || !item(plan.loops, loop).body.has(node);
}

/** Whether it starts with fewer than all of its arms. */
export function isRace({ join }: Node): boolean {
  return join === "any" || typeof join === "number";
}

function isFailing(when: When): boolean {
  return when === "failure" || when === "error";
}

function found(node: Node | undefined, id: string): Node {
  if (node === undefined) throw new RangeError(`no node ${id}`);
  return node;
}

interface Arcs {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly whens: readonly (readonly When[])[];
}

/**
 * Sorts edges by source, target and place as one number each, which fits a
 * double: limits allow 20,000² × 200,000 < 2⁵³.
 */
function arcsOf(edges: readonly Edge[], place: (id: string) => number, size: number): Arcs {
  const inner = edges.filter((edge) => edge.to !== END);
  const keys = Float64Array.from(
    inner,
    ({ from, to }, index) => (place(from) * size + place(to)) * inner.length + index,
  ).sort();
  const from: number[] = [];
  const to: number[] = [];
  const whens: (readonly When[])[] = [];
  let last = -1;
  for (const key of keys) {
    const pair = Math.floor(key / inner.length);
    const when = item(inner, key % inner.length).when ?? null;
    if (pair === last) {
      whens.push(merged(whens.pop() ?? [], when));
      continue;
    }
    last = pair;
    from.push(Math.floor(pair / size));
    to.push(pair % size);
    whens.push(single(when));
  }
  return { from: Int32Array.from(from), to: Int32Array.from(to), whens };
}

const common: ReadonlyMap<When, readonly When[]> = new Map(
  [null, "success", "failure"].map((when) => [when, [when]] as const),
);

function single(when: When): readonly When[] {
  return common.get(when) ?? [when];
}

function merged(whens: readonly When[], when: When): readonly When[] {
  return whens.includes(when) ? whens : [...whens, when].sort(byName);
}

function byName(a: When, b: When): number {
  return (a ?? "") < (b ?? "") ? -1 : 1;
}

function exitsOf(edges: readonly Edge[], place: (id: string) => number, size: number): readonly Exit[][] {
  const exits: Exit[][] = Array.from({ length: size }, () => []);
  for (const edge of edges) {
    if (edge.to === END) item(exits, place(edge.from)).push({ when: edge.when ?? null, failed: edge.as === "failed" });
  }
  return exits;
}
