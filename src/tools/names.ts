import { serverToolPrefix } from "../model/tools.ts";

/**
 * The tools that are built in. Apart from their code, so that a document is
 * checked without loading what it does not run.
 */
export const builtInToolNames = [
  "read",
  "write",
  "edit",
  "list",
  "search",
  "run",
  "git_status",
  "git_diff",
  "cargo_fmt",
  "cargo_check",
  "cargo_build",
  "cargo_test",
  "cargo_clippy",
  "cargo_doc",
] as const;

/** How the tool of a server is called; at most 64 characters. */
export function serverToolName(server: string, tool: string): string {
  return `${serverToolPrefix}${server}_${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
}

/**
 * Names that tool nodes and agents may use, with these named commands and servers. What a server offers is known only
 * when it runs: a name that ends in `*` stands for all that begin so.
 */
export function knownToolNames(commands: readonly string[], servers: readonly string[]): ReadonlySet<string> {
  return new Set([...builtInToolNames, ...commands, ...servers.map((server) => `${serverToolName(server, "")}*`)]);
}
