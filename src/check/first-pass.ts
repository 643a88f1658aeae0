import { hasBit } from "../graph/bits.ts";
import { canTake, kindsOf } from "../graph/flows.ts";
import { at, item } from "../graph/ints.ts";
import type { Plan } from "../graph/plan.ts";
import type { Reach } from "../graph/reach.ts";

/** Takes from what may be spent, in nodes and edges looked at; false when it is used up. */
export type Spend = (visits: number) => boolean;

/** One way in which a node can end. */
export interface Way {
  readonly kind: string;
  /** What it starts in the same pass. */
  readonly targets: readonly number[];
  /** It starts a new pass as well. */
  readonly repeats: boolean;
  /** Whether it ends a path, and as what. */
  readonly exit: "none" | "end" | "failed";
}

/** How nodes can end. Of ways that look the same from outside, the one that breaks least stands for all. */
export class Ways {
  readonly #plan: Plan;
  readonly #known = new Map<number, readonly Way[]>();

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  of(node: number): readonly Way[] {
    const known = this.#known.get(node) ?? this.#find(node);
    this.#known.set(node, known);
    return known;
  }

  #find(node: number): readonly Way[] {
    const { graph, whens, exits, loopOf } = this.#plan;
    const arcs = arcsOutOf(this.#plan, node);
    const ends = item(exits, node);
    const kinds = kindsOf([...arcs.flatMap((arc) => item(whens, arc)), ...ends.map(({ when }) => when)]);
    const ways = new Map<string, Way>();
    for (const kind of kinds) {
      // What has options ends with one of them.
      if (kind === "success" && kinds[0] !== kind) continue;
      const taken = arcs.filter((arc) => item(whens, arc).some((when) => canTake(when, kind)));
      const ending = ends.filter(({ when }) => canTake(when, kind));
      const exit = ending.length === 0 ? "none" : ending.some(({ failed }) => failed) ? "failed" : "end";
      const key = `${exit} ${taken.join()}`;
      if (ways.has(key)) continue;
      const forward = taken.filter((arc) => at(loopOf, arc) < 0);
      const targets = forward.map((arc) => at(graph.to, arc));
      ways.set(key, { kind, targets, repeats: forward.length < taken.length, exit });
    }
    return [...ways.values()];
  }
}

/**
 * Which nodes start in the first pass of one run, told in the order of arcs:
 * the joins of the engine without their timing.
 */
export class FirstPass {
  readonly #plan: Plan;
  readonly #reach: Reach;
  readonly #spend: Spend;
  readonly #arrivals: Int32Array;
  readonly #ended = new Map<number, Way>();
  /** What did not succeed, and how it ended. */
  readonly #misses = new Map<number, string>();

  constructor(plan: Plan, reach: Reach, spend: Spend) {
    this.#plan = plan;
    this.#reach = reach;
    this.#spend = spend;
    this.#arrivals = new Int32Array(plan.graph.size);
    this.#arrivals[plan.entry] = 1;
  }

  arrivalsAt(node: number): number {
    return at(this.#arrivals, node);
  }

  hasEmptyArm(node: number): boolean {
    return at(this.#arrivals, node) < at(this.#plan.armsInto, node);
  }

  /** What is due starts, unless a broken arm or too few arrivals skip it. */
  starts(node: number): boolean {
    const { join } = item(this.#plan.nodes, node);
    const opens = node === this.#plan.entry || join === "any" || join === "live";
    if (opens || (typeof join === "number" ? at(this.#arrivals, node) >= join : !this.#isBroken(node))) return true;
    this.#misses.set(node, "failure");
    return false;
  }

  end(node: number, way: Way): void {
    const { kind, targets } = way;
    this.#ended.set(node, way);
    if (isMiss(kind)) this.#misses.set(node, kind);
    for (const target of targets) this.#arrivals[target] = at(this.#arrivals, target) + 1;
  }

  hasDelivered(node: number, target: number): boolean {
    return this.#ended.get(node)?.targets.includes(target) === true;
  }

  /** As in the engine; what may not be looked at any more counts as broken. */
  #isBroken(node: number): boolean {
    if (this.#misses.size === 0 || !this.hasEmptyArm(node)) return false;
    if (!this.#spend(this.#plan.graph.size + this.#misses.size)) return true;
    const into = this.#reach.into(node);
    for (const [source, kind] of this.#misses) {
      const leading = arcsOutOf(this.#plan, source)
        .filter((arc) => hasBit(into, at(this.#plan.graph.to, arc)))
        .flatMap((arc) => item(this.#plan.whens, arc));
      if (leading.some((when) => when === null || !isMiss(when)) && !leading.some((when) => canTake(when, kind)))
        return true;
    }
    return false;
  }
}

function arcsOutOf(plan: Plan, node: number): readonly number[] {
  const start = at(plan.graph.outStart, node);
  return Array.from({ length: at(plan.graph.outStart, node + 1) - start }, (_, index) => start + index);
}

function isMiss(kind: string): boolean {
  return kind === "failure" || kind === "error";
}
