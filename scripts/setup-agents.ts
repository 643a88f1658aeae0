import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "./files.ts";
import type { Lack } from "./setup-sandboxes.ts";

/** Exact versions of the agents that the tests start, with the digests of their packages. */
const wanted = join(root, "test", "fixtures", "agents");

/** Where the agents are once they are installed: apart from the project, for they are large, and by what they are. */
export function agentsFolder(): string {
  const lock = readFileSync(join(wanted, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "trammel-test", `agents-${digest}`);
}

/** Installs the agents from npm unless they are there; answers why that cannot be. */
function installAgents(): string | null {
  const folder = agentsFolder();
  if (existsSync(folder)) return null;
  console.error("installing the agents that tests start");
  mkdirSync(join(folder, ".."), { recursive: true });
  const making = mkdtempSync(`${folder}.`);
  cpSync(wanted, making, { recursive: true });
  const options = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["ci", ...options], { cwd: making, stdio: ["ignore", 2, 2] });
  if (status === 0 && !existsSync(folder)) renameSync(making, folder);
  rmSync(making, { recursive: true, force: true });
  return status === 0 ? null : "npm could not install them (see above)";
}

/** Makes ready what the tests of real agents need; answers what they lack. */
export function setupAgents(): readonly Lack[] {
  const why = installAgents();
  return why === null ? [] : [{ suite: "test/agents", why }];
}
