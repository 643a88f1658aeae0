import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { artifactsShape } from "../../src/wire/artifacts.ts";
import { runEndShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

const blueprint = `name: saying
entry: much
nodes:
  much: {type: script, run: "seq 1 20000; echo oops >&2", next: little}
  little: {type: script, run: echo little, next: silent}
  silent: {type: script, run: "true"}
`;
const numbers = Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join("");

it("lists what nodes said and what changed in boxes, and copies it whole, once", async () => {
  using place = new Place();
  place.file("b.yaml", blueprint);
  const { run } = runEndShape.parse(lastLine(await trammel(["run", "t", "-b", "b.yaml", "--json"], { place })));
  mkdirSync(join(place.home, "artifacts", run), { recursive: true });
  writeFileSync(join(place.home, "artifacts", run, "clone.patch"), "diff --git\n");

  const listed = await trammel(["artifacts", run, "--json"], { place });
  const { artifacts } = artifactsShape.parse(JSON.parse(listed.stdout));
  const names = [
    "much.1.1.output.txt",
    "much.1.1.stdout.txt",
    "much.1.1.stderr.txt",
    "little.1.1.output.txt",
    "clone.patch",
  ];
  expect(artifacts.map(({ name }) => name)).toEqual(names);
  expect(artifacts[1]).toMatchObject({ kind: "stdout", node: "much", bytes: numbers.length, cut: false });
  expect(artifacts[3]).toMatchObject({ file: null, bytes: 7, missing: false });

  const copied = await trammel(["artifacts", run, "--out", "all"], { place });
  expect(copied).toMatchObject({ code: 0, stderr: "" });
  expect(readdirSync(place.path("all")).toSorted()).toEqual(names.toSorted());
  expect(place.read("all/much.1.1.stdout.txt")).toBe(numbers);
  expect(place.read("all/much.1.1.stderr.txt")).toBe("oops\n");
  expect(place.read("all/clone.patch")).toBe("diff --git\n");
  const again = await trammel(["artifacts", run, "--out", "all"], { place });
  expect([again.code, again.stdout]).toEqual([2, ""]);
  expect(again.stderr).toMatch(/^trammel: the artifacts cannot be written: EEXIST/);

  rmSync(artifacts[1]?.file ?? "");
  const short = await trammel(["artifacts", run, "--out", "less"], { place });
  expect(short.code).toBe(1);
  expect(short.stdout).toContain(`much.1.1.stdout.txt  ${numbers.length} bytes  (gone)`);
  expect(readdirSync(place.path("less")).toSorted()).toEqual(names.filter((_, i) => i !== 1).toSorted());
});

it("prints all that the last node said, however much that is", async () => {
  using place = new Place();
  place.file("b.yaml", 'name: long\nentry: much\nnodes:\n  much: {type: script, run: "seq 1 20000"}\n');
  expect((await trammel(["run", "t", "-b", "b.yaml"], { place })).stdout).toBe(numbers);
});
