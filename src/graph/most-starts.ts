import { limits } from "../model/limits.ts";
import type { LoopFlow } from "./flows.ts";
import { loopFlows } from "./flows.ts";
import { at, item } from "./ints.ts";
import { forwardOrder } from "./order.ts";
import type { Plan } from "./plan.ts";

/**
 * The most starts of each node in one run, `Infinity` where nothing bounds them. `capOf` gives
 * the most that a cap, or the limit of steps, allows a node.
 *
 * Every round takes bounds that hold and derives bounds that hold, so that it may end after any of them: a start takes
 * at least one arrival; an arc carries at most one arrival a start of its source; outside loops a node starts no more
 * often than its most generous arm delivers, since it starts only when no empty arm can still fill; inside a loop with
 * one head it starts at most once a pass; and a tight loop delivers at most once each time it is entered.
 */
export function mostStarts(plan: Plan, capOf: (node: number) => number): Float64Array {
  return new StartCounter(plan, capOf).count();
}

class StartCounter {
  readonly #plan: Plan;
  readonly #capOf: (node: number) => number;
  readonly #flows: readonly LoopFlow[];
  readonly #loopsOf: readonly (readonly number[])[];
  readonly #starts: Float64Array;
  /** By loop: how often it is entered. */
  readonly #entries: Float64Array;
  /** By node: whether it starts at most once a pass of the loop around it. */
  readonly #regular: Uint8Array;
  readonly #order: readonly number[];

  constructor(plan: Plan, capOf: (node: number) => number) {
    this.#plan = plan;
    this.#capOf = capOf;
    this.#loopsOf = loopsOfNodes(plan);
    const unnested = unnestedLoops(plan, this.#loopsOf);
    this.#flows = loopFlows(plan).map((flow, loop) => (unnested.has(loop) ? { head: -1, tight: false } : flow));
    this.#starts = new Float64Array(plan.graph.size).fill(Infinity);
    this.#entries = new Float64Array(plan.loops.length).fill(Infinity);
    this.#regular = new Uint8Array(plan.graph.size);
    this.#order = forwardOrder(plan);
    for (const node of this.#order) this.#regular[node] = this.#isRegular(node) ? 1 : 0;
  }

  count(): Float64Array {
    for (let round = 0, changed = true; changed && round < limits.boundRounds; round += 1) {
      changed = false;
      for (const node of this.#order) {
        const least = Math.min(at64(this.#starts, node), this.#capOf(node), this.#derive(node));
        if (least === at64(this.#starts, node)) continue;
        this.#starts[node] = least;
        changed = true;
      }
    }
    return this.#starts;
  }

  #derive(node: number): number {
    const opening = node === this.#plan.entry ? 1 : 0;
    const repeated = this.#overLoopEdges(node);
    const loop = this.#loopsOf[node]?.at(-1);
    const flow = loop === undefined ? undefined : item(this.#flows, loop);
    if (loop === undefined || flow === undefined) return opening + this.#widestArm(node);
    if (flow.head === -1) return opening + this.#sumOfArms(node) + repeated;
    if (flow.head !== node) return opening + Math.min(this.#sumOfArms(node), this.#passes(node, flow.head)) + repeated;
    const entries = opening + this.#intoHead(node);
    // It may be entered over the loop edges of one around it, too.
    this.#entries[loop] = Math.min(at64(this.#entries, loop), entries + this.#overLoopEdges(node, loop));
    return entries + repeated;
  }

  #passes(node: number, head: number): number {
    return at(this.#regular, node) === 1 ? at64(this.#starts, head) : Infinity;
  }

  /** How often the loop of a head is entered, as its surroundings see the head. */
  #intoHead(head: number): number {
    const outer = this.#loopsOf[head]?.at(-2);
    if (outer === undefined) return this.#widestArm(head);
    const around = item(this.#flows, outer).head;
    return around === -1 ? this.#sumOfArms(head) : Math.min(this.#sumOfArms(head), this.#passes(head, around));
  }

  /** Arcs into a node that are no loop edges. */
  *#arms(node: number): Generator<number> {
    const { inStart, inArcs } = this.#plan.graph;
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
      const arc = at(inArcs, i);
      if (at(this.#plan.loopOf, arc) < 0) yield arc;
    }
  }

  #widestArm(node: number): number {
    let widest = 0;
    for (const arc of this.#arms(node)) widest = Math.max(widest, this.#delivered(arc, node));
    return widest;
  }

  #sumOfArms(node: number): number {
    let sum = 0;
    for (const arc of this.#arms(node)) sum += this.#delivered(arc, node);
    return sum;
  }

  /** Of all loops but one. */
  #overLoopEdges(node: number, but = -1): number {
    const { from, inStart, inArcs } = this.#plan.graph;
    let sum = 0;
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
      const arc = at(inArcs, i);
      const loop = at(this.#plan.loopOf, arc);
      if (loop >= 0 && loop !== but) sum += at64(this.#starts, at(from, arc));
    }
    return sum;
  }

  #delivered(arc: number, node: number): number {
    const source = at(this.#plan.graph.from, arc);
    const starts = at64(this.#starts, source);
    const left = this.#leftLoop(source, node);
    return left !== undefined && item(this.#flows, left).tight ? Math.min(starts, at64(this.#entries, left)) : starts;
  }

  /** The outermost loop around the source that does not contain the node. */
  #leftLoop(source: number, node: number): number | undefined {
    const around = this.#loopsOf[node] ?? [];
    return this.#loopsOf[source]?.find((loop) => !around.includes(loop));
  }

  /**
   * Whether all that leads to a node in one pass of the loop around it
   * delivers at most once a pass. Sources come first.
   */
  #isRegular(node: number): boolean {
    const own = this.#loopsOf[node] ?? [];
    const isHead = own.some((loop) => item(this.#flows, loop).head === node);
    const around = isHead ? own.at(-2) : own.at(-1);
    const head = around === undefined ? -1 : item(this.#flows, around).head;
    for (const arc of this.#arms(node)) {
      const source = at(this.#plan.graph.from, arc);
      if (source === head) continue;
      const left = this.#leftLoop(source, node);
      if (left !== undefined && !item(this.#flows, left).tight) return false;
      const delivering = left === undefined ? source : item(this.#flows, left).head;
      if (at(this.#regular, delivering) === 0) return false;
    }
    return true;
  }
}

function at64(list: Float64Array, index: number): number {
  return list[index] ?? Infinity;
}

/**
 * The loops each node lies in, outer ones first: where a cycle has several
 * entries, one may be found after those inside it.
 */
function loopsOfNodes({ graph, loops }: Plan): number[][] {
  const loopsOf: number[][] = Array.from({ length: graph.size }, () => []);
  const bySize = [...loops.keys()].sort((a, b) => sizeOf(loops, b) - sizeOf(loops, a));
  for (const loop of bySize) for (const node of item(loops, loop).body.members) item(loopsOf, node).push(loop);
  return loopsOf;
}

function sizeOf(loops: Plan["loops"], loop: number): number {
  return item(loops, loop).body.members.length;
}

/**
 * Loops that share nodes with another, where neither lies in the other: what is known of passes holds for none of them.
 */
function unnestedLoops({ loops }: Plan, loopsOf: readonly (readonly number[])[]): ReadonlySet<number> {
  const unnested = new Set<number>();
  const isInside = once((outer: number, inner: number): boolean => {
    const { body } = item(loops, outer);
    return item(loops, inner).body.members.every((node) => body.has(node));
  });
  for (const chain of loopsOf) {
    const first = chain.findIndex((loop, i) => i + 1 < chain.length && !isInside(loop, item(chain, i + 1)));
    if (first >= 0) for (const loop of chain.slice(first)) unnested.add(loop);
  }
  return unnested;
}

/** Asked for each node of a pair of loops, answered once. */
function once(isTrue: (a: number, b: number) => boolean): (a: number, b: number) => boolean {
  const known = new Map<string, boolean>();
  return (a, b) => {
    const key = `${a} ${b}`;
    const answer = known.get(key) ?? isTrue(a, b);
    known.set(key, answer);
    return answer;
  };
}
