import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { expect, it } from "vitest";
import { lastLine, Place, trammel } from "./support/cli.ts";

function asRoot(...command: readonly string[]): void {
  const [program = "", ...rest] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  spawnSync(program, rest);
}

it("reads all there is of a run from a disk that nothing may be written to, and runs nothing", async () => {
  using place = new Place();
  place.file("b.yaml", "name: b\nentry: a\nnodes:\n  a: {type: script, run: echo hello}\n");
  const run = String(lastLine(await trammel(["run", "-b", "b.yaml", "--json"], { place }))["run"]);
  const disk = place.path("disk");
  mkdirSync(disk);
  asRoot("mount", "--bind", place.home, disk);
  asRoot("mount", "-o", "remount,bind,ro", disk);
  try {
    const env = { TRAMMEL_HOME: disk };
    for (const args of [
      ["runs"],
      ["show", run],
      ["logs", run],
      ["receipt", run],
      ["replay", run],
      ["artifacts", run],
      ["inbox"],
      ["prune", "--dry-run"],
    ]) {
      const { code, stderr } = await trammel(args, { place, env });
      expect({ args, code, stderr }).toMatchObject({ code: 0 });
    }
    expect((await trammel(["show", run], { place, env })).stdout).toContain("hello");
    const refused = await trammel(["run", "-b", "b.yaml"], { place, env });
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("cannot be opened for writing")]);
  } finally {
    asRoot("umount", "-l", disk);
  }
});
