import { expect, test } from "vitest";
import { check } from "../check/check.ts";
import type { Blueprint } from "../model/blueprint.ts";
import { differences } from "./differences.ts";

function of(text: string): Blueprint {
  const { blueprint, diagnostics } = check(text);
  if (blueprint === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return blueprint;
}

const base = `name: example
entry: a
limits: {steps: 5}
nodes:
  a: {type: script, run: npm test, env: {X: "{task}"}}
  map: {type: map, over: "{a}", max: 3, do: {entry: y, nodes: {y: {type: script, run: y, next: z}, z: {type: script, run: z}}}}
edges:
  - {from: a, when: success, to: map}
  - {from: a, when: failure, to: END}
`;

test.each([
  [
    "a title and the order of keys",
    "  a: {type: script, run: npm test,",
    "  a: {title: T, run: npm test, type: script,",
    [],
  ],
  [
    "a field",
    "run: npm test",
    "run: npm run test",
    [{ path: "nodes.a.run", before: "npm test", after: "npm run test" }],
  ],
  ["a reference", "{task}", "{task} now", [{ path: "nodes.a.env.X", before: "{task}", after: "{task} now" }]],
  ["a bound of the run", "{steps: 5}", "{}", [{ path: "limits.steps", before: 5 }]],
  ["a field of a map", "max: 3", "max: 4", [{ path: "nodes.map.max", before: 3, after: 4 }]],
  ["a node inside a map", "run: z}", "run: zz}", [{ path: "nodes.map.nodes.z.run", before: "z", after: "zz" }]],
])("%s", (_, from, to, expected) => {
  expect(base).toContain(from);
  expect(differences(of(base), of(base.replace(from, to)))).toEqual(expected);
});

test("edges and nodes that come and go are one each, and undone the other way round", () => {
  const other = base
    .replace("to: END}", "to: END, as: failed}\n  - {from: map, when: success, to: b}")
    .replace("edges:", '  b: {type: script, run: "true"}\nedges:');
  const found = differences(of(base), of(other));
  expect(found.map(({ path, before, after }) => [path, before === undefined, after === undefined])).toEqual([
    ["edges: a → END when failure", false, true],
    ["edges: a → END when failure as failed", true, false],
    ["edges: map → b when success", true, false],
    ["nodes.b", true, false],
  ]);
  const back = differences(of(other), of(base)).map(({ path, ...sides }) => [path, Object.keys(sides).join()]);
  expect(back).toContainEqual(["nodes.b", "before"]);
});
