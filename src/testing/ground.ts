import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { TestCase } from "./file.ts";

const run = promisify(execFile);

/** Makes the folder that the run of a test works in: a copy of its fixture, its files over that, and a commit of it all where it asks for one. Rejects where it cannot. */
export async function prepareGround(folder: string, test: TestCase, beside: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (test.fixture !== undefined)
    await cp(join(beside, test.fixture.value), folder, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(test.files ?? {})) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  if (test.git !== true) return;
  // Whoever runs the test, and whatever their git is told to do.
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
  };
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["config", "user.name", "Test"],
    ["config", "user.email", "test@example.invalid"],
    ["add", "--all"],
    ["commit", "--quiet", "--allow-empty", "--message", "The fixture"],
  ])
    await run("git", args, { cwd: folder, env });
}
