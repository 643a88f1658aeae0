import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RunStatus } from "../model/outcome.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Journal } from "../ports/journal.ts";
import type { Capabilities } from "../ports/performer.ts";
import type { Performers } from "./admission/admit.ts";
import type { RunSecrets } from "../ports/secrets.ts";
import type { Workspaces } from "../ports/workspace.ts";
import type { MakeEnvironment } from "./environment/child.ts";

/** What an engine acts with; picked in compose.ts. */
export interface EngineOptions {
  readonly journal: Journal;
  readonly performers: Performers;
  readonly can: Capabilities;
  readonly environment: MakeEnvironment;
  readonly secrets: RunSecrets;
  readonly workspaces: Workspaces;
  /**
   * Ends what a run has outside of this process, when it is no longer executed here; it is over after that. Runs inside
   * others too; `inside` are those that were not over and are now, with the one around them.
   */
  readonly closed?: (run: string, status: RunStatus, inside: readonly string[]) => Promise<void>;
  /** Absolute folder that agents are recorded into. */
  readonly cassettes?: string;
  readonly clock: Clock;
  /** Told what holds up a run, where that takes longer than `limits.waitToldMs`. */
  readonly notice?: (what: string) => void;
  readonly ids: Ids;
  /** This process: the owner of the runs it executes. */
  readonly self: ProcessIdentity;
  /** Whether another owner still lives. */
  readonly isAlive: (process: ProcessIdentity) => boolean;
}
