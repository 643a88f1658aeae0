import { spawnSync } from "node:child_process";
import { root } from "./files.ts";

/** Every check of the repository, in the order of what they cost. `--static` leaves the tests out. */
const checks = ["format:check", "typecheck", "lint", "docs", "knip", "build", "publint", "size"] as const;

const failed: string[] = [];
for (const check of process.argv.includes("--static") ? checks : [...checks, "test"]) {
  const started = performance.now();
  console.log(`\n── ${check}`);
  const { status } = spawnSync("npm", ["run", "--silent", check], { cwd: root, stdio: "inherit" });
  if (status !== 0) failed.push(check);
  console.log(
    `── ${check} ${status === 0 ? "passed" : "FAILED"} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
}
console.log(failed.length === 0 ? "\nall checks passed" : `\nFAILED: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
