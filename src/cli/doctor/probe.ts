import { rm } from "node:fs/promises";
import { scratchFolder } from "../../runtime/scratch/scratch.ts";
import { keptFromServers, vendorAccess } from "../../config/keys.ts";
import { loadConfig } from "../../config/load.ts";
import { type VendorName, vendorOf } from "../../config/vendors.ts";
import { limits } from "../../model/limits.ts";
import { messageOf } from "../../model/thrown.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { systemKeyring } from "../../runtime/secrets/keyring.ts";
import type { Health } from "../../wire/health.ts";
import { findAgents } from "./found.ts";
import { dataHome } from "../store/home.ts";
import { modelsOf } from "./models.ts";
import type { World } from "../world.ts";

/**
 * Tries what is found: each key at its vendor, by asking which models there are, each agent by
 * starting it, and each server of the Model Context Protocol by asking for its tools. Nothing is
 * billed. `world` has the keys that are kept in its environment.
 */
export async function probe(world: World): Promise<readonly Health[]> {
  const all = [probeKeys(world), probeAgents(world), probeServers(world), probeKeyring(world)];
  return (await Promise.all(all)).flat();
}

async function probeKeys(world: World): Promise<readonly Health[]> {
  const { config } = await loadConfig(world.cwd, world.env);
  const { model } = config.agent;
  const used = vendorOf(model);
  const checks = Object.entries(vendorAccess(config, world.env)).map(
    async ([name, access]): Promise<readonly Health[]> => {
      const vendor = name as VendorName; // of the table of vendors
      const { apiKey, baseUrl, keptBack } = access;
      if (keptBack !== undefined)
        return [{ name: vendor, status: "missing", detail: "its key is kept back", mend: keptBack }];
      const keyless = vendor === "compatible" && baseUrl !== undefined;
      if (apiKey === undefined && !keyless) return [];
      const found = await modelsOf(vendor, access);
      const mine = vendor === used;
      const named = mine ? model?.slice(vendor.length + 1) : undefined;
      if ("fault" in found) {
        const mend = `Look at ${access.keyNames.join(" or ") || "baseUrl"}, and at the address of the vendor.`;
        return [{ name: vendor, status: mine ? "missing" : "optional", detail: found.fault, mend }];
      }
      const isThere = named === undefined || found.models.includes(named);
      const detail = `answers, with ${found.models.length} ${found.models.length === 1 ? "model" : "models"}${named !== undefined && isThere ? `, ${named} among them` : ""}`;
      if (isThere) return [{ name: vendor, status: "ok", detail, mend: null }];
      return [
        {
          name: vendor,
          status: "missing",
          detail: `${detail}, but no ${named}`,
          mend: nearest(named ?? "", found.models),
        },
      ];
    },
  );
  return (await Promise.all(checks)).flat();
}

function nearest(named: string, models: readonly string[]): string {
  const stem = named.slice(0, Math.max(3, named.indexOf("-")));
  const like = models.filter((one) => one.startsWith(stem)).slice(0, limits.modelsShown);
  return `Name one that it has: ${(like.length > 0 ? like : models.slice(0, limits.modelsShown)).join(", ") || "there is none"}.`;
}

async function probeAgents(world: World): Promise<readonly Health[]> {
  const [{ agents }, { config }] = await Promise.all([findAgents(world), loadConfig(world.cwd, world.env)]);
  if (agents.length === 0) return [];
  const [{ presets }, { probeAcp }] = await Promise.all([
    import("../../agents/acp/presets.ts"),
    import("../../agents/acp/probe.ts"),
  ]);
  const folder = await scratchFolder();
  try {
    const tried = Object.entries(presets).filter(([name]) => agents.includes(name));
    return await Promise.all(
      tried.map(async ([name, preset]): Promise<Health> => {
        const found = await probeAcp(preset, world.env, folder, { start: startLive, clock: systemClock });
        const broken = config.agent.provider === name ? "missing" : "optional";
        if ("fault" in found)
          return { name, status: broken, detail: `does not start: ${found.fault}`, mend: preset.install };
        const version = found.version === null ? "its version is not known" : `version ${found.version}`;
        if (found.ready) return { name, status: "ok", detail: `${version}, ready`, mend: null };
        const logins = found.logins.length === 0 ? "" : `: ${found.logins.join(", ")}`;
        return {
          name,
          status: broken,
          detail: `${version}, needs a login`,
          mend: `Log in with ${preset.argv[0]}${logins}.`,
        };
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function probeServers({ cwd, env }: World): Promise<readonly Health[]> {
  const { config } = await loadConfig(cwd, env);
  if (Object.keys(config.mcp).length === 0) return [];
  const [{ connectServers }, { fileBlobs }, { createRedactor }] = await Promise.all([
    import("../../tools/mcp/servers.ts"),
    import("../../runtime/blobs/files.ts"),
    import("../../runtime/redaction/redactor.ts"),
  ]);
  const redactor = createRedactor();
  const shared = { environment: env, cwd, start: startLive, blobs: fileBlobs(""), redactor };
  return Promise.all(
    Object.entries(config.mcp).map(async ([name, server]): Promise<Health> => {
      const kept = keptFromServers({ ...config, mcp: { [name]: server } }, env);
      const found =
        kept.length > 0 ? { problems: kept } : await connectServers({ ...shared, servers: { [name]: server } });
      if ("problems" in found) {
        const detail = redactor.text(found.problems.join("; "));
        return {
          name: `mcp.${name}`,
          status: "missing",
          detail,
          mend: "Mend `mcp` in the configuration, or take it out.",
        };
      }
      await found.close();
      return {
        name: `mcp.${name}`,
        status: "ok",
        detail: `answers, with ${found.tools.length} ${found.tools.length === 1 ? "tool" : "tools"}`,
        mend: null,
      };
    }),
  );
}

/** By asking for a secret that it need not have. */
async function probeKeyring({ cwd, env }: World): Promise<readonly Health[]> {
  try {
    await systemKeyring(process.platform, env, dataHome(env, cwd)).find("TRAMMEL_DOCTOR");
    return [{ name: "keyring", status: "ok", detail: "answers; trammel secret set keeps secrets in it", mend: null }];
  } catch (error) {
    const why = messageOf(error);
    const mend = "Secrets that trammel secret set keeps are in files that only you can read.";
    return [{ name: "keyring", status: "optional", detail: `cannot be used: ${why}`, mend }];
  }
}
