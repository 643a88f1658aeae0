import type { ProvisionNode } from "../../model/node.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActionContext, Performer } from "../../ports/performer.ts";
import type { SandboxPool } from "../../ports/sandbox.ts";
import type { NodeResult } from "../../model/outcome.ts";
import { captured, faultResult } from "./common.ts";
import { within } from "./within.ts";

/** Performs `provision` nodes: the output is the id of the box. What cannot be made is an error, never a failure. */
export function createProvisionPerformer(pool: SandboxPool, clock: Clock): Performer<ProvisionNode> {
  return {
    type: "provision",
    class: "deterministic",
    missing: (node) => pool.missing(node.image),
    perform: (context) => within(context, clock, (signal) => provision(context, pool, signal)),
  };
}

async function provision(
  context: ActionContext<ProvisionNode>,
  pool: SandboxPool,
  signal: AbortSignal,
): Promise<NodeResult> {
  const { node, run, cwd, attempt } = context;
  const { image, network, memoryBytes, cpus, pids, forward = [], mount = [] } = node;
  const made = await pool.provision(
    {
      run,
      node: node.id,
      pass: attempt.pass,
      image,
      forward,
      mounts: mount,
      cwd,
      ...(network === undefined ? {} : { network }),
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      ...(cpus === undefined ? {} : { cpus }),
      ...(pids === undefined ? {} : { pids }),
    },
    signal,
  );
  if ("fault" in made) return faultResult(made, context);
  for (const text of made.notes) context.report({ kind: "line", stream: "stderr", text });
  const output = captured(made.id);
  return made.notes.length === 0
    ? { outcome: "success", output }
    : { outcome: "success", output, stdout: output, stderr: captured(made.notes.join("\n")) };
}
