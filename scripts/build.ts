import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./files.ts";

/**
 * Builds `dist/`. With `--if-changed` only where it is not already built from these very
 * sources: `npm ci`, `npm pack` and every `npx trammel` in a clone prepare the package, and a
 * build would pull the files away from under a running command.
 */
const stamp = join(root, "dist/.sources");

function digestOfSources(): string {
  const configuration = [
    "package.json",
    "package-lock.json",
    "rolldown.config.ts",
    "tsconfig.json",
    "tsconfig.types.json",
  ];
  const sources = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const hash = createHash("sha256");
  for (const file of [...configuration, ...sources.sort()]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function builtFrom(): string | null {
  try {
    return readFileSync(stamp, "utf8");
  } catch {
    return null; // not built yet
  }
}

/** The bundler lists its chunks on standard output, which nobody asked for; the compiler says there what is wrong. */
function run(command: "rolldown" | "tsc", ...arguments_: string[]): boolean {
  const stdout = command === "tsc" ? 2 : "ignore";
  return spawnSync(command, arguments_, { cwd: root, stdio: ["ignore", stdout, "inherit"] }).status === 0;
}

const digest = digestOfSources();
if (!process.argv.includes("--if-changed") || builtFrom() !== digest) {
  if (run("rolldown", "-c") && run("tsc", "-p", "tsconfig.types.json")) writeFileSync(stamp, digest);
  else process.exitCode = 1;
}
