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

/** More rounds than a sane graph needs to settle. */
const mostRounds = 100;

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
    this.#flows = loopFlows(plan);
    this.#loopsOf = loopsOfNodes(plan);
    this.#starts = new Float64Array(plan.graph.size).fill(Infinity);
    this.#entries = new Float64Array(plan.loops.length).fill(Infinity);
    this.#regular = new Uint8Array(plan.graph.size);
    this.#order = forwardOrder(plan);
    for (const node of this.#order) this.#regular[node] = this.#isRegular(node) ? 1 : 0;
  }

  count(): Float64Array {
    for (let round = 0, changed = true; changed && round < mostRounds; round += 1) {
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
    const loop = this.#loopsOf[node]?.at(-1);
    const flow = loop === undefined ? undefined : item(this.#flows, loop);
    if (loop === undefined || flow === undefined) return opening + this.#widestArm(node);
    if (flow.head === -1) return opening + this.#sumOfArms(node) + this.#overLoopEdges(node);
    if (flow.head !== node) return opening + Math.min(this.#sumOfArms(node), this.#passes(node, flow.head));
    const entries = opening + this.#intoHead(node);
    this.#entries[loop] = Math.min(at64(this.#entries, loop), entries);
    return entries + this.#overLoopEdges(node);
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

  #overLoopEdges(node: number): number {
    const { from, inStart, inArcs } = this.#plan.graph;
    let sum = 0;
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
      const arc = at(inArcs, i);
      if (at(this.#plan.loopOf, arc) >= 0) sum += at64(this.#starts, at(from, arc));
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

/** The loops each node lies in, outer ones first. */
function loopsOfNodes(plan: Plan): number[][] {
  const loopsOf: number[][] = Array.from({ length: plan.graph.size }, () => []);
  plan.loops.forEach(({ body }, loop) => {
    for (const node of body.members) item(loopsOf, node).push(loop);
  });
  return loopsOf;
}
