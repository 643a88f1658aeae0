import type { AgentNode } from "../model/node.ts";
import type { AgentSettings } from "../model/agent-settings.ts";
import type { Money } from "../model/settings.ts";
import { serverToolPrefix } from "../model/tools.ts";
import type { Clock } from "../ports/clock.ts";
import type { Capabilities, Performer } from "../ports/performer.ts";
import type { AgentProvider } from "../ports/provider.ts";
import type { Mask } from "../runtime/text.ts";
import { bundleOf, missingContext, sourceHere } from "./agent-context.ts";
import { unknownCost } from "./agent-cost.ts";
import { settingsOf } from "./agent-settings.ts";
import { performTurn } from "./agent-turn.ts";

export interface AgentParts {
  /** Settings of the configuration. */
  readonly configured: AgentSettings;
  readonly clock: Clock;
  /** Absolute folder of our own data, which no agent is shown. */
  readonly dataFolder: string;
  readonly mask: Mask;
}

/**
 * Performs `agent` nodes in the working folder of the run. `configured` are the settings of the
 * configuration, under those of the document and the node.
 */
export function createAgentPerformer({ configured, clock, dataFolder, mask }: AgentParts): Performer<AgentNode> {
  return {
    type: "agent",
    class: "agentic",
    missing: (node, can, blueprint) =>
      missing(can, settingsOf(node, blueprint.agent, configured), blueprint.limits.cost),
    async perform(context) {
      const settings = settingsOf(context.node, context.blueprint.agent, configured);
      const provider = context.can.provider(settings.provider);
      if (isMissing(provider)) {
        return { outcome: "error", reason: { code: "could_not_start", text: provider.missing }, beforeEffect: true };
      }
      const include = settings.context?.include ?? [];
      const bundle = await bundleOf(include, context, sourceHere(context, dataFolder, mask));
      if ("problem" in bundle) {
        return { outcome: "error", reason: { code: "could_not_start", text: bundle.problem }, beforeEffect: true };
      }
      const env = await context.environment();
      const place = { workspace: context.cwd, env, shown: bundle.text, boxed: false, mask };
      return performTurn(context, settings, provider, place, clock);
    },
  };
}

function missing(can: Capabilities, settings: AgentSettings, limit: Money | undefined): string | null {
  const unheld = settings.context === undefined ? null : missingContext(settings.context);
  if (unheld !== null) return unheld;
  const unknown = settings.tools?.find((name) => can.tools.get(name) === undefined);
  if (unknown !== undefined) return `there is no tool "${unknown}"; there are: ${can.tools.names().join(", ")}`;
  const server = (settings.tools ?? can.tools.names()).find((name) => name.startsWith(serverToolPrefix));
  if (server !== undefined && settings.context?.only === "require")
    return `\`context.only: require\` cannot hold the tool \`${server}\` of a server; name the other tools in \`tools\``;
  const provider = can.provider(settings.provider);
  const what = isMissing(provider) ? provider.missing : provider.missing(settings.model ?? null, settings);
  if (what !== null || isMissing(provider)) return what;
  return unknownCost(limit, provider.currencyOf?.(settings.model ?? null) ?? null, settings.model);
}

/** A provider has a method of that name. */
function isMissing(provider: AgentProvider | { readonly missing: string }): provider is { readonly missing: string } {
  return typeof provider.missing === "string";
}
