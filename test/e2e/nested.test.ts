import { expect, it } from "vitest";
import { runListShape } from "../../src/wire/run-report.ts";
import { countOf, nap } from "../support/naps.ts";
import { Place, start, trammel, type Running, runIn } from "./support/cli.ts";

const top = `name: top
nodes:
  list: {type: script, idempotent: true, run: "echo '[1, 2]'", output: json}
  each: {type: map, over: "{list}", parallel: 2, do: {type: call, blueprint: middle.yaml, with: {n: "{item}"}}}
  after: {type: script, run: "echo after >> log"}
edges: [{from: list, when: success, to: each}, {from: each, when: success, to: after}]
`;
const middle = `name: middle
inputs: {n: string}
nodes: {sub: {type: call, blueprint: leaf.yaml, with: {n: "{inputs.n}"}}}
`;
/**
 * Does one thing once, and then works until the file \`go\` is there, with a process of its own that would outlive it.
 */
const leaf = `name: leaf
inputs: {n: string}
nodes:
  once: {type: script, run: 'echo "once $TRAMMEL_INPUT_N" >> log'}
  work: {type: script, idempotent: true, run: "sleep MARK & until test -e go; do sleep 0.05; done; kill $!"}
edges: [{from: once, when: success, to: work}]
`;

function site(mark: string): Place {
  const place = new Place();
  place.file("top.yaml", top);
  place.file("middle.yaml", middle.replace("n: string", "n: json"));
  place.file("leaf.yaml", leaf.replace("MARK", nap(mark)).replace("n: string", "n: json"));
  return place;
}

async function begun(place: Place, mark: string): Promise<{ readonly running: Running; readonly run: string }> {
  const running = start(["run", "t", "-b", "top.yaml", "--json"], { place });
  await running.until(/"run":"[^"]+"/);
  await expect.poll(() => countOf(mark)).toBe(2);
  return { running, run: runIn(running.stdout) };
}

async function statuses(place: Place): Promise<readonly string[]> {
  const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--all", "--json"], { place })).stdout));
  return runs.map(({ status }) => status);
}

it("a stop reaches the processes of a call in a call in a map", async () => {
  const mark = "40711";
  using place = site(mark);
  const { running, run } = await begun(place, mark);
  expect(await statuses(place)).toEqual(Array.from({ length: 7 }, () => "running"));
  expect(await trammel(["stop", run], { place })).toMatchObject({ code: 0 });
  expect((await running.end).code).toBe(130);
  expect(countOf(mark)).toBe(0);
  expect(await statuses(place)).toEqual(Array.from({ length: 7 }, () => "stopped"));
});

it("after kill -9 a stop ends what is left of them", async () => {
  const mark = "40712";
  using place = site(mark);
  const { running, run } = await begun(place, mark);
  running.child.kill("SIGKILL");
  await running.end;
  expect(await trammel(["stop", run], { place })).toMatchObject({ code: 0 });
  expect(countOf(mark)).toBe(0);
  expect(await statuses(place)).toEqual(Array.from({ length: 7 }, () => "stopped"));
});

it("after kill -9 a resume ends them, and goes on in each innermost run where it was", async () => {
  const mark = "40713";
  using place = site(mark);
  const { running, run } = await begun(place, mark);
  running.child.kill("SIGKILL");
  await running.end;
  place.file("go", "");
  expect(await trammel(["resume", run], { place })).toMatchObject({ code: 0 });
  expect(countOf(mark)).toBe(0);
  expect(await statuses(place)).toEqual(Array.from({ length: 7 }, () => "succeeded"));
  const log = place.read("log").trimEnd().split("\n");
  expect(log.toSorted()).toEqual(["after", "once 1", "once 2"]);
});
