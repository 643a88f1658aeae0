import type { Blueprint } from "./blueprint.ts";

/** A blueprint in which nobody set anything beside its graph. */
export const unset: Omit<Blueprint, "name" | "entry" | "nodes" | "edges"> = {
  inputs: {},
  outputs: {},
  agent: {},
  limits: {},
  escalate: ["cap", "no_progress"],
  records: {},
  workspace: {},
  concurrency: {},
};
