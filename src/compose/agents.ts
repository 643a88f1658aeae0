import { createProviders } from "../agents/providers.ts";
import type { ServiceOptions } from "../cli/services.ts";
import type { Config } from "../config/config.ts";
import { vendorAccess } from "../config/keys.ts";
import { createAgentPerformer } from "../nodes/agent.ts";
import type { Clock } from "../ports/clock.ts";
import type { Capabilities, Performer } from "../ports/performer.ts";

type Environment = ServiceOptions["env"];

export interface AgentNeeds {
  readonly options: ServiceOptions;
  readonly clock: Clock;
  readonly mask: (text: string) => string;
}

export interface AgentParts {
  readonly performers: readonly Performer[];
  readonly provider: Capabilities["provider"];
}

/** What agent nodes are carried out with. */
export function agentParts({ options, clock, mask }: AgentNeeds): AgentParts {
  const { home, env, config, record, loose } = options;
  return {
    performers: [createAgentPerformer({ configured: config.agent, clock, dataFolder: home, mask })],
    provider: createProviders({
      ...agentChoice(config),
      ai: vendorAccess(config, env),
      prices: config.prices,
      environment: env,
      dataFolder: home,
      clock,
      mask,
      ...(record === undefined ? {} : { record }),
      ...(loose === undefined ? {} : { loose }),
    }),
  };
}

/** Why no agent can run with this configuration, or null. */
export function agentMissing(config: Config, env: Environment, clock: Clock): string | null {
  const provider = createProviders({
    ...agentChoice(config),
    ai: vendorAccess(config, env),
    environment: env,
    dataFolder: "",
    clock,
    mask: (text) => text,
  })(undefined);
  return typeof provider.missing === "string" ? provider.missing : provider.missing(config.agent.model ?? null);
}

type AgentChoice = Pick<Parameters<typeof createProviders>[0], "provider" | "command" | "key" | "cassettes">;

export function agentChoice({ agent }: Config): AgentChoice {
  const [program, ...rest] = agent.command ?? [];
  return {
    ...(program === undefined ? {} : { command: [program, ...rest] as const }),
    ...(agent.key === undefined ? {} : { key: agent.key }),
    ...(agent.provider === undefined ? {} : { provider: agent.provider }),
    ...(agent.cassettes === undefined ? {} : { cassettes: agent.cassettes }),
  };
}
