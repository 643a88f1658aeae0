import { digraph } from "../graph/digraph.ts";
import type { Digraph } from "../graph/digraph.ts";
import { Dominators } from "../graph/dominators.ts";
import { at, item } from "../graph/ints.ts";
import type { Plan, When } from "../graph/plan.ts";
import { nodeIndex } from "../graph/plan.ts";
import { limits } from "../model/limits.ts";

interface Arc {
  readonly from: number;
  readonly to: number;
}

/**
 * What can have run before what. Answers are certain where they speak of an error; after `limits.orderSearches` searches of the whole
 * graph it answers in the document's favour, so that a check stays near linear.
 */
export class Order {
  readonly #plan: Plan;
  /** Arcs without loop edges: one pass. */
  readonly #forward: readonly number[];
  readonly #always: Dominators;
  readonly #inOnePass: Dominators;
  readonly #reached = new Map<number, Uint8Array>();
  #searches = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const { graph, loopOf, entry } = plan;
    this.#forward = Array.from(graph.from.keys()).filter((arc) => at(loopOf, arc) < 0);
    this.#always = new Dominators(graph, entry);
    this.#inOnePass = new Dominators(graphOf(graph.size, this.#arcs(this.#forward)), entry);
  }

  /** Every way to `node` leads through `before`, which is another node. */
  alwaysBefore(before: string, node: string): boolean {
    return before !== node && this.#always.dominates(this.#index(before), this.#index(node));
  }

  /** `before` can have ended when `node` starts: it leads there, runs beside it, or a loop leads to `node`, which may wait for it or come again. */
  canPrecede(before: string, node: string): boolean {
    if (this.alwaysBefore(before, node) || this.#isLast(node)) return true;
    const [first, second] = [this.#index(before), this.#index(node)];
    const after = this.#from(first);
    if (after === undefined || after[second] === 1) return true;
    if (this.canRunTogether(before, node)) return true;
    return this.#plan.loops.some(({ heads }) => heads.some((head) => this.#from(head)?.[second] !== 0));
  }

  /**
   * Both can run at once in one pass: there neither leads to the other, and some node starts, on one outcome, ways to them that share no node.
   * Two such ways exist exactly when that node is the nearest common dominator of both, with only the edges of that outcome.
   */
  canRunTogether(first: string, second: string): boolean {
    const [a, b] = [this.#index(first), this.#index(second)];
    if (a === b || this.#isLast(first) || this.#isLast(second)) return false;
    if (this.#leadsInOnePass(a, b) || this.#leadsInOnePass(b, a)) return false;
    const fork = this.#nearestCommon(a, b);
    if (fork === undefined) return false;
    const outcomes = new Set(this.#out(fork).flatMap((arc) => item(this.#plan.whens, arc)));
    return [...outcomes].some((outcome) => this.#forks(fork, outcome, a, b));
  }

  #index(id: string): number {
    return nodeIndex(this.#plan, id);
  }

  /** The node of `finally` runs when all others have ended. */
  #isLast(id: string): boolean {
    return this.#index(id) === this.#plan.last;
  }

  #forks(fork: number, outcome: When, a: number, b: number): boolean {
    if (!this.#maySearch()) return false;
    const { graph, whens } = this.#plan;
    const kept = this.#forward.filter(
      (arc) => at(graph.from, arc) !== fork || item(whens, arc).some((when) => fires(when, outcome)),
    );
    const sink = graph.size;
    const both = graphOf(sink + 1, [...this.#arcs(kept), { from: a, to: sink }, { from: b, to: sink }]);
    const ways = new Dominators(both, fork);
    if (!ways.dominates(fork, a) || !ways.dominates(fork, b)) return false;
    for (let node = 0; node < sink; node += 1) if (node !== fork && ways.dominates(node, sink)) return false;
    return true;
  }

  #nearestCommon(a: number, b: number): number | undefined {
    let nearest: number | undefined;
    for (let node = 0; node < this.#plan.graph.size; node += 1) {
      if (!this.#inOnePass.dominates(node, a) || !this.#inOnePass.dominates(node, b)) continue;
      if (nearest === undefined || this.#inOnePass.dominates(nearest, node)) nearest = node;
    }
    return nearest;
  }

  #leadsInOnePass(from: number, to: number): boolean {
    if (this.#inOnePass.dominates(from, to)) return true;
    if (!this.#maySearch()) return true;
    return this.#closure(from, (arc) => at(this.#plan.loopOf, arc) < 0)[to] === 1;
  }

  /** What a node leads to, itself only if it is in a loop; undefined when too much was searched. */
  #from(node: number): Uint8Array | undefined {
    const known = this.#reached.get(node);
    if (known !== undefined || !this.#maySearch()) return known;
    const found = this.#closure(node, () => true);
    this.#reached.set(node, found);
    return found;
  }

  #closure(start: number, passes: (arc: number) => boolean): Uint8Array {
    const seen = new Uint8Array(this.#plan.graph.size);
    const open = [start];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const arc of this.#out(node)) {
        const target = at(this.#plan.graph.to, arc);
        if (at(seen, target) === 1 || !passes(arc)) continue;
        seen[target] = 1;
        open.push(target);
      }
    }
    return seen;
  }

  #out(node: number): readonly number[] {
    const { outStart } = this.#plan.graph;
    const start = at(outStart, node);
    return Array.from({ length: at(outStart, node + 1) - start }, (_, index) => start + index);
  }

  #arcs(arcs: readonly number[]): readonly Arc[] {
    const { from, to } = this.#plan.graph;
    return arcs.map((arc) => ({ from: at(from, arc), to: at(to, arc) }));
  }

  #maySearch(): boolean {
    this.#searches += 1;
    return this.#searches <= limits.orderSearches;
  }
}

/** An unconditional edge carries success, failure and every option, but never an error. */
function fires(when: When, outcome: When): boolean {
  return when === outcome || (when === null && outcome !== "error");
}

/** Arcs in any order, without doubles. */
function graphOf(size: number, arcs: readonly Arc[]): Digraph {
  const sorted = [...arcs].sort((a, b) => a.from - b.from || a.to - b.to);
  return digraph(
    size,
    Int32Array.from(sorted, ({ from }) => from),
    Int32Array.from(sorted, ({ to }) => to),
  );
}
