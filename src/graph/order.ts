import { at } from "./ints.ts";
import type { Plan } from "./plan.ts";

/** Nodes in an order in which arcs, loop edges left out, lead forward. */
export function forwardOrder(plan: Plan): number[] {
  const { to, outStart, size } = plan.graph;
  const missing = plan.armsInto.slice();
  const order = [...missing.keys()].filter((node) => at(missing, node) === 0);
  for (const node of order) {
    for (let arc = at(outStart, node); arc < at(outStart, node + 1); arc += 1) {
      const target = at(to, arc);
      if (at(plan.loopOf, arc) >= 0) continue;
      missing[target] = at(missing, target) - 1;
      if (at(missing, target) === 0) order.push(target);
    }
  }
  // Loops too deep were not taken apart.
  return order.length === size ? order : [...new Set([...order, ...missing.keys()])];
}
