import { resume, type ResumeOptions } from "./resume.ts";
import { decidedInside } from "../inside.ts";
import { report, usage } from "../problem.ts";
import { userName } from "../user.ts";
import type { Money } from "../../model/settings.ts";
import type { Settlement } from "../../runtime/api.ts";
import type { World } from "../world.ts";

export interface SettleOptions extends ResumeOptions {
  readonly as: "done" | "failed" | "again";
  readonly reason?: string;
  readonly grant?: number;
  readonly usedTokens?: number;
  readonly usedCost?: Money;
}

/** Decides about a node at which a run halted, records who and why, and goes on. */
export async function settle(world: World, run: string, node: string, options: SettleOptions): Promise<number> {
  const inside = await decidedInside(world);
  if (inside !== null) return report(world, inside);
  const { as, reason, grant } = options;
  if (grant !== undefined && as !== "again")
    return report(world, usage(`--grant gives passes to what is done again, and --as is ${as}`, "Leave --grant out."));
  const settlement = {
    node,
    as,
    by: userName(),
    ...(reason === undefined ? {} : { reason }),
    ...(grant === undefined ? {} : { grant }),
    ...usedOf(options),
  };
  return resume(world, run, options, { settle: settlement });
}

function usedOf({ usedTokens, usedCost }: SettleOptions): Pick<Settlement, "used"> {
  if (usedTokens === undefined && usedCost === undefined) return {};
  return { used: { ...(usedTokens !== undefined && { tokens: usedTokens }), ...(usedCost && { cost: usedCost }) } };
}
