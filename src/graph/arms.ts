import type { Bits } from "./bits.ts";
import { clearBit, emptyBits, hasBit, setBit } from "./bits.ts";
import { at } from "./ints.ts";
import type { Plan } from "./plan.ts";
import { leadsOn } from "./plan.ts";

/**
 * Nodes whose every way leads through `join`: they lead to it in one pass, and to nothing that does not. A way that
 * just ends is no other way. What they still do matters no more once a join that needs fewer arms has started.
 */
export function armsOf(plan: Plan, join: number): Bits {
  const { from, inStart, inArcs, size } = plan.graph;
  const arms = emptyBits(size);
  const members: number[] = [];
  const open = [join];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) {
      const source = at(from, at(inArcs, i));
      if (source === join || hasBit(arms, source) || !leadsOn(plan, at(inArcs, i), join)) continue;
      setBit(arms, source);
      members.push(source);
      open.push(source);
    }
  }
  const left = members.filter((node) => leaves(plan, arms, node, join));
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (!hasBit(arms, node)) continue;
    clearBit(arms, node);
    for (let i = at(inStart, node); i < at(inStart, node + 1); i += 1) left.push(at(from, at(inArcs, i)));
  }
  return arms;
}

function leaves(plan: Plan, arms: Bits, node: number, join: number): boolean {
  const { to, outStart } = plan.graph;
  for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) {
    const target = at(to, arc);
    if (target !== join && !hasBit(arms, target)) return true;
  }
  return false;
}
