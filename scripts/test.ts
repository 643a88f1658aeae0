import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { root } from "./files.ts";
import { setupAgents } from "./setup-agents.ts";
import { setupSandboxes } from "./setup-sandboxes.ts";

/** Programs that tests start, and the Debian package of each. */
const needed: Readonly<Record<string, string>> = {
  git: "git",
  bash: "bash",
  setpriv: "util-linux",
  strace: "strace",
  "dbus-run-session": "dbus-daemon",
  "gnome-keyring-daemon": "gnome-keyring",
  "secret-tool": "libsecret-tools",
  faketime: "faketime",
};

function isThere(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function run(command: string, ...arguments_: string[]): boolean {
  return spawnSync(command, arguments_, { cwd: root, stdio: "inherit" }).status === 0;
}

function installMissing(): string[] {
  const missing = Object.keys(needed).filter((program) => !isThere(program));
  const canInstall = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  if (missing.length === 0 || !canInstall) return missing;
  console.error(`installing ${missing.join(", ")}`);
  const packages = missing.map((program) => needed[program] ?? program);
  run("apt-get", "update", "-qq");
  run("apt-get", "install", "-qq", "-y", "--no-install-recommends", ...packages);
  return missing.filter((program) => !isThere(program));
}

export interface Report {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Tests that did not run, by file and name. */
export function leftOut(report: Report): string[] {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `${name.replace(`${root}/`, "")}: ${fullName}`),
  );
}

/** Whether any of these suites is asked for: making ready for them takes a while on a new machine. */
function wants(arguments_: readonly string[], ...suites: readonly string[]): boolean {
  const projects = arguments_.filter((_, at) => arguments_[at - 1] === "--project");
  return projects.length === 0 || suites.some((suite) => projects.includes(suite));
}

/** Runs the suites; true when every test ran and passed. Arguments go to vitest, e.g. `--project unit`. */
function test(arguments_: readonly string[]): boolean {
  const missing = installMissing();
  const lacks = [
    ...(wants(arguments_, "sandboxes", "agents", "e2e", "crash") ? setupSandboxes() : []),
    ...(wants(arguments_, "agents") ? setupAgents() : []),
  ];
  if (!run("npm", "run", "--silent", "build", "--", "--if-changed")) return false;
  const folder = mkdtempSync(join(tmpdir(), "trammel-report-"));
  const file = join(folder, "report.json");
  const passed = run(
    "vitest",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
    ...arguments_,
  );
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Report) : null;
  rmSync(folder, { recursive: true });
  const out = report === null ? ["everything: the runner left no report"] : leftOut(report);
  for (const line of out) console.error(`LEFT OUT  ${line}`);
  for (const { suite, why } of lacks) console.error(`MISSING   ${suite}: ${why}`);
  for (const program of missing) console.error(`MISSING   ${program} (Debian: ${needed[program]})`);
  const complete = out.length === 0 && lacks.length === 0 && missing.length === 0 && (report?.numTotalTests ?? 0) > 0;
  return passed && (complete || process.env["CI"] !== "true");
}

if (import.meta.main) process.exitCode = test(process.argv.slice(2)) ? 0 : 1;
