import { hasBit } from "../graph/bits.ts";
import { digraph } from "../graph/digraph.ts";
import { Dominators } from "../graph/dominators.ts";
import { at } from "../graph/ints.ts";
import type { FirstPass, Way } from "./first-pass.ts";
import { mayBeLost } from "./races.ts";
import type { Answer, Hope, Search } from "./search.ts";

/** Two nodes, and what is known of ways to them. */
interface Pair {
  readonly a: number;
  readonly b: number;
  /**
   * For what leads to one of the two, the first node that all its ways to either lead through; -1 for all else. From
   * two nodes there are ways that share no node, one to each of the pair, exactly when their branches differ (Menger).
   */
  readonly branch: Int32Array;
  /**
   * Nodes that are forks for the two or lead to one: a fork starts, on one outcome, ways to both that share no node.
   */
  readonly forks: Uint8Array;
}

/**
 * Whether in some run both of two nodes start of which neither leads to the
 * other, so that they run at once if the first lasts.
 */
export function canStartBoth(search: Search, a: number, b: number): Answer {
  if (search.plan.tooDeep !== null || !search.spend(2 * search.visits)) return "unknown";
  const branch = branchesOf(search, a, b);
  const pair: Pair = { a, b, branch, forks: forksOf(search, branch) };
  if (at(pair.forks, search.plan.entry) === 0) return "no";
  return search.find((pass) => new Both(search, pair, pass));
}

function branchesOf({ plan }: Search, a: number, b: number): Int32Array {
  const { from, inStart, inArcs, size } = plan.graph;
  const starts: number[] = [];
  const ends: number[] = [];
  for (let node = 0; node < size; node += 1) {
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
      const arc = at(inArcs, i);
      if (at(plan.loopOf, arc) >= 0) continue;
      starts.push(node);
      ends.push(at(from, arc));
    }
  }
  starts.push(size, size);
  ends.push(Math.min(a, b), Math.max(a, b));
  return new Dominators(digraph(size + 1, Int32Array.from(starts), Int32Array.from(ends)), size).branches();
}

function forksOf({ plan, order, ways }: Search, branch: Int32Array): Uint8Array {
  const forks = new Uint8Array(plan.graph.size);
  for (const node of order.toReversed()) {
    if (at(branch, node) < 0) continue;
    const isOne = ways.of(node).some(({ targets }) => {
      const first = targets.find((target) => at(branch, target) >= 0) ?? node;
      return targets.some((to) => at(forks, to) === 1 || (at(branch, to) >= 0 && at(branch, to) !== at(branch, first)));
    });
    if (isOne) forks[node] = 1;
  }
  return forks;
}

/** While something due is a fork, or two that are due are on ways that share no node, both nodes can still start. */
class Both implements Hope {
  readonly #search: Search;
  readonly #pair: Pair;
  readonly #pass: FirstPass;
  /** By branch. */
  readonly #due = new Map<number, number>();
  #forks = 0;

  constructor(search: Search, pair: Pair, pass: FirstPass) {
    this.#search = search;
    this.#pair = pair;
    this.#pass = pass;
  }

  arrived(node: number): void {
    this.#count(node, 1);
  }

  next(node: number, starts: () => boolean): "ends" | "skipped" | "lasts" | Answer {
    const { a, b } = this.#pair;
    const isOfPair = node === a || node === b;
    const does = starts();
    if (does && this.#mayWait(node)) return "unknown";
    if (isOfPair) return does ? "lasts" : "no";
    this.#count(node, -1);
    return does ? "ends" : "skipped";
  }

  remains(_node: number, { targets }: Way): boolean {
    if (this.#forks > 0 || this.#due.size > 1) return true;
    const { branch, forks } = this.#pair;
    const branches = new Set(this.#due.keys());
    for (const target of targets) {
      if (at(forks, target) === 1) return true;
      if (at(branch, target) >= 0) branches.add(at(branch, target));
    }
    return branches.size > 1;
  }

  over(): Answer {
    if (this.#due.size < 2) return "no";
    const { a, b } = this.#pair;
    return mayBeLost(this.#search, this.#pass, a, b) || mayBeLost(this.#search, this.#pass, b, a) ? "unknown" : "yes";
  }

  #count(node: number, change: 1 | -1): void {
    const { branch, forks } = this.#pair;
    this.#forks += change * at(forks, node);
    const own = at(branch, node);
    if (own < 0) return;
    const left = (this.#due.get(own) ?? 0) + change;
    if (left > 0) this.#due.set(own, left);
    else this.#due.delete(own);
  }

  /** Over loop edges of other loops a node may wait for one of the pair, and then does not start while that lasts. */
  #mayWait(node: number): boolean {
    const { plan, reach, spend, visits } = this.#search;
    if (plan.loops.length === 0 || !this.#pass.hasEmptyArm(node)) return false;
    if (!spend(visits)) return true;
    const { a, b } = this.#pair;
    const into = reach.into(node);
    return (node !== a && hasBit(into, a)) || (node !== b && hasBit(into, b));
  }
}
