import type { Blueprint } from "../model/blueprint.ts";
import type { Edge } from "../model/edge.ts";
import { END } from "../model/edge.ts";
import { Components } from "../graph/components.ts";
import type { Digraph } from "../graph/digraph.ts";
import { digraph } from "../graph/digraph.ts";

/** A document's graph by node index, for rules: also of documents that have other errors. Linear in nodes and edges. */
export class Topology {
  readonly ids: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Outgoing edges of each node, END included. */
  readonly outgoing: readonly (readonly Edge[])[];
  /** Distinct targets of each node, END left out. */
  readonly successors: readonly (readonly number[])[];
  readonly predecessors: readonly (readonly number[])[];
  /** Whether a path leads to each node from the entry or `finally`. */
  readonly reachable: readonly boolean[];
  /** Nodes that lead to one another, each group with at least one cycle. */
  readonly loops: readonly (readonly number[])[];
  /** The loop that a node is in, or -1. */
  readonly loopOf: readonly number[];

  constructor(blueprint: Blueprint, ids: Iterable<string>) {
    this.ids = [...ids];
    this.indexOf = new Map(this.ids.map((id, index) => [id, index]));
    const outgoing: Edge[][] = this.ids.map(() => []);
    for (const edge of blueprint.edges) outgoing[this.indexOf.get(edge.from) ?? -1]?.push(edge);
    this.outgoing = outgoing;
    this.successors = outgoing.map((edges) =>
      [...new Set(edges.flatMap(({ to }) => this.#target(to)))].sort((a, b) => a - b),
    );
    const predecessors: number[][] = this.ids.map(() => []);
    for (const [from, targets] of this.successors.entries()) for (const to of targets) predecessors[to]?.push(from);
    this.predecessors = predecessors;
    const roots = [blueprint.entry, blueprint.finally].flatMap((id) => (id === undefined ? [] : this.#target(id)));
    this.reachable = this.from(roots);
    this.loops = cycles(toDigraph(this.successors));
    const loopOf = this.ids.map(() => -1);
    for (const [loop, members] of this.loops.entries()) for (const index of members) loopOf[index] = loop;
    this.loopOf = loopOf;
  }

  /** Which nodes a path leads to from any of these, they included. */
  from(indices: readonly number[]): readonly boolean[] {
    return closure(indices, this.successors);
  }

  /** Which nodes lead to any of these, they included. */
  into(indices: readonly number[]): readonly boolean[] {
    return closure(indices, this.predecessors);
  }

  /** Whether each of two nodes leads to the other. */
  inOneLoop(a: number, b: number): boolean {
    return this.loopOf[a] !== -1 && this.loopOf[a] === this.loopOf[b];
  }

  #target(id: string): number[] {
    const index = id === END ? undefined : this.indexOf.get(id);
    return index === undefined ? [] : [index];
  }
}

function closure(start: readonly number[], next: readonly (readonly number[])[]): boolean[] {
  const seen = next.map(() => false);
  const open = [...start];
  for (const index of open) seen[index] = true;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const to of next[at] ?? []) {
      if (seen[to] === true) continue;
      seen[to] = true;
      open.push(to);
    }
  }
  return seen;
}

function toDigraph(successors: readonly (readonly number[])[]): Digraph {
  const from = successors.flatMap((targets, index) => targets.map(() => index));
  return digraph(successors.length, Int32Array.from(from), Int32Array.from(successors.flat()));
}

function cycles(graph: Digraph): number[][] {
  const all = Int32Array.from({ length: graph.size }, (_, index) => index);
  return new Components(graph).search(all).map((members) => [...members].sort((a, b) => a - b));
}
