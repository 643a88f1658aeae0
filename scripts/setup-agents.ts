import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "./files.ts";
import type { Lack } from "./setup-sandboxes.ts";

/**
 * Sets of real programs that the tests start: exact versions, with the digests
 * of their packages, stand in test/fixtures/<set>.
 */
const sets = ["agents", "mcp-servers"] as const;
type ProgramSet = (typeof sets)[number];

function wanted(set: ProgramSet): string {
  return join(root, "test", "fixtures", set);
}

/** Where a set is once it is installed: apart from the project, for they are large, and by what they are. */
export function installedFolder(set: ProgramSet): string {
  const lock = readFileSync(join(wanted(set), "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "trammel-test", `${set}-${digest}`);
}

/** Installs a set from npm unless it is there; answers why that cannot be. */
function install(set: ProgramSet): string | null {
  const folder = installedFolder(set);
  if (existsSync(folder)) return null;
  console.error(`installing the ${set} that tests start`);
  mkdirSync(join(folder, ".."), { recursive: true });
  const making = mkdtempSync(`${folder}.`);
  cpSync(wanted(set), making, { recursive: true });
  const options = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["ci", ...options], { cwd: making, stdio: ["ignore", 2, 2] });
  if (status === 0 && !existsSync(folder)) renameSync(making, folder);
  rmSync(making, { recursive: true, force: true });
  return status === 0 ? null : "npm could not install them (see above)";
}

/** Makes ready what the tests of real agents and servers need; answers what they lack. */
export function setupAgents(): readonly Lack[] {
  return sets.flatMap((set) => {
    const why = install(set);
    return why === null ? [] : [{ suite: `test/agents (${set})`, why }];
  });
}
