import { expect, it } from "vitest";
import { runReportShape } from "../../src/wire/run-report.ts";
import { Place, trammel, runIn } from "./support/cli.ts";

/** Works until it is told to end; and one that works on, and then says that all went well. */
const plugin = `export default {
  name: "slow",
  nodes: [{
    type: "deaf",
    class: "deterministic",
    fields: {},
    perform: () => new Promise((resolve) => {
      setTimeout(() => resolve({ outcome: "success", ports: { told: "late" } }), 2000);
    }),
  }, {
    type: "slow",
    class: "deterministic",
    fields: {},
    perform: ({ signal }) => new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }));
    }),
  }, {
    type: "blocking",
    class: "deterministic",
    fields: {},
    perform: async () => {
      for (const end = Date.now() + 300; Date.now() < end; );
      return { outcome: "success" };
    },
  }],
};
`;

const blueprint = `name: late
entry: list
nodes:
  list: {type: script, run: "echo x", output: lines}
  call: {type: call, blueprint: pause.yaml, timeout: 1s}
  map: {type: map, over: "{list}", do: {type: wait, for: 1h}, timeout: 1s}
  plugin: {type: slow, timeout: 1s}
  deaf: {type: deaf, timeout: 1s}
  after: {type: script, run: "echo reached"}
edges:
  - {from: list, when: success, to: [call, map, plugin, deaf]}
  - {from: deaf, when: success, to: after}
`;

it("ends a call, a map and the node of a plug-in when their time is up", async () => {
  using place = new Place();
  place.file("slow.js", plugin);
  place.file("trammel.yaml", "plugins: [./slow.js]\n");
  place.file("pause.yaml", "name: pause\nentry: p\nnodes:\n  p: {type: wait, for: 1h}\n");
  place.file("b.yaml", blueprint);
  const run = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
  expect(run).toMatchObject({ code: 1 });
  const id = runIn(run.stdout);
  const { nodes } = runReportShape.parse(JSON.parse((await trammel(["show", id, "--json"], { place })).stdout));
  const ends = nodes.map(({ id: node, attempts }) => [node, attempts.at(-1)?.outcome, attempts.at(-1)?.reason]);
  expect(ends).toEqual([
    ["list", "success", null],
    ["call", "failure", "no end after 1 s"],
    ["map", "failure", "no end after 1 s"],
    ["plugin", "failure", "no end after 1 s"],
    ["deaf", "failure", "no end after 1 s"],
    ["after", undefined, undefined],
  ]);
});

it("takes no answer of a plug-in that let no timer be heard until its time was up", async () => {
  using place = new Place();
  place.file("slow.js", plugin);
  place.file("trammel.yaml", "plugins: [./slow.js]\n");
  place.file("b.yaml", "name: b\nentry: w\nnodes:\n  w: {type: blocking, timeout: 200ms}\n");
  const run = await trammel(["run", "t", "-b", "b.yaml"], { place });
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("w failure: no end after 0.2 s");
});
