import type { Digraph } from "./digraph.ts";
import { at } from "./ints.ts";

/** Which nodes every way from the entry to a node leads through. */
export class Dominators {
  /** Preorder and postorder numbers in the dominator tree; 0 for nodes that the entry does not reach. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  readonly #above: Int32Array;
  /** Nodes that the entry reaches, each after those that dominate it. */
  readonly order: readonly number[];

  constructor(graph: Digraph, entry: number) {
    const search = depthFirst(graph, entry);
    const immediates = immediate(graph, search);
    const [first, last] = number(graph.size, search.order, immediates);
    this.#first = first;
    this.#last = last;
    this.order = search.order;
    this.#above = new Int32Array(graph.size).fill(-1);
    search.order.forEach((vertex, place) => {
      if (place > 0) this.#above[vertex] = search.order[at(immediates, place)] ?? -1;
    });
  }

  /** The nearest other node that dominates it, or -1. */
  above(node: number): number {
    return at(this.#above, node);
  }

  /** A node dominates itself; nothing dominates, or is dominated by, a node that the entry does not reach. */
  dominates(a: number, b: number): boolean {
    const first = at(this.#first, a);
    return first > 0 && first <= at(this.#first, b) && at(this.#last, b) <= at(this.#last, a);
  }

  /** By node: the node right below the entry that dominates it, -1 for the entry and what it does not reach. */
  branches(): Int32Array {
    const branch = new Int32Array(this.#first.length).fill(-1);
    const inOrder = new Int32Array(this.#first.length + 1).fill(-1);
    for (const [node, place] of this.#first.entries()) inOrder[place] = node;
    let top = -1;
    for (let place = 2; place < inOrder.length && at(inOrder, place) >= 0; place += 1) {
      const node = at(inOrder, place);
      if (top < 0 || place > at(this.#last, top)) top = node;
      branch[node] = top;
    }
    return branch;
  }

  /** Those that no other one of them dominates. */
  outermost(nodes: ReadonlySet<number>): Set<number> {
    const outer = new Set<number>();
    let end = -1;
    for (const node of [...nodes].sort((a, b) => at(this.#first, a) - at(this.#first, b))) {
      if (at(this.#first, node) <= end) continue;
      outer.add(node);
      end = at(this.#last, node);
    }
    return outer;
  }
}

interface Search {
  /** Reached nodes in preorder. */
  readonly order: readonly number[];
  /** Place in `order`, or -1. */
  readonly place: Int32Array;
  /** Place of the parent in the depth-first tree, by place. */
  readonly parent: Int32Array;
}

function depthFirst(graph: Digraph, entry: number): Search {
  const place = new Int32Array(graph.size).fill(-1);
  const parent = new Int32Array(graph.size);
  const next = graph.outStart.slice(0, graph.size);
  const order = [entry];
  place[entry] = 0;
  const path = [entry];
  for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
    const arc = at(next, node);
    if (arc >= at(graph.outStart, node + 1)) {
      path.pop();
      continue;
    }
    next[node] = arc + 1;
    const target = at(graph.to, arc);
    if (at(place, target) >= 0) continue;
    place[target] = order.length;
    parent[order.length] = at(place, node);
    order.push(target);
    path.push(target);
  }
  return { order, place, parent };
}

/** Immediate dominators by place: semi-NCA (Georgiadis, Tarjan, Werneck 2006) with path compression. */
function immediate(graph: Digraph, { order, place, parent }: Search): Int32Array {
  const count = order.length;
  const semi = Int32Array.from(order, (_, index) => index);
  const label = Int32Array.from(semi);
  const ancestor = parent.slice(0, count);
  const trail: number[] = [];

  /** The node with the least `semi` on the compressed path above `from`, among places from `linked` on. */
  const evaluate = (from: number, linked: number): number => {
    if (from < linked) return at(label, from);
    for (let node = from; at(ancestor, node) >= linked; node = at(ancestor, node)) trail.push(node);
    for (let node = trail.pop(); node !== undefined; node = trail.pop()) {
      const above = at(ancestor, node);
      if (at(semi, at(label, above)) < at(semi, at(label, node))) label[node] = at(label, above);
      ancestor[node] = at(ancestor, above);
    }
    return at(label, from);
  };

  for (let node = count - 1; node > 0; node -= 1) {
    semi[node] = at(parent, node);
    const vertex = order[node] ?? 0;
    for (let i = at(graph.inStart, vertex); i < at(graph.inStart, vertex + 1); i += 1) {
      const source = at(place, at(graph.from, at(graph.inArcs, i)));
      if (source < 0) continue;
      const candidate = at(semi, evaluate(source, node + 1));
      if (candidate < at(semi, node)) semi[node] = candidate;
    }
  }
  const dominator = parent.slice(0, count);
  for (let node = 1; node < count; node += 1) {
    while (at(dominator, node) > at(semi, node)) dominator[node] = at(dominator, at(dominator, node));
  }
  return dominator;
}

/** Numbers the dominator tree so that "is above" is a comparison; parents come before children in `order`. */
function number(size: number, order: readonly number[], dominator: Int32Array): [Int32Array, Int32Array] {
  const below = new Int32Array(order.length).fill(1);
  for (let node = order.length - 1; node > 0; node -= 1) {
    const above = at(dominator, node);
    below[above] = at(below, above) + at(below, node);
  }
  const first = new Int32Array(size);
  const last = new Int32Array(size);
  const free = new Int32Array(order.length);
  order.forEach((vertex, node) => {
    const start = node === 0 ? 1 : at(free, at(dominator, node));
    if (node > 0) free[at(dominator, node)] = start + at(below, node);
    first[vertex] = start;
    last[vertex] = start + at(below, node) - 1;
    free[node] = start + 1;
  });
  return [first, last];
}
