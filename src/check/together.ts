import { hasBit } from "../graph/bits.ts";
import { digraph } from "../graph/digraph.ts";
import { Dominators } from "../graph/dominators.ts";
import { at } from "../graph/ints.ts";
import { forwardOrder } from "../graph/order.ts";
import type { Plan } from "../graph/plan.ts";
import { Reach } from "../graph/reach.ts";
import { limits } from "../model/limits.ts";
import type { Spend } from "./first-pass.ts";
import { FirstPass, Ways } from "./first-pass.ts";

/** What a bounded search can say. */
export type Answer = "yes" | "no" | "unknown";

/** At one node of a run: which of its ways that leave hope is taken, of how many. */
interface Choice {
  taken: number;
  of: number;
}

/** Two nodes, and what is known of ways to them. */
interface Pair {
  readonly a: number;
  readonly b: number;
  /** See {@link Together.#branches}. */
  readonly branch: Int32Array;
  /** Nodes that are forks for the two or lead to one. */
  readonly forks: Uint8Array;
}

/**
 * Looks for a run in which two nodes start of which neither leads to the other, so that they run at once if the first lasts. It needs a
 * fork: a node that on one outcome starts ways to both that share no node. Runs are followed in the order of arcs, keeping to endings
 * after which both nodes can still be reached; where a broken arm then skips what is needed, another ending is tried.
 */
export class Together {
  readonly #plan: Plan;
  readonly #spend: Spend;
  readonly #visits: number;
  readonly #order: readonly number[];
  readonly #ways: Ways;
  readonly #reach: Reach;
  readonly #races: readonly { readonly join: number; readonly enough: number }[];

  constructor(plan: Plan, spend: Spend) {
    this.#plan = plan;
    this.#spend = spend;
    this.#visits = plan.graph.size + plan.graph.from.length;
    this.#order = forwardOrder(plan);
    this.#ways = new Ways(plan);
    this.#reach = new Reach(plan);
    this.#races = racesOf(plan);
  }

  /** "yes" and "no" are certain, for a pair in one pass. */
  canStartBoth(a: number, b: number): Answer {
    if (this.#plan.tooDeep !== null || !this.#spend(2 * this.#visits)) return "unknown";
    const branch = this.#branches(a, b);
    const pair: Pair = { a, b, branch, forks: this.#forks(branch) };
    if (at(pair.forks, this.#plan.entry) === 0) return "no";
    let sofar: Answer = "no";
    const choices: Choice[] = [];
    for (let tries = 0; tries < limits.orderTries && this.#spend(this.#visits); tries += 1) {
      const answer = this.#follow(pair, choices);
      if (answer === "yes") return answer;
      if (answer === "unknown") sofar = answer;
      while (isExhausted(choices.at(-1))) choices.pop();
      const last = choices.at(-1);
      if (last === undefined) return sofar;
      last.taken += 1;
    }
    return "unknown";
  }

  /**
   * For what leads to one of two nodes, the first node that all its ways to either lead through; -1 for all else. From two nodes there
   * are ways that share no node, one to each of the pair, exactly when their branches differ (Menger).
   */
  #branches(a: number, b: number): Int32Array {
    const { from, inStart, inArcs, size } = this.#plan.graph;
    const starts: number[] = [];
    const ends: number[] = [];
    for (let node = 0; node < size; node += 1) {
      for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
        const arc = at(inArcs, i);
        if (at(this.#plan.loopOf, arc) >= 0) continue;
        starts.push(node);
        ends.push(at(from, arc));
      }
    }
    starts.push(size, size);
    ends.push(Math.min(a, b), Math.max(a, b));
    return new Dominators(digraph(size + 1, Int32Array.from(starts), Int32Array.from(ends)), size).branches();
  }

  #forks(branch: Int32Array): Uint8Array {
    const forks = new Uint8Array(this.#plan.graph.size);
    for (const node of this.#order.toReversed()) {
      if (at(branch, node) < 0) continue;
      const isOne = this.#ways.of(node).some(({ targets }) => {
        const first = targets.find((target) => at(branch, target) >= 0) ?? node;
        return targets.some(
          (to) => at(forks, to) === 1 || (at(branch, to) >= 0 && at(branch, to) !== at(branch, first)),
        );
      });
      if (isOne) forks[node] = 1;
    }
    return forks;
  }

  /** Follows one run as far as the choices say, then by the first way that leaves hope; adds the choices it had. */
  #follow(pair: Pair, choices: Choice[]): Answer {
    const pass = new FirstPass(this.#plan, this.#reach, this.#spend);
    const hope = new Hope(pair);
    hope.add(this.#plan.entry);
    let missing: Answer = "no";
    let decided = 0;
    for (const node of this.#order) {
      if (pass.arrivalsAt(node) === 0) continue;
      const isOfPair = node === pair.a || node === pair.b;
      const starts = pass.starts(node);
      if (starts && this.#mayWait(pass, node, pair)) return "unknown";
      if (isOfPair && !starts) return missing;
      if (isOfPair) continue;
      hope.remove(node);
      if (!starts) continue;
      const hopeful = this.#ways.of(node).filter(({ targets }) => hope.remains(targets));
      const ways = hopeful.filter(({ repeats }) => !repeats);
      if (ways.length < hopeful.length) missing = "unknown";
      const choice = (choices[decided] ??= { taken: 0, of: ways.length });
      decided += 1;
      const way = ways[choice.taken];
      if (way === undefined) return missing;
      pass.end(node, way);
      for (const target of way.targets) if (pass.arrivalsAt(target) === 1) hope.add(target);
    }
    if (!hope.isMet()) return missing;
    return this.#mayBeLost(pass, pair.a, pair.b) || this.#mayBeLost(pass, pair.b, pair.a) ? "unknown" : "yes";
  }

  /** A join that starts with what leads to one node may cancel the other before. */
  #mayBeLost(pass: FirstPass, node: number, other: number): boolean {
    const { from, inStart, inArcs } = this.#plan.graph;
    return this.#races.some(({ join, enough }) => {
      if (!this.#spend(3 * this.#visits)) return true;
      if (!hasBit(this.#reach.arms(join), node)) return false;
      const sources = [...inArcs.subarray(at(inStart, join), at(inStart, join + 1))].map((arc) => at(from, arc));
      const early = sources.filter((source) => hasBit(this.#reach.into(other), source) && source !== other);
      return early.filter((source) => pass.hasDelivered(source, join)).length >= enough;
    });
  }

  /** Over loop edges of other loops a node may wait for one of the pair, and then does not start while that lasts. */
  #mayWait(pass: FirstPass, node: number, { a, b }: Pair): boolean {
    if (this.#plan.loops.length === 0 || !pass.hasEmptyArm(node)) return false;
    if (!this.#spend(this.#visits)) return true;
    const into = this.#reach.into(node);
    return (node !== a && hasBit(into, a)) || (node !== b && hasBit(into, b));
  }
}

/** Joins that cancel what they no longer wait for, and how many arrivals start them. */
function racesOf({ nodes }: Plan): readonly { readonly join: number; readonly enough: number }[] {
  return nodes.flatMap(({ join, losers }, index) =>
    join === undefined || join === "live" || losers === "drain"
      ? []
      : [{ join: index, enough: join === "any" ? 1 : join }],
  );
}

/** Whether a run that has come so far can still start both nodes: something due is a fork, or two due are on ways that share no node. */
class Hope {
  readonly #pair: Pair;
  readonly #due = new Map<number, number>();
  #forks = 0;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  add(node: number): void {
    const { branch, forks } = this.#pair;
    this.#forks += at(forks, node);
    if (at(branch, node) >= 0) this.#due.set(at(branch, node), (this.#due.get(at(branch, node)) ?? 0) + 1);
  }

  remove(node: number): void {
    const { branch, forks } = this.#pair;
    this.#forks -= at(forks, node);
    if (at(branch, node) < 0) return;
    const left = (this.#due.get(at(branch, node)) ?? 0) - 1;
    if (left > 0) this.#due.set(at(branch, node), left);
    else this.#due.delete(at(branch, node));
  }

  /** Whether it would if these came to be due as well. */
  remains(targets: readonly number[]): boolean {
    if (this.#forks > 0 || this.#due.size > 1) return true;
    const { branch, forks } = this.#pair;
    const branches = new Set(this.#due.keys());
    for (const target of targets) {
      if (at(forks, target) === 1) return true;
      if (at(branch, target) >= 0) branches.add(at(branch, target));
    }
    return branches.size > 1;
  }

  isMet(): boolean {
    return this.#due.size > 1;
  }
}

function isExhausted(choice: Choice | undefined): boolean {
  return choice !== undefined && choice.taken + 1 >= choice.of;
}
