/** How the names of tools begin that a server of the Model Context Protocol offers. */
export const serverToolPrefix = "mcp_";

/** Arguments of built-in tools that are executed as they stand: no value is ever put into one. */
const executed: ReadonlyMap<string, readonly string[]> = new Map([["run", ["command"]]]);

export function executedArguments(tool: string): readonly string[] {
  return executed.get(tool) ?? [];
}
