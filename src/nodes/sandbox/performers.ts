import type { Clock } from "../../ports/clock.ts";
import type { Performer } from "../../ports/performer.ts";
import type { SandboxPool } from "../../ports/sandbox.ts";
import { createCheckoutPerformer } from "./checkout.ts";
import { createExecPerformer } from "./exec.ts";
import { createProvisionPerformer } from "./provision.ts";

/** All node types that act in a box. */
export function createSandboxPerformers(pool: SandboxPool, clock: Clock): readonly Performer[] {
  return [
    createProvisionPerformer(pool, clock),
    createCheckoutPerformer(pool, clock),
    createExecPerformer(pool, clock),
  ];
}
