import type { AgentProvider } from "../ports/provider.ts";
import { createAiProvider } from "./ai/provider.ts";
import type { AiSettings } from "./ai/settings.ts";
import { guarded } from "./guarded.ts";
import { createReplayProvider, recording } from "./replay/provider.ts";
import type { Mask } from "./text.ts";

/** How the agents of a process are set up: configuration, with the command line over it. */
export interface AgentConfiguration {
  /** Name of the provider of a node that names none; `ai` when absent. */
  readonly provider?: string;
  readonly ai: AiSettings;
  readonly mask: Mask;
  /** Absolute folder that `replay` plays from. */
  readonly cassettes?: string;
  /** Absolute folder to record every agent's work into. */
  readonly record?: string;
}

/** Finds a provider by the name a document or a configuration gives it. */
export function createProviders(
  configuration: AgentConfiguration,
): (name: string | undefined) => AgentProvider | { readonly missing: string } {
  const { ai, mask, record } = configuration;
  const recorded = (provider: AgentProvider): AgentProvider => {
    const own = guarded(provider, mask);
    return record === undefined ? own : recording(own, record, mask);
  };
  const replay = createReplayProvider(configuration.cassettes ?? null, mask);
  const known = new Map([
    ["ai", recorded(createAiProvider(ai, mask))],
    ["replay", guarded(replay, mask)],
  ]);
  return (name) => {
    const wanted = name ?? configuration.provider ?? "ai";
    return (
      known.get(wanted) ?? { missing: `there is no provider "${wanted}"; there are: ${[...known.keys()].join(", ")}` }
    );
  };
}
