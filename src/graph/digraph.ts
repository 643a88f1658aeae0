import { at } from "./ints.ts";

/**
 * Nodes 0…size-1 and arcs 0…from.length-1 in compressed rows. Arcs are sorted by source, then
 * target, and no two share both: the arcs out of `v` are `outStart[v]` to `outStart[v + 1]`, those
 * into `v` are `inArcs[inStart[v]]` to `inArcs[inStart[v + 1]]`.
 */
export interface Digraph {
  readonly size: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly outStart: Int32Array;
  readonly inStart: Int32Array;
  readonly inArcs: Int32Array;
}

/** Builds the rows from arcs that are sorted by source, then target, without doubles. */
export function digraph(size: number, from: Int32Array, to: Int32Array): Digraph {
  const outStart = new Int32Array(size + 1);
  const inStart = new Int32Array(size + 1);
  for (let arc = 0; arc < from.length; arc += 1) {
    outStart[at(from, arc) + 1] = at(outStart, at(from, arc) + 1) + 1;
    inStart[at(to, arc) + 1] = at(inStart, at(to, arc) + 1) + 1;
  }
  for (let node = 0; node < size; node += 1) {
    outStart[node + 1] = at(outStart, node + 1) + at(outStart, node);
    inStart[node + 1] = at(inStart, node + 1) + at(inStart, node);
  }
  const inArcs = new Int32Array(from.length);
  const next = inStart.slice(0, size);
  for (let arc = 0; arc < from.length; arc += 1) {
    const target = at(to, arc);
    inArcs[at(next, target)] = arc;
    next[target] = at(next, target) + 1;
  }
  return { size, from, to, outStart, inStart, inArcs };
}
