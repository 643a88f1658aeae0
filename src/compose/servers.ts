import type { ServiceOptions } from "../cli/services.ts";
import type { Config } from "../config/config.ts";
import { allNodes } from "../model/node.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { settingsOf } from "../nodes/agent-settings.ts";
import { serverToolName } from "../tools/names.ts";

/** The servers whose tools nodes of a run can reach; all of them where any blueprint may run. */
export function reachableServers({ config, blueprint, callees = [], plugins = [] }: ServiceOptions): Config["mcp"] {
  if (blueprint === undefined) return config.mcp;
  const brought = new Map(plugins.flatMap(({ nodes }) => nodes).map(({ type, tools = [] }) => [type, tools]));
  const scopes = [blueprint, ...callees].flatMap((one) => toolsIn(one, config, brought));
  const reached = (server: string): boolean =>
    scopes.some((tools) => tools === null || tools.some((tool) => mayBeOf(tool, serverToolName(server, ""))));
  return Object.fromEntries(Object.entries(config.mcp).filter(([server]) => reached(server)));
}

function mayBeOf(tool: string, prefix: string): boolean {
  return tool.startsWith(prefix) || (tool.endsWith("*") && prefix.startsWith(tool.slice(0, -1)));
}

/** Names of tools for each node that uses any; null for all there are. */
function toolsIn(
  blueprint: Blueprint,
  { agent }: Config,
  brought: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[] | null)[] {
  return [...allNodes(blueprint)].flatMap((node): readonly (readonly string[] | null)[] => {
    if (node.type === "tool") return [[node.tool]];
    if (node.type === "agent") {
      const { provider = "ai", tools = null } = settingsOf(node, blueprint.agent, agent);
      // Any other provider has tools of its own.
      return provider === "ai" ? [tools] : [];
    }
    return node.type === "plugin" ? [brought.get(node.plugin) ?? []] : [];
  });
}
