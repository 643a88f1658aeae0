import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { hasProcfs } from "./procfs.ts";

const spawnFile = path.join(import.meta.dirname, "spawn.ts");

/** Starts a child that lists what it holds open, in a process whose starter left descriptor 77 open. */
function listedByChild(): string {
  const program = `import { startChild } from ${JSON.stringify(spawnFile)};
    const spec = { argv: ["ls", "-l", "/proc/self/fd"], cwd: "/", env: process.env, outputBytes: 1 };
    const { child } = await startChild(spec, "word");
    child.stdout.pipe(process.stdout);`;
  const start = `exec 77</etc; exec "$0" --input-type=module -e "$1"`;
  return execFileSync("bash", ["-c", start, process.execPath, program], { encoding: "utf8" });
}

test.runIf(hasProcfs)("what our starter left open does not reach a child", () => {
  const listed = listedByChild();
  expect(listed).toMatch(/ 77 -> \/dev\/null$/m);
  expect(listed).not.toMatch(/-> \/etc$/m);
});
