import { hasBit } from "../graph/bits.ts";
import { at } from "../graph/ints.ts";
import type { Plan } from "../graph/plan.ts";
import type { FirstPass } from "./first-pass.ts";
import type { Search } from "./search.ts";

interface Race {
  readonly join: number;
  /** How many arrivals start it. */
  readonly enough: number;
}

/**
 * Whether a join may start with what leads to `other`, and cancel `node` before
 * that starts. What may not be looked at any more may.
 */
export function mayBeLost(
  { plan, reach, spend, visits }: Search,
  pass: FirstPass,
  node: number,
  other: number,
): boolean {
  const { from, inStart, inArcs } = plan.graph;
  return cancelling(plan).some(({ join, enough }) => {
    if (!spend(3 * visits)) return true;
    if (!hasBit(reach.arms(join), node)) return false;
    const sources = [...inArcs.subarray(at(inStart, join), at(inStart, join + 1))].map((arc) => at(from, arc));
    const early = sources.filter((source) => hasBit(reach.into(other), source) && source !== other);
    return early.filter((source) => pass.hasDelivered(source, join)).length >= enough;
  });
}

/** Joins that cancel what they no longer wait for. */
function cancelling({ nodes }: Plan): readonly Race[] {
  return nodes.flatMap(({ join, losers }, index) =>
    join === undefined || join === "live" || losers === "drain"
      ? []
      : [{ join: index, enough: join === "any" ? 1 : join }],
  );
}
