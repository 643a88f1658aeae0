import { check, type CheckOptions, type CheckResult } from "../../check/check.ts";
import type { Config } from "../../config/config.ts";
import { type ConfigFault, loadConfig } from "../../config/load.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { Plugin } from "../../ports/plugin.ts";
import type { LoadedPlugins } from "./load.ts";
import type { World } from "../world.ts";

export interface Checked extends CheckResult {
  /** Those that were loaded. */
  readonly plugins: readonly Plugin[];
  /** Why some could not be. */
  readonly faults: readonly ConfigFault[];
}

const loaded = new WeakMap<Config, Promise<LoadedPlugins>>();

/** Loads the plug-ins of a configuration, once. */
function pluginsOf(config: Config): Promise<LoadedPlugins> {
  const before = loaded.get(config);
  if (before !== undefined) return before;
  const loading = import("./load.ts").then(({ loadPlugins }) => loadPlugins(config.plugins));
  loaded.set(config, loading);
  return loading;
}

/**
 * Checks a document. Only where it uses a node type that is not built in, the plug-ins of the configuration are loaded.
 */
export async function checkDocument(
  text: string,
  configured: Config | (() => Promise<Config | undefined>),
  options: CheckOptions = {},
): Promise<Checked> {
  const plain = { ...check(text, options), plugins: [], faults: [] };
  if (!plain.diagnostics.some(({ code }) => code === "unknown-type")) return plain;
  const config = typeof configured === "function" ? await configured() : configured;
  if (config === undefined || config.plugins.length === 0) return plain;
  const { plugins, faults } = await pluginsOf(config);
  return { ...check(text, { ...options, plugins: plugins.flatMap(({ nodes }) => nodes) }), plugins, faults };
}

/**
 * What a definition that a run keeps says, with the plug-ins where the run
 * works; null where this version cannot read it.
 */
export async function readKept({ env }: Pick<World, "env">, cwd: string, text: string): Promise<Blueprint | null> {
  const config = async (): Promise<Config> => (await loadConfig(cwd, env)).config;
  return (await checkDocument(text, config)).blueprint;
}

/** The configuration here, read when it is asked for, and undefined where it cannot be. */
export function configHere(world: Pick<World, "cwd" | "env">): () => Promise<Config | undefined> {
  let reading: Promise<Config | undefined> | undefined;
  const read = async (): Promise<Config | undefined> => {
    const { config, faults } = await loadConfig(world.cwd, world.env);
    return faults.length === 0 ? config : undefined;
  };
  return () => (reading ??= read());
}
