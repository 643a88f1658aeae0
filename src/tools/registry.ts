import type { Tool, ToolRegistry } from "../ports/tool.ts";
import { cargoTools, gitTools, namedCommand, runTool } from "./command-tools.ts";
import { fileTools } from "./file-tools.ts";
import { listTool } from "./list.ts";
import type { ToolParts } from "./parts.ts";
import { searchTool } from "./search.ts";

/** A registry with further tools. */
export function extended(registry: ToolRegistry, tools: readonly Tool[]): ToolRegistry {
  const more = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    get: (name) => registry.get(name) ?? more.get(name),
    names: () => [...registry.names(), ...more.keys()],
  };
}

/**
 * The tools of agents and of `tool` nodes: files, search, git, any command, cargo, and the
 * named commands of the configuration. A named command takes the place of a built-in one of its
 * name, except of those that work on files or run any command.
 */
export function createTools(parts: ToolParts): ToolRegistry | { readonly problems: readonly string[] } {
  const fixed = [...fileTools(parts), listTool(parts), searchTool(parts), runTool(parts)];
  const names = new Set(fixed.map(({ name }) => name));
  const taken = Object.keys(parts.commands).filter((name) => names.has(name));
  if (taken.length > 0)
    return {
      problems: taken.map((name) => `tools.${name}: ${name} is a tool of Trammel's own; give the command another name`),
    };
  const commands = Object.entries(parts.commands).map(([name, command]) => namedCommand(name, command, parts));
  const tools = new Map<string, Tool>();
  for (const tool of [...fixed, ...gitTools(parts), ...cargoTools(parts), ...commands]) tools.set(tool.name, tool);
  return { get: (name) => tools.get(name), names: () => [...tools.keys()] };
}
