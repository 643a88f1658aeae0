import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { Place, trammel } from "./support/cli.ts";

const decision = '{type: decide, question: What is it?, about: "{task}", options: {bug: {match: crash}, feature: }}';

it.each([
  ["at the top", `  it: ${decision}\n`],
  ["in a map", `  it: {type: map, over: "{first}", do: ${decision}}\n`],
])("a decision %s checks, and a run with it is refused by name before anything happens", async (_, node) => {
  using place = new Place();
  const first = '  first: {type: script, run: "touch ran; echo [1]", output: json}\n';
  place.file("d.yaml", `name: d\nnodes:\n${first}${node}edges: [{from: first, when: success, to: it}]\n`);
  expect(await trammel(["check", "d.yaml"], { place })).toMatchObject({ code: 0, stdout: "" });
  const ran = await trammel(["run", "it crashes", "-b", "d.yaml"], { place });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(/decide "\w+": decisions are not there yet/);
  expect(readdirSync(place.folder)).not.toContain("ran");
});
