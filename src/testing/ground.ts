import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { isRepositoryData } from "../runtime/tree/plain-file.ts";
import type { TestCase } from "./file.ts";
import { writeInTree } from "./tree-file.ts";

const run = promisify(execFile);

/**
 * Makes the folder that the run of a test works in: a copy of its fixture, its files over that, and a commit of it all
 * where it asks for one. Rejects where it cannot.
 */
export async function prepareGround(folder: string, test: TestCase, beside: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (test.fixture !== undefined)
    await cp(join(beside, test.fixture.value), folder, {
      recursive: true,
      verbatimSymlinks: true,
      // A repository of its own would come with programs that git runs, and with more than one commit.
      filter: (source) => test.git !== true || !isRepositoryData(basename(source)),
    });
  for (const [path, text] of Object.entries(test.files ?? {})) await writeInTree(folder, path, text);
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
