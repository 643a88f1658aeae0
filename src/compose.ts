import { join } from "node:path";
import { createBoxedAgents } from "./agents/boxed.ts";
import { createProviders } from "./agents/providers.ts";
import type { Composition, SandboxHealth, ServiceOptions, Services } from "./cli/services.ts";
import type { Config } from "./config/config.ts";
import { vendorAccess } from "./config/keys.ts";
import { openJournal as openEmbedded } from "./hosts/embedded/journal.ts";
import { createAgentPerformer } from "./nodes/agent.ts";
import { createHumanPerformer } from "./nodes/human.ts";
import { createWriteScope } from "./nodes/write-scope.ts";
import { createAgentSandboxPerformer } from "./nodes/sandbox/agent.ts";
import { createSandboxPerformers } from "./nodes/sandbox/performers.ts";
import { createPerformers, type Performers } from "./nodes/registry.ts";
import type { BlobStore } from "./ports/blobs.ts";
import type { Journal } from "./ports/journal.ts";
import type { ProcessRunner } from "./ports/processes.ts";
import type { SandboxPool } from "./ports/sandbox.ts";
import { fileBlobs } from "./runtime/blobs/files.ts";
import { systemClock } from "./runtime/clock.ts";
import { createEngine } from "./runtime/engine.ts";
import { childEnvironment } from "./runtime/environment/child.ts";
import { secretValues } from "./runtime/environment/credentials.ts";
import { runSecrets } from "./runtime/environment/run-secrets.ts";
import { systemIds } from "./runtime/ids.ts";
import { isAlive, isSame, self } from "./runtime/processes/identity.ts";
import { startLive } from "./runtime/processes/live.ts";
import { createProcessRunner } from "./runtime/processes/runner.ts";
import { createRedactor, type Redactor } from "./runtime/redaction/redactor.ts";
import { checkDrivers } from "./sandboxes/pool/drivers.ts";
import { createSandboxPool } from "./sandboxes/pool/pool.ts";
import { isSecretLike } from "./sandboxes/pool/secrets.ts";
import { verdictOfStatus, withSandboxes } from "./sandboxes/supervise.ts";
import { createTools } from "./tools/registry.ts";

const clock = systemClock;
const ids = systemIds(clock);

function openJournal(home: string, notice: (what: string) => void): Journal {
  return openEmbedded({ home, clock, ids, notice, self: self(), isAlive, isSame });
}

/** Everything that executes runs in this process, over the store of one machine. */
async function openServices(options: ServiceOptions): Promise<Services> {
  const { home, env, config, gates, record, ownFolders } = options;
  const access = vendorAccess(config, env);
  const redactor = createRedactor([
    ...secretValues(env),
    ...Object.values(access).flatMap(({ apiKey }) => apiKey ?? []),
  ]);
  const blobs = fileBlobs(join(home, "blobs"));
  const tools = createTools({ commands: config.tools, blobs, redactor, dataFolder: home });
  if ("problems" in tools) throw new Error(tools.problems.join("\n"));
  const journal = openJournal(home, options.notice);
  const secret = (name: string): Promise<string | null> => Promise.resolve(env[name] ?? null);
  const processes = createProcessRunner({ blobs, redactor, clock });
  const pool = poolOf(options, { processes, blobs, redactor, journal });
  const engine = createEngine({
    journal,
    performers: performersOf(options, redactor, pool),
    can: {
      processes,
      blobs,
      gates,
      tools,
      provider: createProviders({
        ...agents(config),
        ai: access,
        prices: config.prices,
        environment: env,
        dataFolder: home,
        clock,
        mask: (text) => redactor.text(text),
        ...(record === undefined ? {} : { record }),
      }),
    },
    secrets: runSecrets({ redactor, secret, folder: join(home, "secrets"), notice: options.notice }),
    environment: childEnvironment({ base: withoutKey(env, config), ownFolders, redactor, blobs, secret }),
    clock,
    ids,
    self: self(),
    isAlive,
  });
  return { journal, blobs, engine: withSandboxes(engine, pool, options.notice), close: () => journal.close() };
}

interface PoolNeeds {
  readonly processes: ProcessRunner;
  readonly blobs: BlobStore;
  readonly redactor: Redactor;
  readonly journal: Journal;
}

function poolOf({ home, env, config }: ServiceOptions, needs: PoolNeeds): SandboxPool {
  const { processes, blobs, redactor, journal } = needs;
  return createSandboxPool({
    processes,
    blobs,
    home,
    folder: join(home, "sandboxes"),
    ...(config.sandbox.driver === undefined ? {} : { driver: config.sandbox.driver }),
    start: startLive,
    env: setIn(env),
    owner: self(),
    isAlive,
    fateOf: (run) => verdictOfStatus(journal.find(run)?.status ?? null),
    variable: (name) => {
      const value = env[name];
      if (value !== undefined && isSecretLike(name, value)) redactor.add(value);
      return value;
    },
  });
}

/** A key of any name is a credential once the configuration names it. */
function withoutKey(env: ServiceOptions["env"], { agent: { key } }: Config): ServiceOptions["env"] {
  return key === undefined ? env : { ...env, [key]: undefined };
}

/** Throws where two plug-ins bring the same node type, or one a built-in one: a mistake of the program that hands them in. */
function performersOf(
  { config, home, plugins = [] }: ServiceOptions,
  redactor: Redactor,
  pool: SandboxPool,
): Performers {
  const mask = (text: string): string => redactor.text(text);
  const agent = createAgentPerformer({ configured: config.agent, clock, dataFolder: home, mask });
  const boxed = createAgentSandboxPerformer({
    pool,
    clock,
    configured: config.agent,
    agents: createBoxedAgents({ ...agents(config), clock, mask }),
  });
  const handed = [createHumanPerformer(clock), agent, boxed, ...createSandboxPerformers(pool, clock)];
  const performers = createPerformers({ redactor, clock, handed, plugins });
  if ("problems" in performers) throw new Error(performers.problems.join("\n"));
  const scoped = createWriteScope(home);
  return new Map([...performers].map(([type, performer]) => [type, type === "human" ? performer : scoped(performer)]));
}

type AgentParts = Pick<Parameters<typeof createProviders>[0], "provider" | "command" | "cassettes">;

function agents({ agent }: Config): AgentParts {
  const [program, ...rest] = agent.command ?? [];
  return {
    ...(program === undefined ? {} : { command: [program, ...rest] as const }),
    ...(agent.provider === undefined ? {} : { provider: agent.provider }),
    ...(agent.cassettes === undefined ? {} : { cassettes: agent.cassettes }),
  };
}

function agentMissing(config: Config, env: ServiceOptions["env"]): string | null {
  const ai = vendorAccess(config, env);
  const provider = createProviders({
    ...agents(config),
    ai,
    environment: env,
    dataFolder: "",
    clock,
    mask: (text) => text,
  })(undefined);
  return typeof provider.missing === "string" ? provider.missing : provider.missing(config.agent.model ?? null);
}

/** What a configuration claims that is built in. The parts are those of a process that never acts. */
function problemsIn({ tools }: Config): readonly string[] {
  const parts = { blobs: fileBlobs(""), redactor: createRedactor(), dataFolder: "" };
  const made = createTools({ ...parts, commands: tools });
  return "problems" in made ? made.problems : [];
}

function checkSandboxes(home: string, env: ServiceOptions["env"]): Promise<readonly SandboxHealth[]> {
  const processes = createProcessRunner({ blobs: fileBlobs(join(home, "blobs")), redactor: createRedactor(), clock });
  return checkDrivers({ processes, start: startLive, folder: join(home, "sandboxes"), env: setIn(env) });
}

/** Without the names that are not set. */
function setIn(env: ServiceOptions["env"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The only place that picks adapters. */
export const composition: Composition = { checkSandboxes, openJournal, openServices, problemsIn, agentMissing };
