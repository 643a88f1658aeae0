import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { loadConfig } from "../config/load.ts";
import { vendorKeys } from "../config/vendors.ts";
import { StoreUnavailable } from "../ports/journal.ts";
import { dataHome } from "./home.ts";
import { openStore } from "./stored-run.ts";
import type { World } from "./world.ts";

/** `missing`: no run works without it. `optional`: some need it. */
export interface Health {
  readonly name: string;
  readonly status: "ok" | "missing" | "optional";
  readonly detail: string;
  /** What to do, as one line; null where nothing is to be done. */
  readonly mend: string | null;
}

/** Looks at this machine: offline, and nothing is changed but that the store is opened. */
export async function checkHealth(world: World): Promise<readonly Health[]> {
  return [
    { name: "node", status: "ok", detail: `${process.versions.node} (${process.execPath})`, mend: null },
    await store(world),
    ...(await configuration(world)),
    await agent(world),
    keys(world),
    await agents(world),
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

async function configuration(world: World): Promise<readonly Health[]> {
  const { files, faults } = await loadConfig(world.cwd, world.env);
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

async function agent(world: World): Promise<Health> {
  const { config } = await loadConfig(world.cwd, world.env);
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

function keys(world: World): Health {
  const set = Object.values(vendorKeys)
    .flat()
    .filter((name) => (world.env[name] ?? "") !== "");
  const detail =
    set.length === 0 ? "no vendor's variable is set" : `set: ${set.join(", ")} (used only for a model that you name)`;
  return { name: "keys", status: set.length === 0 ? "optional" : "ok", detail, mend: null };
}

/** Agents of their own make that are on the PATH. */
async function agents(world: World): Promise<Health> {
  const { presets } = await import("../agents/acp/presets.ts");
  const found: string[] = [];
  for (const [name, { argv }] of Object.entries(presets)) {
    if ((await which(argv[0], world.env["PATH"])) !== null) found.push(name);
  }
  const detail =
    found.length === 0
      ? `none of ${Object.keys(presets).join(", ")} is on the PATH`
      : `on the PATH: ${found.join(", ")} (used where one is named as provider)`;
  return { name: "agents", status: found.length === 0 ? "optional" : "ok", detail, mend: null };
}

async function program(world: World, name: string, status: "missing" | "optional", mend: string): Promise<Health> {
  const found = await which(name, world.env["PATH"]);
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

/** Absolute path of an executable on the PATH, or null. */
async function which(program: string, path = ""): Promise<string | null> {
  for (const folder of path.split(delimiter).filter((one) => one !== "")) {
    const file = join(folder, program);
    const there = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return file;
  }
  return null;
}
