import { limits } from "../model/limits.ts";
import { armsOf } from "./arms.ts";
import type { Bits } from "./bits.ts";
import { emptyBits, hasBit, setBit } from "./bits.ts";
import { at } from "./ints.ts";
import type { Plan } from "./plan.ts";
import { leadsOn } from "./plan.ts";

/**
 * Sets of nodes that routing asks for again and again; computed when first asked for,
 * the oldest dropped beyond `limits.reachCacheBytes`.
 */
export class Reach {
  readonly #plan: Plan;
  readonly #kept = new Map<string, Bits>();
  #bytes = 0;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** `node` and what leads to it, not over loop edges of its own loops. */
  into(node: number): Bits {
    return this.#keep(`into ${node}`, () => closureInto(this.#plan, [node], node, null));
  }

  /** What `node` leads to, not over loop edges of its own loops. */
  from(node: number): Bits {
    return this.#keep(`from ${node}`, () => closureFrom(this.#plan, node));
  }

  /** Nodes whose every way leads through `join`. */
  arms(join: number): Bits {
    return this.#keep(`arms ${join}`, () => armsOf(this.#plan, join));
  }

  #keep(key: string, make: () => Bits): Bits {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const bits = make();
    this.#kept.set(key, bits);
    this.#bytes += bits.byteLength;
    for (const [oldest, dropped] of this.#kept) {
      if (this.#bytes <= limits.reachCacheBytes || oldest === key) break;
      this.#kept.delete(oldest);
      this.#bytes -= dropped.byteLength;
    }
    return bits;
  }
}

/**
 * The targets and what leads to one of them, as seen by `node`: not over loop edges of loops that contain it.
 * `avoid` is not passed and not part of the set.
 */
export function closureInto(plan: Plan, targets: readonly number[], node: number, avoid: number | null): Bits {
  const { from, inStart, inArcs, size } = plan.graph;
  const bits = emptyBits(size);
  const open = targets.filter((target) => target !== avoid);
  for (const target of open) setBit(bits, target);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (let i = at(inStart, next); i < at(inStart, next + 1); i += 1) {
      const arc = at(inArcs, i);
      const source = at(from, arc);
      if (source === avoid || hasBit(bits, source) || !leadsOn(plan, arc, node)) continue;
      setBit(bits, source);
      open.push(source);
    }
  }
  return bits;
}

/** Without `node` itself: no way leads back to it but over loop edges of its own loops. */
function closureFrom(plan: Plan, node: number): Bits {
  const { to, outStart, size } = plan.graph;
  const bits = emptyBits(size);
  const open = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (let arc = at(outStart, next); arc < at(outStart, next + 1); arc += 1) {
      const target = at(to, arc);
      if (hasBit(bits, target) || !leadsOn(plan, arc, node)) continue;
      setBit(bits, target);
      open.push(target);
    }
  }
  return bits;
}
