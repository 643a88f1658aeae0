import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { promisify } from "node:util";
import { which } from "../../runtime/processes/which.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import { presets } from "../../agents/acp/presets.ts";
import { StoreUnavailable } from "../../ports/journal.ts";
import type { Health } from "../../wire/health.ts";
import { type Found, findAgents } from "./found.ts";
import { dataHome } from "../store/home.ts";
import { openStore } from "../store/stored-run.ts";
import type { World } from "../world.ts";

/**
 * Looks at this machine: nothing leaves it, and nothing is changed but that the store is opened.
 * With `tried` the keys and agents that are found are tried too.
 */
export async function checkHealth(world: World, tried: boolean): Promise<readonly Health[]> {
  const loaded = await loadConfig(world.cwd, world.env);
  const { config } = loaded;
  const keyed = { ...world, env: await (await world.compose()).keyedEnvironment(config, world.env) };
  const found = await findAgents(keyed);
  return [
    { name: "node", status: "ok", detail: `${process.versions.node} (${process.execPath})`, mend: null },
    await store(world),
    ...configuration(loaded),
    ...(await plugins(config)),
    await agent(world, config),
    keys(found),
    agents(found),
    ollama(found),
    ...(tried ? await (await import("./probe.ts")).probe(keyed) : []),
    ...(await secrets(world)),
    await program(world, "sh", "missing", "Install a POSIX shell: scripts run with it."),
    await program(world, "bash", "optional", "Install bash for scripts with `shell: bash`."),
    await program(world, "git", "optional", "Install git for nodes and tools that use it."),
    ...(await sandboxes(world)),
    await custody(),
  ];
}

async function store(world: World): Promise<Health> {
  try {
    const home = dataHome(world.env, world.cwd);
    const journal = await openStore(world);
    await journal.close();
    return { name: "store", status: "ok", detail: home, mend: null };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return { name: "store", status: "missing", detail: error.message, mend: error.hint };
  }
}

function configuration({ files, faults }: LoadedConfig): readonly Health[] {
  if (files.length === 0) {
    return [{ name: "configuration", status: "ok", detail: "none, built-in defaults apply", mend: null }];
  }
  return files.map((file) => {
    const fault = faults.find((one) => one.file === file);
    if (fault === undefined) return { name: "configuration", status: "ok", detail: file, mend: null };
    const what = fault.unreadable ?? fault.problems[0]?.message ?? "unusable";
    return {
      name: "configuration",
      status: "missing",
      detail: `${file}: ${what}`,
      mend: "Mend the file, or move it away.",
    };
  });
}

/** One line for each that is configured: what it brings, or why it cannot be loaded. */
async function plugins(config: Config): Promise<readonly Health[]> {
  if (config.plugins.length === 0) return [];
  const { loadPlugins } = await import("../plugins/load.ts");
  const { plugins: loaded, faults } = await loadPlugins(config.plugins);
  return [
    ...loaded.map(({ name, nodes }): Health => {
      const detail = `${name} brings ${nodes.map(({ type }) => type).join(", ")}`;
      return { name: "plug-in", status: "ok", detail, mend: null };
    }),
    ...faults.map(({ file, problems }): Health => {
      const what = problems[0]?.message ?? "it cannot be loaded";
      return { name: "plug-in", status: "optional", detail: `${file}: ${what}`, mend: problems[0]?.hint ?? null };
    }),
  ];
}

async function agent(world: World, config: Config): Promise<Health> {
  const { provider = "ai", model = null } = config.agent;
  const { agentMissing } = await world.compose();
  const missing = await agentMissing(config, world.env);
  if (missing === null)
    return { name: "agent", status: "ok", detail: `${provider}${model === null ? "" : `, ${model}`}`, mend: null };
  return {
    name: "agent",
    status: "optional",
    detail: "not set up; blueprints without agent nodes run all the same",
    mend: missing,
  };
}

function keys({ keys: found }: Found): Health {
  const set = found.map(({ variable }) => variable);
  const detail =
    set.length === 0 ? "no vendor's variable is set" : `set: ${set.join(", ")} (used only for a model that you name)`;
  return { name: "keys", status: set.length === 0 ? "optional" : "ok", detail, mend: null };
}

/** Agents of their own make. */
function agents({ agents: found }: Found): Health {
  const detail =
    found.length === 0
      ? `none of ${Object.keys(presets).join(", ")} is on the PATH`
      : `on the PATH: ${found.join(", ")} (used where one is named as provider)`;
  return { name: "agents", status: found.length === 0 ? "optional" : "ok", detail, mend: null };
}

function ollama({ ollama: found }: Found): Health {
  if ("absent" in found) return { name: "ollama", status: "optional", detail: found.absent, mend: null };
  const models = found.models.length === 0 ? "no model yet; ollama pull fetches one" : found.models.join(", ");
  const detail = `${found.baseUrl}, version ${found.version}: ${models}`;
  return { name: "ollama", status: "ok", detail, mend: null };
}

async function program(world: World, name: string, status: "missing" | "optional", mend: string): Promise<Health> {
  const found = which(name, world.env["PATH"]);
  if (found === null) return { name, status, detail: "not on the PATH", mend };
  if (name === "sh") return { name, status: "ok", detail: found, mend: null };
  const version = await promisify(execFile)(found, ["--version"], { timeout: 5_000 }).then(
    ({ stdout }) => stdout.split("\n")[0] ?? "",
    () => "its version cannot be read",
  );
  return { name, status: "ok", detail: `${found}, ${version}`, mend: null };
}

/** One line a driver; none of them is needed by a blueprint without boxes. */
async function sandboxes(world: World): Promise<readonly Health[]> {
  const home = homeOf(world);
  if (home === null) return [];
  const { checkSandboxes } = await world.compose();
  const checked = await checkSandboxes(home, world.env);
  return checked.map(({ driver, status }) =>
    "works" in status
      ? { name: driver, status: "ok", detail: `makes sandboxes (${status.works})`, mend: null }
      : { name: driver, status: "optional", detail: status.fault, mend: status.hint },
  );
}

/** Null where there is none, which the line about the store says. */
function homeOf(world: World): string | null {
  try {
    return dataHome(world.env, world.cwd);
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}

/** Names only. */
async function secrets(world: World): Promise<readonly Health[]> {
  const home = homeOf(world);
  if (home === null) return [];
  const { openSecrets } = await world.compose();
  const kept = openSecrets(home, world.env, () => undefined).list();
  const names = kept.map(({ name, where }) => `${name} (${where})`).join(", ");
  const detail = kept.length === 0 ? "none is kept; trammel secret set NAME keeps one" : `kept: ${names}`;
  return [{ name: "secrets", status: kept.length === 0 ? "optional" : "ok", detail, mend: null }];
}

async function custody(): Promise<Health> {
  const name = "custody";
  const proc = await access("/proc/self/stat").then(
    () => true,
    () => false,
  );
  if (proc) return { name, status: "ok", detail: "whole process trees are ended, through /proc", mend: null };
  return {
    name,
    status: "optional",
    detail: "without /proc a child that starts its own session and loses its parent can survive",
    mend: null,
  };
}
