import { existsSync } from "node:fs";
import { join } from "node:path";
import { dataHome } from "./cli/store/home.ts";
import { type Composition, type SandboxHealth, type ServiceOptions, type Services } from "./cli/services.ts";
import type { Config } from "./config/config.ts";
import { vendorAccess } from "./config/keys.ts";
import { openJournal as openEmbedded, openReader as readEmbedded } from "./hosts/embedded/journal.ts";
import { allNodes, type NodeType } from "./model/node.ts";
import { checkpointing, held, performersOf } from "./compose/performers.ts";
import { reachableServers } from "./compose/servers.ts";
import { emptyToolbox, toolsOf } from "./compose/toolbox.ts";
import { openSecrets, secretsOf, withKeys, withServerKeys } from "./compose/secrets.ts";
import { holdToApprovals } from "./nodes/approval.ts";
import { createHumanPerformer } from "./nodes/human.ts";
import type { BlobStore } from "./ports/blobs.ts";
import { type Journal, type ReadableJournal, StoreUnavailable } from "./ports/journal.ts";
import type { Capabilities, Performer } from "./ports/performer.ts";
import { fileBlobs } from "./runtime/blobs/files.ts";
import type { BlobSweep, Swept } from "./runtime/blobs/sweep.ts";
import { systemClock } from "./runtime/time/clock.ts";
import { createEngine } from "./runtime/engine.ts";
import type { EngineOptions } from "./runtime/options.ts";
import { childEnvironment } from "./runtime/environment/child.ts";
import { secretValues } from "./runtime/environment/credentials.ts";
import { runSecrets } from "./runtime/environment/run-secrets.ts";
import { systemIds } from "./runtime/ids.ts";
import { isAlive, isSame, self } from "./runtime/processes/identity.ts";
import { createProcessRunner } from "./runtime/processes/runner.ts";
import { createRedactor } from "./runtime/redaction/redactor.ts";
import { isUser } from "./runtime/decisions/users.ts";
import type { TreePruning, TreesPruned } from "./runtime/workspace/pruning.ts";
import { gitWorkspaces } from "./runtime/workspace/workspaces.ts";

const ids = systemIds(systemClock);

/** Values of the keys that the configuration leads to, whether or not the run uses them. */
function keysIn(config: Config, env: ServiceOptions["env"]): readonly string[] {
  const ofVendors = Object.values(vendorAccess(config, env)).flatMap(({ apiKey }) => apiKey ?? []);
  const named = config.agent.key === undefined ? undefined : env[config.agent.key];
  return named === undefined ? ofVendors : [...ofVendors, named];
}

function openJournal(home: string, notice: (what: string) => void): Journal {
  return openEmbedded({ home, clock: systemClock, ids, notice, self: self(), isAlive, isSame });
}

function openReader(home: string, notice: (what: string) => void): ReadableJournal {
  return readEmbedded({ home, clock: systemClock, ids, notice, self: self(), isAlive, isSame });
}

function openBlobs(home: string): BlobStore {
  return fileBlobs(join(home, "blobs"));
}

async function sweepBlobs(home: string, sweep: BlobSweep): Promise<Swept> {
  const blobs = await import("./runtime/blobs/sweep.ts");
  return blobs.sweepBlobs(join(home, "blobs"), sweep);
}

async function pruneTrees(pruning: TreePruning): Promise<TreesPruned> {
  const trees = await import("./runtime/workspace/pruning.ts");
  return trees.pruneTrees(pruning);
}

/**
 * Everything that executes runs in this process, over the store of one machine; what a run does not use is not loaded.
 */
async function openServices(options: ServiceOptions): Promise<Services> {
  const { home, env, config, gates, ownFolders, notice, stage, plugins = [] } = options;
  const clock = stage?.clock ?? systemClock;
  const store = openSecrets(home, env, notice);
  const secret = secretsOf(store, env);
  const uses = usesOf(options);
  const usesAgents = uses("agent", "plugin");
  const keyed = { ...options, env: usesAgents ? await withKeys(store, secret, config, env) : env };
  const redactor = createRedactor([...secretValues(keyed.env), ...keysIn(config, keyed.env)]);
  const mask = (text: string): string => redactor.text(text);
  const blobs = openBlobs(home);
  const processes = createProcessRunner({ blobs, redactor, clock });
  const reached = { ...config, mcp: reachableServers(options) };
  const { tools, close } = uses("agent", "tool", "plugin")
    ? await toolsOf(
        { ...options, config: reached, env: await withServerKeys(store, secret, reached, env) },
        { blobs, redactor, dataFolder: home },
      )
    : emptyToolbox;
  const agents = usesAgents
    ? (await import("./compose/agents.ts")).agentParts({ options: keyed, clock, mask })
    : withoutAgents;
  const journal = openJournal(home, notice);
  const needs = { options, processes, redactor, journal, clock };
  const boxes =
    uses("provision", "checkout", "exec", "agent_sandbox") || existsSync(join(home, "sandboxes"))
      ? (await import("./compose/boxes.ts")).boxParts(needs)
      : withoutBoxes;
  const { record } = options;
  const isKnown = (run: string): boolean => journal.find(run)?.run === run;
  const workspaces = gitWorkspaces({ home, env, notice, isKnown, ...(record === undefined ? {} : { record }) });
  const treeOf = async (run: string): Promise<string | null> => {
    const snapshots = await workspaces.snapshotsOf(run).catch(() => null);
    return (await snapshots?.take().catch(() => null)) ?? null;
  };
  const handed = [createHumanPerformer(clock, isUser, { treeOf, mask }), ...agents.performers, ...boxes.performers];
  if (options.blueprint?.workspace.isolate === "worktree" && Object.keys(reached.mcp).length > 0)
    notice(`the servers of mcp work in ${options.cwd}, not in the worktree of the run`);
  const auditPatterns = config.audit.patterns ?? [];
  const surroundings = {
    base: withoutKey(env, config),
    ownFolders,
    redactor,
    blobs,
    secret,
    home,
    record,
    auditPatterns,
  };
  const parts: EngineOptions = {
    journal,
    performers: held(
      await checkpointing(await performersOf({ redactor, clock, handed, plugins }, options), workspaces, options),
      holdToApprovals({ clock, treeOf, mask }),
    ),
    can: { processes, blobs, gates, tools, provider: agents.provider },
    workspaces,
    ...(boxes.closed === undefined ? {} : { closed: boxes.closed }),
    secrets: runSecrets({ redactor, secret, folder: join(home, "secrets"), notice }),
    environment: childEnvironment(surroundings),
    ...(record === undefined ? {} : { cassettes: record }),
    clock,
    notice,
    ids,
    self: self(),
    isAlive,
  };
  const engine = createEngine(stage?.set(parts) ?? parts);
  return { journal, blobs, engine, close: () => closeAll(close, journal) };
}

async function closeAll(tools: () => Promise<void>, journal: Journal): Promise<void> {
  try {
    await tools();
  } finally {
    await journal.close();
  }
}

/** Whether a run may use any of these node types. */
function usesOf({ blueprint, callees = [] }: ServiceOptions): (...types: readonly NodeType[]) => boolean {
  const used =
    blueprint === undefined
      ? null
      : new Set([blueprint, ...callees].flatMap((one) => [...allNodes(one)]).map((node) => node.type));
  return (...types) => used === null || types.some((type) => used.has(type));
}

const withoutAgents: { readonly performers: readonly Performer[]; readonly provider: Capabilities["provider"] } = {
  performers: [],
  provider: () => ({ missing: "this process was set up without agents" }),
};

const withoutBoxes: { readonly performers: readonly Performer[]; readonly closed?: EngineOptions["closed"] } = {
  performers: [],
};

/** A key of any name is a credential once the configuration names it. */
function withoutKey(env: ServiceOptions["env"], { agent: { key } }: Config): ServiceOptions["env"] {
  return key === undefined ? env : { ...env, [key]: undefined };
}

/** What a configuration claims that is built in. The parts are those of a process that never acts. */
async function problemsIn({ tools }: Config): Promise<readonly string[]> {
  if (Object.keys(tools).length === 0) return [];
  const { createTools } = await import("./tools/registry.ts");
  const made = createTools({ blobs: fileBlobs(""), redactor: createRedactor(), dataFolder: "", commands: tools });
  return "problems" in made ? made.problems : [];
}

/** The environment as it is where there is no data folder. */
async function keyedEnvironment(config: Config, env: ServiceOptions["env"]): Promise<ServiceOptions["env"]> {
  try {
    const store = openSecrets(dataHome(env, process.cwd()), env, () => undefined);
    return await withKeys(store, secretsOf(store, env), config, env);
  } catch (error) {
    if (error instanceof StoreUnavailable) return env;
    throw error;
  }
}

async function agentMissing(config: Config, env: ServiceOptions["env"]): Promise<string | null> {
  const agents = await import("./compose/agents.ts");
  return agents.agentMissing(config, await keyedEnvironment(config, env), systemClock);
}

async function checkSandboxes(home: string, env: ServiceOptions["env"]): Promise<readonly SandboxHealth[]> {
  const { checkBoxes } = await import("./compose/boxes.ts");
  return checkBoxes(home, env, systemClock);
}

/** The only place that picks adapters. */
export const composition: Composition = {
  checkSandboxes,
  isAlive,
  openBlobs,
  openJournal,
  openReader,
  openSecrets,
  keyedEnvironment,
  openServices,
  pruneTrees,
  sweepBlobs,
  problemsIn,
  agentMissing,
};
