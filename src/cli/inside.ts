import { type Problem, usage } from "./problem.ts";
import type { World } from "./world.ts";

/** Whether this command was started by a node of a run: an agent that decided about itself would need nobody else. */
export function isInside({ env }: Pick<World, "env">): boolean {
  return inner.some((name) => (env[name] ?? "") !== "");
}

const inner = ["TRAMMEL_RUN", "TRAMMEL_NODE"] as const;

/** Why a decision that is a person's is not taken here, or null. */
export function decidedInside(world: Pick<World, "env">): Problem | null {
  if (!isInside(world)) return null;
  const { TRAMMEL_RUN: run = "", TRAMMEL_NODE: node = "" } = world.env;
  return usage(
    `a decision is not taken from inside a run, and this is node ${node} of run ${run}`,
    "A person decides, in a shell that no node started.",
  );
}
