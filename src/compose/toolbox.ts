import { SetupProblem, type ServiceOptions } from "../cli/services.ts";
import { keptFromServers } from "../config/keys.ts";
import type { ToolRegistry } from "../ports/tool.ts";
import { startLive } from "../runtime/processes/live.ts";
import type { createTools } from "../tools/registry.ts";

export interface Toolbox {
  readonly tools: ToolRegistry;
  /** Ends the servers that some of the tools come from. */
  readonly close: () => Promise<void>;
}

export const emptyToolbox: Toolbox = {
  tools: { get: () => undefined, names: () => [] },
  close: () => Promise.resolve(),
};

type ToolParts = Omit<Parameters<typeof createTools>[0], "commands">;

/** Throws where the configuration contradicts what is built in, which `problemsIn` says beforehand. */
export async function toolsOf({ config, env, cwd }: ServiceOptions, parts: ToolParts): Promise<Toolbox> {
  const { createTools, extended } = await import("../tools/registry.ts");
  const tools = createTools({ ...parts, commands: config.tools });
  if ("problems" in tools) throw new Error(tools.problems.join("; "));
  if (Object.keys(config.mcp).length === 0) return { ...emptyToolbox, tools };
  const kept = keptFromServers(config, env);
  if (kept.length > 0) throw new SetupProblem(kept);
  const { connectServers } = await import("../tools/mcp/servers.ts");
  const connected = await connectServers({ ...parts, servers: config.mcp, environment: env, cwd, start: startLive });
  if ("problems" in connected) throw new SetupProblem(connected.problems, mendServers);
  return { tools: extended(tools, connected.tools), close: () => connected.close() };
}

const mendServers =
  "Mend it under `mcp` in the configuration, or take it out; trammel doctor --probe tries each server.";
