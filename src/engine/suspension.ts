import type { Attempt } from "../model/attempt.ts";
import type { NodeSettled, NodeUnconfirmed } from "../model/events.ts";

/** What is recorded of an attempt that was let go of while it waited: it is made once more when its run goes on. */
export function suspension({ node, pass, attempt }: Attempt): readonly [NodeUnconfirmed, NodeSettled] {
  const of = { node, pass, attempt };
  const reason = { code: "taken_up", text: "the run halted while it waited" } as const;
  return [
    { type: "node.unconfirmed", ...of, reason },
    { type: "node.settled", ...of, as: "again", by: "engine" },
  ];
}
