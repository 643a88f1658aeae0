import type { Clock } from "../ports/clock.ts";
import type { AgentProvider } from "../ports/provider.ts";
import { startLive } from "../runtime/processes/live.ts";
import { presets, type AcpAgent } from "./acp/presets.ts";
import { createAcpProvider } from "./acp/provider.ts";
import { createAiProvider } from "./ai/provider.ts";
import type { AiSettings, Prices } from "./ai/settings.ts";
import { guarded } from "./guarded.ts";
import { createReplayProvider, recording } from "./replay/provider.ts";
import type { Mask } from "../runtime/text.ts";

/** How the agents of a process are set up: configuration, with the command line over it. */
export interface AgentConfiguration {
  /** Name of the provider of a node that names none; `ai` when absent. */
  readonly provider?: string;
  readonly ai: AiSettings;
  readonly prices?: Prices;
  /** Program and arguments of provider `acp`; the agents of {@link presets} go by their own names. */
  readonly command?: readonly [string, ...string[]];
  /** Name of the variable that holds the key of the configured provider. */
  readonly key?: string;
  /** Our own environment, of which an agent gets what it is known to need. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly mask: Mask;
  /** Absolute folder of our own data, which is never an agent's work. */
  readonly dataFolder: string;
  /** Absolute folder that `replay` plays from. */
  readonly cassettes?: string;
  /** Plays cassettes of other prompts too. */
  readonly loose?: boolean;
  /** Absolute folder to record every agent's work into. */
  readonly record?: string;
}

/** Finds a provider by the name a document or a configuration gives it. */
export function createProviders(
  configuration: AgentConfiguration,
): (name: string | undefined) => AgentProvider | { readonly missing: string } {
  const { ai, clock, command, dataFolder, key, environment, mask, record } = configuration;
  const recorded = (provider: AgentProvider): AgentProvider => {
    const own = guarded(provider, mask);
    return record === undefined ? own : recording(own, { folder: record, except: [dataFolder], mask });
  };
  const acp = (name: string, agent: AcpAgent): AgentProvider =>
    recorded(createAcpProvider({ name, agent, environment, start: startLive, clock }));
  const known = new Map([
    ["ai", recorded(createAiProvider(ai, mask, clock, configuration.prices))],
    ["replay", guarded(createReplayProvider(configuration.cassettes ?? null, mask, configuration.loose), mask)],
    ...Object.entries(presets).map(([name, agent]) => [name, acp(name, agent)] as const),
  ]);
  if (command !== undefined)
    known.set("acp", acp("acp", { argv: command, variables: key === undefined ? [] : [key], install: "install it" }));
  return (name) => {
    const wanted = name ?? configuration.provider ?? "ai";
    const found = known.get(wanted);
    if (found !== undefined) return found;
    if (wanted === "acp")
      return {
        missing: "provider acp has no command; configure one, or name an agent: " + Object.keys(presets).join(", "),
      };
    return { missing: `there is no provider "${wanted}"; there are: ${[...known.keys(), "acp"].join(", ")}` };
  };
}
