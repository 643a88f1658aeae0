import { limits } from "../model/limits.ts";
import { NodeSet } from "./bits.ts";
import { Components } from "./components.ts";
import type { Digraph } from "./digraph.ts";
import { Dominators } from "./dominators.ts";
import { at, item } from "./ints.ts";

export interface Loop {
  readonly body: NodeSet;
  /** Targets of its loop edges. */
  readonly heads: readonly number[];
}

export interface Loops {
  readonly loops: readonly Loop[];
  /** The loop whose loop edge an arc is, or -1. */
  readonly loopOf: Int32Array;
  /** A node inside loops nested deeper than `limits.loopNestingLevels`; the rest of that nest was not taken apart. */
  readonly tooDeep: number | null;
}

/**
 * Loop edges, fixed before a run and the same in every order of the document. In each cycle component they are the
 * edges to a node that dominates their source (those of the outermost such nodes); where there is none, the failure and
 * error edges that stay inside; where there is none, the edges to the nodes entered from outside. They are cut, and
 * what is left of the component is looked at again. A graph without a cycle costs one search.
 */
export function findLoops(graph: Digraph, entry: number, onlyFailing: (arc: number) => boolean): Loops {
  const components = new Components(graph);
  const finder = new LoopFinder(graph, entry, onlyFailing, components);
  let level = components.search(Int32Array.from({ length: graph.size }, (_, node) => node));
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === limits.loopNestingLevels) return { ...finder.found(), tooDeep: at(item(level, 0), 0) };
    level = level.flatMap((members) => finder.open(members));
  }
  return { ...finder.found(), tooDeep: null };
}

class LoopFinder {
  readonly #graph: Digraph;
  readonly #entry: number;
  readonly #onlyFailing: (arc: number) => boolean;
  readonly #components: Components;
  readonly #loops: Loop[] = [];
  readonly #loopOf: Int32Array;
  #dominators: Dominators | null = null;
  #regions = 0;

  constructor(graph: Digraph, entry: number, onlyFailing: (arc: number) => boolean, components: Components) {
    this.#graph = graph;
    this.#entry = entry;
    this.#onlyFailing = onlyFailing;
    this.#components = components;
    this.#loopOf = new Int32Array(graph.from.length).fill(-1);
  }

  found(): Omit<Loops, "tooDeep"> {
    return { loops: this.#loops, loopOf: this.#loopOf };
  }

  /** Makes a loop of a component and gives back the components that are left inside it. */
  open(members: Int32Array): Int32Array[] {
    this.#regions += 1;
    for (const node of members) this.#components.region[node] = this.#regions;
    const inner = this.#inner(members);
    const edges = this.#backEdges(inner) ?? this.#failing(inner) ?? this.#entered(members, inner);
    const heads = [...new Set(edges.map((arc) => at(this.#graph.to, arc)))].sort((a, b) => a - b);
    const only = heads.length === 1 ? heads[0] : undefined;
    const body = only === undefined ? members : this.#naturalLoop(only, edges);
    for (const arc of edges) this.#loopOf[arc] = this.#loops.length;
    this.#loops.push({ body: new NodeSet(body, this.#graph.size), heads });
    for (const arc of edges) this.#components.cut[arc] = 1;
    return this.#components.search(members);
  }

  #inner(members: Int32Array): number[] {
    const { outStart } = this.#graph;
    const arcs: number[] = [];
    for (const node of members) {
      for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) {
        if (this.#components.inside(arc)) arcs.push(arc);
      }
    }
    return arcs;
  }

  #backEdges(inner: readonly number[]): number[] | null {
    const dominators = (this.#dominators ??= new Dominators(this.#graph, this.#entry));
    const { from, to } = this.#graph;
    const back = inner.filter((arc) => dominators.dominates(at(to, arc), at(from, arc)));
    const outermost = dominators.outermost(new Set(back.map((arc) => at(to, arc))));
    return someOf(back.filter((arc) => outermost.has(at(to, arc))));
  }

  #failing(inner: readonly number[]): number[] | null {
    return someOf(inner.filter(this.#onlyFailing));
  }

  #entered(members: Int32Array, inner: readonly number[]): number[] {
    const { from, to, inStart, inArcs } = this.#graph;
    const { region } = this.#components;
    const entered = new Set<number>(); // never the entry: it dominates what leads back to it
    for (const node of members) {
      for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
        if (at(region, at(from, at(inArcs, i))) !== this.#regions) entered.add(node);
      }
    }
    if (entered.size === 0) entered.add(members.reduce((least, node) => Math.min(least, node)));
    return inner.filter((arc) => entered.has(at(to, arc)));
  }

  /** The head and what gets back to it without passing it. */
  #naturalLoop(head: number, edges: readonly number[]): Int32Array {
    const { from, inStart, inArcs } = this.#graph;
    const body = new Set([head]);
    const open = edges.map((arc) => at(from, arc));
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (body.has(node)) continue;
      body.add(node);
      for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
        const arc = at(inArcs, i);
        if (this.#components.inside(arc)) open.push(at(from, arc));
      }
    }
    return Int32Array.from(body);
  }
}

function someOf(arcs: number[]): number[] | null {
  return arcs.length > 0 ? arcs : null;
}
