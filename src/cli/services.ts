import type { Config } from "../config/config.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { GateKeeper } from "../ports/gate.ts";
import type { Journal, ReadableJournal } from "../ports/journal.ts";
import type { Plugin } from "../ports/plugin.ts";
import type { SecretStore } from "../ports/secrets.ts";
import type { Engine } from "../runtime/api.ts";
import type { BlobSweep, Swept } from "../runtime/blobs/sweep.ts";
import type { TreePruning, TreesPruned } from "../runtime/workspace/pruning.ts";
import type { Stage } from "../testing/stage.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ServiceOptions {
  /** Absolute folder of all state. */
  readonly home: string;
  /** Absolute working folder of the run. */
  readonly cwd: string;
  readonly env: Environment;
  readonly config: Config;
  readonly gates: GateKeeper;
  /** Folders of this installation, kept out of the PATH of children. */
  readonly ownFolders: readonly string[];
  /** Folder for cassettes of each agent turn. */
  readonly record?: string;
  /** Plays cassettes of other prompts too. */
  readonly loose?: boolean;
  /** The only blueprint that will run: what it does not use is not loaded. Absent: any may run. */
  readonly blueprint?: Blueprint;
  /** What it calls. */
  readonly callees?: readonly Blueprint[];
  /** Workspaces of boxes stay after the run. */
  readonly keepSandboxes?: boolean;
  /** Node types from outside. */
  readonly plugins?: readonly Plugin[];
  /** What a test puts in the place of the world. */
  readonly stage?: Pick<Stage, "clock" | "cast" | "set">;
  /** Told of what a crash or a fault of the disk left behind, as a sentence. */
  readonly notice: (what: string) => void;
}

export interface SandboxHealth {
  readonly driver: string;
  readonly status: { readonly works: string } | { readonly fault: string; readonly hint: string };
}

/** Things that the configuration names cannot be had; says which and what to do next. Nothing has run. */
export class SetupProblem extends Error {
  override readonly name = "SetupProblem";
  readonly problems: readonly string[];
  readonly hint: string | undefined;

  constructor(problems: readonly string[], hint?: string) {
    super(problems.join("; "));
    this.problems = problems;
    this.hint = hint;
  }
}

/** What a command needs to execute a run in this process. */
export interface Services {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  readonly engine: Engine;
  readonly close: () => Promise<void>;
}

/**
 * The face of compose.ts, the only place that picks adapters. All openings throw
 * StoreUnavailable, that of services SetupProblem too.
 */
export interface Composition {
  readonly openJournal: (home: string, notice: (what: string) => void) => Journal;
  /** To read it, also where nothing may be written. */
  readonly openReader: (home: string, notice: (what: string) => void) => ReadableJournal;
  /** Secrets that are kept for a data folder; told of one that cannot be had. */
  readonly openSecrets: (home: string, env: Environment, notice: (what: string) => void) => SecretStore;
  /** The environment with the keys of models that are kept, as those who speak to models have it. */
  readonly keyedEnvironment: (config: Config, env: Environment) => Promise<Environment>;
  /** Full outputs of the runs of a data folder. */
  readonly openBlobs: (home: string) => BlobStore;
  /** Removes blobs that nobody uses; see {@link BlobSweep}. */
  readonly sweepBlobs: (home: string, sweep: BlobSweep) => Promise<Swept>;
  /** Removes what is kept of the trees of runs; see {@link TreePruning}. */
  readonly pruneTrees: (pruning: TreePruning) => Promise<TreesPruned>;
  readonly openServices: (options: ServiceOptions) => Promise<Services>;
  /** Why a configuration contradicts what is built in, in sentences; services of such a one cannot be opened. */
  readonly problemsIn: (config: Config) => Promise<readonly string[]>;
  /** Asks what makes sandboxes whether it works here; may take a second. */
  readonly checkSandboxes: (home: string, env: Environment) => Promise<readonly SandboxHealth[]>;
  /** Whether the process still is there. */
  readonly isAlive: (process: ProcessIdentity) => boolean;
  /** Why no agent can run with this configuration, or null. */
  readonly agentMissing: (config: Config, env: Environment) => Promise<string | null>;
}
