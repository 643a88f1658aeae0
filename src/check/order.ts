import { digraph } from "../graph/digraph.ts";
import { Dominators } from "../graph/dominators.ts";
import { at, item } from "../graph/ints.ts";
import type { Plan } from "../graph/plan.ts";
import { nodeIndex } from "../graph/plan.ts";
import { limits } from "../model/limits.ts";
import type { Answer } from "./search.ts";
import { Search } from "./search.ts";
import { canStartWithout, canSucceedWithout } from "./without.ts";
import { canStartBoth } from "./together.ts";

/**
 * What can have run before what. Answers are certain where they speak of an error; after `limits.orderVisits` nodes and
 * edges looked at it answers in the document's favour, so that a check stays near linear.
 */
export class Order {
  readonly #plan: Plan;
  readonly #always: Dominators;
  /** Without loop edges. */
  readonly #alwaysInOnePass: Dominators;
  readonly #reached = new Map<number, Uint8Array>();
  #search: Search | undefined;
  readonly #answers = new Map<number, Answer>();
  #visits = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
    const { graph, loopOf, entry } = plan;
    const inOnePass = (_: number, arc: number): boolean => at(loopOf, arc) < 0;
    this.#always = new Dominators(graph, entry);
    const forward = digraph(graph.size, graph.from.filter(inOnePass), graph.to.filter(inOnePass));
    this.#alwaysInOnePass = new Dominators(forward, entry);
  }

  /** Every way to `node` leads through `before`, which is another node. */
  alwaysBefore(before: string, node: string): boolean {
    return before !== node && this.#always.dominates(this.#index(before), this.#index(node));
  }

  /**
   * `before` can have ended when `node` starts: it leads there, runs beside it, a loop leads to `node`,
   * which may wait for it or come again, or one beside `node` leads to `before`.
   */
  canPrecede(before: string, node: string): boolean {
    if (this.alwaysBefore(before, node) || this.#isLast(node)) return true;
    const [first, second] = [this.#index(before), this.#index(node)];
    const after = this.#from(first);
    if (after === undefined || after[second] === 1) return true;
    if (this.#beside(first, second) !== "no" || this.#loopsTo(second).length > 0) return true;
    // It waits for what leads to it.
    if (this.#inOnePass(second)?.[first] === 1) return false;
    return this.#loopsTo(first).some(({ body }) =>
      body.members.some((member) => this.#beside(member, second) !== "no"),
    );
  }

  #loopsTo(node: number): Plan["loops"] {
    return this.#plan.loops.filter(({ heads }) => heads.some((head) => this.#from(head)?.[node] !== 0));
  }

  /** Both can run at once in one pass: there neither leads to the other, and in some run both start. */
  canRunTogether(first: string, second: string): boolean {
    if (first === second || this.#isLast(first) || this.#isLast(second)) return false;
    if (!this.#isReached(first) || !this.#isReached(second)) return false;
    return this.#beside(this.#index(first), this.#index(second)) === "yes";
  }

  /** Nodes that the entry reaches, each after what it always comes after. */
  get reached(): readonly string[] {
    return this.#always.order.map((node) => item(this.#plan.ids, node));
  }

  /** The nearest node that every way to a node leads through, or undefined. */
  above(node: string): string | undefined {
    return this.#plan.ids[this.#always.above(this.#index(node))];
  }

  /** Whether so many nodes and edges may be looked at. */
  mayVisit(visits: number): boolean {
    return this.#spend(visits);
  }

  /** `node` can start while `before`, which is another node, has not ended once. False is no claim. */
  canStartWithout(before: string, node: string): boolean {
    if (this.#isLast(node) || this.alwaysBefore(before, node) || !this.#isReached(node)) return false;
    return canStartWithout(this.#searching(), this.#index(before), this.#index(node));
  }

  /** The run can succeed though `node` never started. False is no claim. */
  canSucceedWithout(node: string): boolean {
    return !this.#isLast(node) && canSucceedWithout(this.#searching(), this.#index(node));
  }

  #isReached(node: string): boolean {
    return this.#always.dominates(this.#plan.entry, this.#index(node));
  }

  #beside(a: number, b: number): Answer {
    const pair = Math.min(a, b) * this.#plan.graph.size + Math.max(a, b);
    const known = this.#answers.get(pair) ?? this.#lookBeside(a, b);
    this.#answers.set(pair, known);
    return known;
  }

  #lookBeside(a: number, b: number): Answer {
    if (this.#alwaysInOnePass.dominates(a, b) || this.#alwaysInOnePass.dominates(b, a)) return "no";
    const [afterA, afterB] = [this.#inOnePass(a), this.#inOnePass(b)];
    if (afterA === undefined || afterB === undefined) return "unknown";
    if (afterA[b] === 1 || afterB[a] === 1) return "no";
    return canStartBoth(this.#searching(), a, b);
  }

  #index(id: string): number {
    return nodeIndex(this.#plan, id);
  }

  /** The node of `finally` runs when all others have ended. */
  #isLast(id: string): boolean {
    return this.#index(id) === this.#plan.last;
  }

  /** What a node leads to, itself only if it is in a loop; undefined when too much was searched. */
  #from(node: number): Uint8Array | undefined {
    const known = this.#reached.get(node);
    if (known !== undefined) return known;
    const found = this.#closure(node, () => true);
    if (found !== undefined) this.#reached.set(node, found);
    return found;
  }

  #closure(start: number, passes: (arc: number) => boolean): Uint8Array | undefined {
    const { size, from, to, outStart } = this.#plan.graph;
    if (!this.#spend(size + from.length)) return undefined;
    const seen = new Uint8Array(size);
    const open = [start];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) {
        const target = at(to, arc);
        if (at(seen, target) === 1 || !passes(arc)) continue;
        seen[target] = 1;
        open.push(target);
      }
    }
    return seen;
  }

  /** The same without loop edges. */
  #inOnePass(node: number): Uint8Array | undefined {
    return this.#closure(node, (arc) => at(this.#plan.loopOf, arc) < 0);
  }

  #searching(): Search {
    return (this.#search ??= new Search(this.#plan, this.#spend));
  }

  readonly #spend = (visits: number): boolean => {
    this.#visits += visits;
    return this.#visits <= limits.orderVisits;
  };
}
