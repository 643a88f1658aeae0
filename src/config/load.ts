import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { type Config, emptyConfig, merge } from "./config.ts";
import { isTaken, readTextFile } from "./text-file.ts";
import { userHome } from "./user-home.ts";

export const projectFile = "trammel.yaml";

/** A configuration file that cannot be used. */
export interface ConfigFault {
  readonly file: string;
  /** Text of the file, for code frames; empty where it could not be read. */
  readonly text: string;
  readonly problems: readonly Diagnostic[];
  /** Set where the file could not be read at all. */
  readonly unreadable?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The user's own, without the project's over it. */
  readonly user: Config;
  /** Absolute folder that the project's file stands in; null where there is none. */
  readonly project: string | null;
  /** Absolute paths that were read, the user's first. */
  readonly files: readonly string[];
  readonly faults: readonly ConfigFault[];
}

/**
 * The user's configuration with the project's over it. The project's file is the
 * nearest one at or above `cwd`, inside its repository.
 */
export async function loadConfig(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedConfig> {
  const [user, project] = await Promise.all([
    read(userFile(env), "user"),
    read(nearestAbove(cwd, projectFile), "project"),
  ]);
  const found = [user, project].filter((one) => one !== null);
  return {
    config: merge(user?.config ?? emptyConfig, project?.config ?? emptyConfig),
    user: user?.config ?? emptyConfig,
    project: project === null ? null : dirname(project.file),
    files: found.map((one) => one.file),
    faults: found.flatMap((one) => (one.fault === null ? [] : [one.fault])),
  };
}

/** The project's configuration alone, as tests are bound to: nothing of the user's own decides how they end. */
export async function loadProject(cwd: string): Promise<Pick<LoadedConfig, "config" | "faults">> {
  const project = await read(nearestAbove(cwd, projectFile), "project");
  const faults = project === null || project.fault === null ? [] : [project.fault];
  return { config: merge(emptyConfig, project?.config ?? emptyConfig), faults };
}

/**
 * Absolute path of the user's own file; null where the user has no home folder. A relative `XDG_CONFIG_HOME` is none,
 * as its specification says: a folder of a clone would say where keys may go.
 */
export function userFile(env: Readonly<Record<string, string | undefined>>): string | null {
  const base = env["XDG_CONFIG_HOME"] ?? "";
  if (isAbsolute(base)) return join(base, "trammel", "config.yaml");
  const home = userHome();
  return home === null ? null : join(home, ".config", "trammel", "config.yaml");
}

interface FileRead {
  readonly file: string;
  readonly config: Config;
  readonly fault: ConfigFault | null;
}

/** Null when there is no such file. */
async function read(file: string | null, whose: "user" | "project"): Promise<FileRead | null> {
  if (file === null) return null;
  const found = readTextFile(file);
  if (found === null) return null;
  if ("fault" in found)
    return { file, config: emptyConfig, fault: { file, text: "", problems: [], unreadable: found.fault } };
  const { text } = found;
  const { parseConfig } = await import("./parse.ts");
  const { config, problems } = parseConfig(text, whose);
  const fault = problems.some((one) => one.severity === "error") ? { file, text, problems } : null;
  return { file, config: located(config, file), fault };
}

/** Whether the text names a blueprint by its file, not by its name. */
export function namesFile(text: string): boolean {
  return text.includes("/") || /\.ya?ml$/.test(text);
}

/** A relative path in a configuration file is meant from where the file stands, and so is a plug-in. */
function located(config: Config, file: string): Config {
  const { cassettes } = config.agent;
  const agent =
    cassettes === undefined ? config.agent : { ...config.agent, cassettes: resolve(dirname(file), cassettes) };
  const fallback = config.default;
  return {
    ...config,
    ...(fallback === undefined || !namesFile(fallback) ? {} : { default: resolve(dirname(file), fallback) }),
    agent,
    plugins: config.plugins.map(({ name }) => ({ name, file })),
  };
}

/** The nearest file or folder of this name at or above a folder, inside its repository; null where there is none. */
export function nearestAbove(cwd: string, name: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, name);
    if (isTaken(path)) return path;
    if (folder === dirname(folder) || existsSync(join(folder, ".git"))) return null;
  }
}
