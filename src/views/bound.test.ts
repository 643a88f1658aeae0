import { expect, it } from "vitest";
import { check } from "../check/check.ts";
import { boundReport, boundText } from "./bound.ts";

function report(text: string) {
  const { blueprint } = check(text);
  if (blueprint === null) throw new Error("the document of this test does not check");
  return boundReport(blueprint);
}

const loop = `
name: loop
entry: test
agent: {turns: 10}
limits: {tokens: 500k}
nodes:
  test: {type: script, run: npm test, timeout: 1m}
  fix: {type: agent, cap: 3, prompt: mend it, timeout: 10m}
edges:
  - {from: test, when: failure, to: fix}
  - {from: test, when: success, to: END}
  - {from: fix, to: test}
`;

it("says what is unknown and never shows it as nothing", () => {
  const found = report(loop);
  expect(found).toMatchObject({ agentPasses: 3, passes: { fix: 3 }, turns: 30, tokens: 500_000, cost: null });
  // Four minutes of tests, thirty of the agent, and two seconds for each of the seven to end in.
  expect(boundText("loop", found)).toBe(
    `loop costs at most
  node starts    7
  passes of fix  3
  work           34m14s
  waiting        none
  model turns    30
  tokens         500000
  cost           unknown
`,
  );
});

it("is nothing where no agent works, and unbounded where nothing bounds it", () => {
  const found = report(
    `name: s\nentry: a\nnodes:\n  a: {type: script, run: "true"}\n  b: {type: human, prompt: "Go?"}\nedges:\n  - {from: a, to: b}\n`,
  );
  expect(found).toMatchObject({ agentPasses: 0, starts: 2, turns: 0, tokens: 0, cost: { amount: 0 }, waitMs: null });
  expect(boundText("s", found)).toContain("waiting      unbounded");
});
