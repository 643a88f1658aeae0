import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { lastLine, Place, start, trammel, runIn } from "../e2e/support/cli.ts";
import { document, expectNothingLeft, repository, subjects } from "./boxed.ts";
import { countOf, nap } from "../support/naps.ts";

describe.each(subjects)("a killed run with a box of $name", ({ image, engine, there }) => {
  const provision = `box: {type: provision, image: "${image}", network: none`;

  test.runIf(there)("leaves nothing of a checkout whose engine was killed", async () => {
    using place = new Place();
    place.file("trammel.yaml", engine);
    const side = repository(place);
    const git = 'case "$*" in *"bundle create"*) [ -e hung ] || { touch hung; exec sleep 300; };; esac';
    place.file("bin/git", `#!/bin/sh\n${git}\nPATH="\${PATH#*:}" exec git "$@"\n`);
    chmodSync(place.path("bin/git"), 0o755);
    mkdirSync(place.path("tmp"));
    const env = {
      PATH: `${place.path("bin")}${delimiter}${process.env["PATH"] ?? ""}`,
      TMPDIR: place.path("tmp"),
    };
    place.file(
      "boxed.yaml",
      document(`${provision}}`, 'clone: {type: checkout, container: "{box}", repo: ./repo, ref: side}'),
    );
    const first = start(["run", "-b", "boxed.yaml", "--json"], { place, env });
    await expect.poll(() => existsSync(place.path("hung"))).toBe(true);
    first.child.kill("SIGKILL");
    const runId = runIn((await first.end).stdout);
    expect(readdirSync(join(place.home, "sandboxes", "staged"))).toEqual([`trammel-${runId}-1-box`]);
    const resumed = await trammel(["resume", runId, "--json"], { place, env });
    expect(lastLine(resumed)).toMatchObject({ status: "succeeded" });
    expect(resumed.stdout).toContain(side);
    expectNothingLeft(place, runId);
    expect(readdirSync(place.path("tmp")).filter((name) => name.includes("bundle"))).toEqual([]);
  });

  test.runIf(there)("does not outlive its engine; its work is there for the resume", async () => {
    using place = new Place();
    place.file("trammel.yaml", engine);
    const text = document(
      `${provision}}`,
      'paid: {type: exec, container: "{box}", run: "echo paid >work"}',
      `slow: {type: exec, container: "{box}", idempotent: true, run: "cat work; test -e go && exit 0; touch go; echo waits; sleep ${nap("7790")}"}`,
    );
    place.file("boxed.yaml", text);
    const first = start(["run", "-b", "boxed.yaml", "--plain"], { place });
    await first.until(/slow started/);
    await expect.poll(() => countOf("7790")).toBe(1);
    first.child.kill("SIGKILL");
    await first.end;
    await expect.poll(() => countOf("7790")).toBe(0);
    const runs = JSON.parse((await trammel(["runs", "--json"], { place })).stdout) as {
      runs: readonly { run: string }[];
    };
    const runId = runs.runs[0]?.run ?? "";
    const resumed = await trammel(["resume", runId, "--json"], { place });
    expect(lastLine(resumed)).toMatchObject({ status: "succeeded" });
    const shown = await trammel(["show", runId, "--json"], { place });
    expect(shown.stdout).toContain("paid\\n");
    expectNothingLeft(place, runId);
  });
});
