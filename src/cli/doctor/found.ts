import { which } from "../../runtime/processes/which.ts";
import { vendorKeys, type VendorName } from "../../config/vendors.ts";
import { limits } from "../../model/limits.ts";
import { memberOf } from "../../model/json.ts";
import { textWithin } from "../../runtime/http/bounded.ts";
import type { World } from "../world.ts";

/** What an agent could be made of on this machine. Nothing of it is used unless somebody names it. */
export interface Found {
  readonly keys: readonly { readonly vendor: VendorName; readonly variable: string }[];
  /** Agents of their own make that are on the PATH, by the names that providers have. */
  readonly agents: readonly string[];
  readonly ollama: Ollama | { readonly absent: string };
}

/** A server of Ollama on this machine. */
export interface Ollama {
  /** Of its OpenAI-compatible interface. */
  readonly baseUrl: string;
  readonly version: string;
  readonly models: readonly string[];
}

/** Looks at the environment, the PATH and the loopback. */
export async function findAgents(world: Pick<World, "env">): Promise<Found> {
  const [agents, ollama] = await Promise.all([agentsOnPath(world), findOllama(world)]);
  return { keys: keysIn(world), agents, ollama };
}

function keysIn({ env }: Pick<World, "env">): Found["keys"] {
  return Object.entries(vendorKeys).flatMap(([vendor, variables]) => {
    const variable = variables.find((name) => (env[name] ?? "") !== "");
    return variable === undefined ? [] : [{ vendor: vendor as VendorName, variable }]; // of the table of vendors
  });
}

async function agentsOnPath({ env }: Pick<World, "env">): Promise<readonly string[]> {
  const { presets } = await import("../../agents/acp/presets.ts");
  const found: string[] = [];
  for (const [name, { argv }] of Object.entries(presets)) if (which(argv[0], env["PATH"]) !== null) found.push(name);
  return found;
}

/** Its own variable counts where it names this machine; another one is not local. */
async function findOllama({ env }: Pick<World, "env">): Promise<Found["ollama"]> {
  const named = (env["OLLAMA_HOST"] ?? "").replace(/^\w+:\/\//, "").replace("0.0.0.0", "127.0.0.1");
  const host = /^(?:127\.\d+\.\d+\.\d+|localhost)(?::\d+)?$/.test(named) ? named : "127.0.0.1:11434";
  const origin = `http://${host.includes(":") ? host : `${host}:11434`}`;
  try {
    const [about, tags] = await Promise.all([ask(`${origin}/api/version`), ask(`${origin}/api/tags`)]);
    const listed = memberOf(tags, "models");
    const models = Array.isArray(listed) ? listed.flatMap((one: unknown) => textOf(memberOf(one, "name"))) : [];
    return { baseUrl: `${origin}/v1`, version: textOf(memberOf(about, "version"))[0] ?? "unknown", models };
  } catch {
    return { absent: `nobody answers at ${origin}` };
  }
}

async function ask(url: string): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(limits.localProbeMs), redirect: "error" });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return JSON.parse(await textWithin(answer, limits.localProbeBytes));
}

function textOf(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : [];
}
