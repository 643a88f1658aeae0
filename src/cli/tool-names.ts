import type { Config } from "../config/config.ts";
import { knownToolNames } from "../tools/names.ts";

/** Names that tool nodes and agents may use with this configuration. */
export function toolNames({ tools, mcp }: Config): ReadonlySet<string> {
  return knownToolNames(Object.keys(tools), Object.keys(mcp));
}
