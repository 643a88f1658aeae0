import type { Reader } from "../language/read/reading.ts";
import { text } from "../language/read/scalars.ts";
import type { PluginConfig } from "./config.ts";

const module = text({ words: "a path from this file, or the name of a package" });

/** The file that it counts from is known to whoever read that. */
export const pluginName: Reader<PluginConfig> = {
  expected: module.expected,
  schema: module.schema,
  read(node, reading, field) {
    const name = module.read(node, reading, field);
    return name === undefined ? undefined : { name, file: "" };
  },
  write: ({ name }) => name,
};
