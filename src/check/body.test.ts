import { expect, test } from "vitest";
import { blueprintInside } from "../graph/body.ts";
import { unset } from "../model/unset.ts";
import { check } from "./check.ts";

const text = `
name: around
entry: each
escalate: []
limits: {steps: 9, retries: 2, time: 1h, cost: 5 USD}
agent: {model: anthropic/x, tools: [read], turns: 3}
workspace: {protect: [secret/**]}
records: {counters: counts.json}
concurrency: {overlap: allow}
inputs: {list: "list<string>"}
nodes:
  each:
    type: map
    over: "{inputs.list}"
    do:
      entry: inner
      nodes:
        inner: {type: map, over: "{item}", do: {type: agent, prompt: Look., cap: 1}}
`;

function around() {
  const { blueprint, diagnostics } = check(text, {});
  if (blueprint === null) throw new Error(JSON.stringify(diagnostics));
  return blueprint;
}

test("an item of a map is carried out under all that its document says, but for steps", () => {
  const { nodes: _nodes, edges: _edges, entry: _entry, limits, outputs: _outputs, ...settings } = around();
  const { steps: _steps, ...bounds } = limits;
  const inside = blueprintInside(around(), "each", new Map());
  expect(inside).toMatchObject({ ...settings, limits: bounds, entry: "inner" });
  expect(inside && blueprintInside(inside, "inner", new Map())).toMatchObject({
    ...settings,
    limits: bounds,
    entry: "do",
  });
});

test("a body that brings settings along does not set them", () => {
  const blueprint = around();
  const each = blueprint.nodes.get("each");
  if (each?.type !== "map") throw new Error("no map");
  const loaded = { ...each, do: { ...unset, name: "map", ...each.do } };
  const nodes = new Map([["each", loaded]]);
  expect(blueprintInside({ ...blueprint, nodes }, "each", new Map())).toEqual(
    blueprintInside(blueprint, "each", new Map()),
  );
});
