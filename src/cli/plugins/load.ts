import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../model/thrown.ts";
import type { PluginConfig } from "../../config/config.ts";
import type { ConfigFault } from "../../config/load.ts";
import { problem } from "../../language/codes.ts";
import { builtInTypes } from "../../language/fields/nodes.ts";
import { stockNodes } from "../../language/stock/set.ts";
import { entryOf } from "../../language/tree.ts";
import { readYaml } from "../../language/yaml.ts";
import { collectPlugins } from "../../nodes/plugins.ts";
import type { Plugin } from "../../ports/plugin.ts";
import { pluginFaultOf } from "./shape.ts";

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly faults: readonly ConfigFault[];
}

/** Loads modules that configuration files name; each is code of this process from then on. */
export async function loadPlugins(named: readonly PluginConfig[]): Promise<LoadedPlugins> {
  const plugins: Plugin[] = [];
  const faults: ConfigFault[] = [];
  for (const one of named) {
    const found = await load(one);
    const other = "fault" in found ? found.fault : conflictOf([...plugins, found]);
    if (other !== null) faults.push(faultAt(one, other));
    else if (!("fault" in found)) plugins.push(found);
  }
  return { plugins, faults };
}

function conflictOf(plugins: readonly Plugin[]): string | null {
  const collected = collectPlugins(plugins, new Set([...builtInTypes, ...stockNodes().keys()]));
  return "problems" in collected ? (collected.problems[0] ?? null) : null;
}

async function load({ name, file }: PluginConfig): Promise<Plugin | { readonly fault: string }> {
  try {
    const path = pathOf(name, file);
    if (!existsSync(path)) return { fault: `plug-in ${name} cannot be loaded: there is no file ${path}` };
    const loaded = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    const fault = pluginFaultOf(loaded.default);
    // Its shape has just been looked at.
    return fault === null ? (loaded.default as Plugin) : { fault: `plug-in ${name}: ${fault}` };
  } catch (error) {
    const why = messageOf(error);
    return { fault: `plug-in ${name} cannot be loaded: ${why.split("\n")[0]}` };
  }
}

/** A path counts from the file that names it; a package is found as that folder would find it. */
function pathOf(name: string, file: string): string {
  if (isAbsolute(name) || name.startsWith("./") || name.startsWith("../")) return resolve(dirname(file), name);
  return createRequire(file).resolve(name);
}

/** At the line that names it. */
function faultAt({ name, file }: PluginConfig, message: string): ConfigFault {
  const text = readFileSync(file, "utf8");
  const tree = readYaml(text, () => true);
  const list = tree?.kind === "map" ? entryOf(tree, "plugins")?.value : undefined;
  const items = list?.kind === "list" ? list.items : [];
  const item = items.find((one) => one.kind === "scalar" && one.source === name) ?? list;
  const range = item?.range ?? { start: 0, end: 0 };
  const hint =
    "A plug-in is a module whose default export is what definePlugin returns: a path that begins with ./, or a package that is installed there.";
  return { file, text, problems: [problem("invalid-value", range, message, hint)] };
}
