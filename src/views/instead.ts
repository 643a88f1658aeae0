import type { RunHalting } from "../model/events.ts";
import type { InnerHalt, NodeResult } from "../model/outcome.ts";
import { isSameEnd, type Seen } from "./what-if.ts";

/** A run inside a pass of a call, or of a map about the item of that index, as it would have gone. */
export interface SeenInside {
  readonly item: number | undefined;
  readonly seen: Seen;
}

const rank: Readonly<Record<InnerHalt["cause"], number>> = { escalated: 3, needs_attention: 2, limit: 1 };

/** What the node around these runs would have come to; undefined where they all end as they did, or one has no end. */
export function resultInstead(all: readonly SeenInside[]): NodeResult | undefined {
  if (all.every(({ seen }) => isSameEnd(seen)) || all.some(({ seen }) => seen.after.status === null)) return undefined;
  const [halt] = all.flatMap((one) => haltOf(one) ?? []).toSorted((a, b) => rank[b.cause] - rank[a.cause]);
  if (halt !== undefined) return { outcome: "failure", reason: halt.reason, halt };
  if (all.some(({ seen }) => seen.after.status === "stopped")) return { outcome: "cancelled" };
  const failed = all.filter(({ seen }) => seen.after.status !== "succeeded");
  const [first] = failed;
  if (first === undefined) return { outcome: "success" };
  const why = first.seen.after.reason ?? `it ended ${first.seen.after.status ?? ""}`;
  const code = first.item === undefined && first.seen.after.status === "rejected" ? "declined" : "child";
  const text = first.item === undefined ? why : `${failed.length} of ${all.length} items failed: ${why}`;
  return { outcome: "failure", reason: { code, text } };
}

/** As the run itself tells the one around it. */
function haltOf({ item, seen }: SeenInside): InnerHalt | undefined {
  if (seen.after.status === "succeeded" || seen.after.status === "failed") return undefined;
  const halting = seen.events.findLast((event): event is RunHalting => event.type === "run.halting");
  if (halting === undefined || halting.cause === "stopped" || halting.cause === "rejected") return undefined;
  const { cause, node = "", reason, iteration, unsaid } = halting;
  const path = item === undefined ? node : `[${item}]${node === "" ? "" : `/${node}`}`;
  return { cause, node: path, reason, ...(iteration && { iteration }), ...(unsaid && { unsaid }) };
}
