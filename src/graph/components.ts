import type { Digraph } from "./digraph.ts";
import { at } from "./ints.ts";

/**
 * Finds cycles inside regions of a graph: strongly connected components after Tarjan
 * (1972), without recursion. A search looks only at arcs that are not cut and whose ends
 * are in the same region; components without a cycle are left out.
 */
export class Components {
  readonly #graph: Digraph;
  /** Region of each node; a component that is looked into again gets its own. */
  readonly region: Int32Array;
  readonly cut: Uint8Array;
  readonly #index: Int32Array;
  readonly #low: Int32Array;
  readonly #next: Int32Array;
  #count = 0;

  constructor(graph: Digraph) {
    this.#graph = graph;
    this.region = new Int32Array(graph.size);
    this.cut = new Uint8Array(graph.from.length);
    this.#index = new Int32Array(graph.size);
    this.#low = new Int32Array(graph.size);
    this.#next = new Int32Array(graph.size);
  }

  /** Whether the search passes this arc. */
  inside(arc: number): boolean {
    const { from, to } = this.#graph;
    return at(this.cut, arc) === 0 && at(this.region, at(from, arc)) === at(this.region, at(to, arc));
  }

  /** Components with a cycle among `members`, which must all be in one region. */
  search(members: Int32Array): Int32Array[] {
    const found: Int32Array[] = [];
    for (const node of members) this.#index[node] = 0;
    this.#count = 0;
    const open: number[] = [];
    for (const root of members) if (at(this.#index, root) === 0) this.#visit(root, open, found);
    return found;
  }

  /** `index` is 0 for new nodes, the visit number for open ones and -1 for those already in a component. */
  #visit(root: number, open: number[], found: Int32Array[]): void {
    const { to, outStart } = this.#graph;
    const path = [root];
    this.#open(root, open);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const arc = at(this.#next, node);
      if (arc < at(outStart, node + 1)) {
        this.#next[node] = arc + 1;
        if (!this.inside(arc)) continue;
        const target = at(to, arc);
        if (at(this.#index, target) === 0) {
          path.push(target);
          this.#open(target, open);
        } else if (at(this.#index, target) > 0) this.#lower(node, at(this.#index, target));
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) this.#lower(parent, at(this.#low, node));
      if (at(this.#low, node) === at(this.#index, node)) this.#close(node, open, found);
    }
  }

  #open(node: number, open: number[]): void {
    this.#count += 1;
    this.#index[node] = this.#count;
    this.#low[node] = this.#count;
    this.#next[node] = at(this.#graph.outStart, node);
    open.push(node);
  }

  #lower(node: number, value: number): void {
    if (value < at(this.#low, node)) this.#low[node] = value;
  }

  #close(root: number, open: number[], found: Int32Array[]): void {
    const component = open.splice(open.lastIndexOf(root));
    for (const node of component) this.#index[node] = -1;
    if (component.length > 1 || this.#loopsOnItself(root)) found.push(Int32Array.from(component));
  }

  #loopsOnItself(node: number): boolean {
    const { to, outStart } = this.#graph;
    for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) {
      if (at(to, arc) === node && this.inside(arc)) return true;
    }
    return false;
  }
}
