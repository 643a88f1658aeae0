import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { artifactsShape } from "../../src/wire/artifacts.ts";
import { pruneShape } from "../../src/wire/prune.ts";
import { runEndShape, runListShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel } from "./support/cli.ts";

const saying = (text: string) => `name: saying
entry: say
nodes:
  say: {type: script, run: "yes ${text} | head -n 10000"}
`;
const gated = `name: gated
entry: say
nodes:
  say: {type: script, run: "yes gated | head -n 10000", next: ask}
  ask: {type: human, prompt: "Go on?"}
`;

async function ran(place: Place, name: string, text: string, ...options: string[]): Promise<string> {
  place.file(name, text);
  const done = await trammel(["run", "t", "-b", name, "--json", ...options], { place });
  return runEndShape.parse(lastLine(done)).run;
}

async function blobsOf(place: Place, run: string): Promise<readonly string[]> {
  const { stdout } = await trammel(["artifacts", run, "--json"], { place });
  const files = artifactsShape.parse(JSON.parse(stdout)).artifacts.flatMap(({ file }) => file ?? []);
  expect(files.length).toBeGreaterThan(0);
  return [...new Set(files)];
}

const age = (files: readonly string[]) => files.forEach((file) => utimesSync(file, 1, 1));
const areThere = (files: readonly string[]) => files.map((file) => existsSync(file));

async function pruned(place: Place, ...options: string[]) {
  const { stdout, stderr } = await trammel(["prune", "--json", ...options], { place });
  expect(stderr).toBe("");
  return pruneShape.parse(JSON.parse(stdout));
}

async function listed(place: Place): Promise<readonly string[]> {
  return runListShape
    .parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout))
    .runs.map(({ run }) => run);
}

it("is one at a time: of several at the same moment each comes to its end, and each thing is removed once", async () => {
  using place = new Place();
  const texts = ["a", "b", "c"];
  const files: string[] = [];
  for (const text of texts) files.push(...(await blobsOf(place, await ran(place, "over.yaml", saying(text)))));
  age(files);
  place.file("trammel.yaml", "retention: {runs: 1ms}\n");
  const all = await Promise.all(texts.map(() => pruned(place)));
  expect(all.reduce((sum, { blobs }) => sum + blobs, 0)).toBe(files.length);
  expect(areThere(files)).not.toContain(true);
});

it("removes sensitive inputs of runs that never began, and of none that may", async () => {
  using place = new Place();
  const waiting = await ran(place, "gated.yaml", gated, "--detach");
  const of = (run: string) => place.file(`.home/secrets/${run}.json`, "{}");
  const [lost, half, kept, young] = [
    of("0000000000000"),
    of("0000000000001") + ".tmp",
    of(waiting),
    of("0000000000002"),
  ];
  writeFileSync(half, "{");
  age([lost, half, kept]);
  await pruned(place);
  expect(areThere([lost, half, kept, young])).toEqual([false, false, true, true]);
});

it("removes outputs, then history, of runs that are over, and keeps all of one that waits", async () => {
  using place = new Place();
  const over = await ran(place, "over.yaml", saying("over"));
  const waiting = await ran(place, "gated.yaml", gated, "--detach");
  const [files, kept] = [await blobsOf(place, over), await blobsOf(place, waiting)];
  age([...files, ...kept]);
  expect(await pruned(place)).toMatchObject({ history: [], outputs: [], blobs: 0 });

  place.file("trammel.yaml", "retention: {runs: 1ms or 5 GiB, history: 90d}\n");
  const dry = await pruned(place, "--dry-run");
  expect(dry).toMatchObject({ dryRun: true, history: [], outputs: [over], blobs: files.length });
  expect(areThere(files)).not.toContain(false);
  expect(await pruned(place)).toEqual({ ...dry, dryRun: false });
  expect([...areThere(files), ...areThere(kept)]).toEqual([...files.map(() => false), ...kept.map(() => true)]);
  expect((await trammel(["show", over], { place })).code).toBe(0);
  expect(await pruned(place)).toMatchObject({ outputs: [], blobs: 0, bytes: 0 });

  place.file("trammel.yaml", "retention: {history: 1ms}\n");
  expect(await pruned(place)).toMatchObject({ history: [over], outputs: [] });
  expect(await listed(place)).toEqual([waiting]);
  const asked = await Promise.all(
    [["show"], ["logs"], ["receipt"], ["diff"], ["resume"], ["rerun"], ["fork", "--at", "say"]].map(
      ([command = "", ...more]) => trammel([command, over, ...more], { place }),
    ),
  );
  const said = new RegExp(
    `^trammel: run ${over} \\(succeeded\\) is not in the history any more: trammel prune removed it at 2`,
  );
  for (const { code, stderr } of asked) expect([code, stderr]).toEqual([2, expect.stringMatching(said)]);
  const answered = await trammel(["answer", waiting, "ask", "ok"], { place });
  expect(answered).toMatchObject({ code: 0 });
});

it("removes what a prune that was killed had left, and a blob only once none refers to it", async () => {
  using place = new Place();
  const [first, second] = [await ran(place, "a.yaml", saying("same")), await ran(place, "a.yaml", saying("same"))];
  const files = await blobsOf(place, first);
  expect(await blobsOf(place, second)).toEqual(files);
  age(files);
  const orphan = join(place.home, "artifacts", "run-that-is-gone");
  mkdirSync(orphan, { recursive: true });
  writeFileSync(join(orphan, "clone.patch"), "diff");
  place.file("trammel.yaml", "retention: {runs: 1GiB}\n");
  expect(await pruned(place)).toMatchObject({ history: [], outputs: [], blobs: 0, bytes: 4 });
  expect([existsSync(orphan), ...areThere(files)]).toEqual([false, ...files.map(() => true)]);
  place.file("trammel.yaml", "retention: {history: 1ms}\n");
  const gone = await pruned(place);
  expect(gone.history.toSorted()).toEqual([first, second].toSorted());
  expect(areThere(files)).not.toContain(true);
  expect(await trammel(["runs"], { place })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^no runs are kept /),
  });
});

it("takes the word of a project for its own runs only", async () => {
  using place = new Place();
  const outside = await ran(place, "a.yaml", saying("outside"));
  mkdirSync(place.path("project"));
  const inside = await ran(place, "a.yaml", saying("inside"), "--cwd", "project");
  place.file("project/trammel.yaml", "retention: {history: 1ms}\n");
  const done = await start(["prune", "--json"], {
    place,
    wrapper: ["env", "-C", place.path("project")],
  }).end;
  expect(pruneShape.parse(JSON.parse(done.stdout)).history).toEqual([inside]);
  expect(await listed(place)).toEqual([outside]);
});

it("refuses a retention that says nothing clear", async () => {
  using place = new Place();
  place.file("trammel.yaml", "retention: {runs: 30d or 40d}\n");
  const { code, stderr } = await trammel(["prune"], { place });
  expect(code).toBe(2);
  expect(stderr).toContain("names two ages");
});
