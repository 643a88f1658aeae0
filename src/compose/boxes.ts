import { join } from "node:path";
import { createBoxedAgents } from "../agents/boxed.ts";
import type { SandboxHealth, ServiceOptions } from "../cli/services.ts";
import { createAgentSandboxPerformer } from "../nodes/sandbox/agent.ts";
import { createSandboxPerformers } from "../nodes/sandbox/performers.ts";
import type { Clock } from "../ports/clock.ts";
import type { Journal } from "../ports/journal.ts";
import type { Performer } from "../ports/performer.ts";
import type { ProcessRunner } from "../ports/processes.ts";
import type { SandboxPool } from "../ports/sandbox.ts";
import { fileBlobs } from "../runtime/blobs/files.ts";
import { isAlive, self } from "../runtime/processes/identity.ts";
import { startLive } from "../runtime/processes/live.ts";
import { createProcessRunner } from "../runtime/processes/runner.ts";
import { createRedactor, type Redactor } from "../runtime/redaction/redactor.ts";
import { checkDrivers } from "../sandboxes/pool/drivers.ts";
import { createSandboxPool } from "../sandboxes/pool/pool.ts";
import { isSecretLike } from "../sandboxes/pool/secrets.ts";
import { endBoxes, isInside, verdictIn } from "../sandboxes/supervise.ts";
import { agentChoice } from "./agents.ts";

export interface BoxNeeds {
  readonly options: ServiceOptions;
  readonly processes: ProcessRunner;
  readonly redactor: Redactor;
  readonly journal: Journal;
  readonly clock: Clock;
}

export interface BoxParts {
  readonly performers: readonly Performer[];
  /** Ends the boxes of a run. */
  readonly closed: ReturnType<typeof endBoxes>;
}

/** What nodes in sandboxes are carried out with. */
export function boxParts(needs: BoxNeeds): BoxParts {
  const { options, redactor, clock } = needs;
  const pool = poolOf(needs);
  const mask = (text: string): string => redactor.text(text);
  const agent = createAgentSandboxPerformer({
    pool,
    clock,
    configured: options.config.agent,
    agents: createBoxedAgents({ ...agentChoice(options.config), clock, mask }),
    mask,
  });
  return {
    performers: [agent, ...createSandboxPerformers(pool, clock)],
    closed: endBoxes(pool, { notice: options.notice, keep: options.keepSandboxes === true }),
  };
}

function poolOf({ options, processes, redactor, journal }: BoxNeeds): SandboxPool {
  const { home, env, config } = options;
  return createSandboxPool({
    processes,
    redactor,
    home,
    ...(config.sandbox.driver === undefined ? {} : { driver: config.sandbox.driver }),
    start: startLive,
    env: setIn(env),
    owner: self(),
    isAlive,
    fateOf: (run) => verdictIn(journal, run),
    isInside: (run, around) => isInside(journal, run, around),
    variable: (name) => {
      const value = env[name];
      if (value !== undefined && isSecretLike(name, value)) redactor.add(value);
      return value;
    },
  });
}

/** Asks what makes sandboxes whether it works here; may take a second. */
export function checkBoxes(home: string, env: ServiceOptions["env"], clock: Clock): Promise<readonly SandboxHealth[]> {
  const processes = createProcessRunner({ blobs: fileBlobs(join(home, "blobs")), redactor: createRedactor(), clock });
  return checkDrivers({ processes, start: startLive, home, env: setIn(env) });
}

/** Without the names that are not set. */
function setIn(env: ServiceOptions["env"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
