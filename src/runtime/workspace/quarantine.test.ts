import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { git, gitText } from "./git.ts";
import { inQuarantine } from "./quarantine.ts";

const env = { PATH: process.env["PATH"], HOME: "/nowhere" };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "trammel-quarantine-"));
  execFileSync("git", ["init", "--quiet"], { cwd: root, env });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** How often Git had a file written to the disk, by the name of the command. */
function flushes(trace: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  let command = "";
  for (const line of readFileSync(trace, "utf8").trim().split("\n")) {
    const { event, name, category, key, value } = JSON.parse(line) as Readonly<Record<string, string>>;
    if (event === "cmd_name") command = name ?? "";
    if (category === "fsync" && key === "fsync/hardware-flush") counts[command] = Number(value);
  }
  return counts;
}

test("what is moved in was written to the disk before", async () => {
  const trace = join(root, "trace");
  writeFileSync(join(root, "a"), "a");
  writeFileSync(join(root, "b"), "b");
  const own = { cwd: root, env, set: { GIT_TRACE2_EVENT: trace } };
  const tree = await inQuarantine(join(root, ".git", "objects"), own, async (held) => {
    await git(["add", "a", "b"], held);
    return gitText(["write-tree"], held);
  });
  expect(await gitText(["ls-tree", "--name-only", tree], { cwd: root, env })).toBe("a\nb");
  // Those of one `add` together.
  expect(flushes(trace)).toMatchObject({ add: 1, "write-tree": 1 });
});
