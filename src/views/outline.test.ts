import { expect, it } from "vitest";
import { check } from "../check/check.ts";
import { loopEdges, outline } from "./outline.ts";

it("shows nodes, classes, caps, routes and where a new pass starts", () => {
  const { blueprint } = check(`
name: loop
note: Mends it.
inputs: {branch: string, depth: {type: integer, default: 1}}
entry: test
nodes:
  test: {type: script, run: npm test}
  fix: {type: agent, cap: 1, prompt: mend it}
  ok: {type: human, mode: approval, prompt: "Ship?"}
edges:
  - {from: test, when: failure, to: fix}
  - {from: test, when: success, to: ok}
  - {from: fix, to: test}
  - {from: ok, when: failure, to: END, as: failed}
  - {from: ok, when: success, to: END}
`);
  if (blueprint === null) throw new Error("the document of this test does not check");
  expect(outline(blueprint)).toBe(`loop: Mends it.
  inputs: branch, depth?
  ■ test  script, the entry
  ◆ fix   agent, at most 1 pass
  ● ok    human

  test → fix  on failure
  test → ok  on success
  fix  → test  (a new pass)
  ok   → END  on failure, as failed
  ok   → END  on success
`);
  expect(loopEdges(blueprint)).toEqual(["fix → test"]);
});
