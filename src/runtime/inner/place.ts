import { createHash } from "node:crypto";
import type { ParentLink } from "../../model/events.ts";

/** As it stands in a path: `call`, `map[2]`. */
export function segmentOf({ node, item }: Pick<ParentLink, "node" | "item">): string {
  return item === undefined ? node : `${node}[${item}]`;
}

/** As long as no other run's, so that none begins another; the same after a crash. */
export function idOfInside({ run, node, pass, item }: Pick<ParentLink, "run" | "node" | "pass" | "item">): string {
  return createHash("sha256")
    .update(JSON.stringify([run, node, pass, item ?? null]))
    .digest("hex")
    .slice(0, 20);
}
