import { expect, test } from "vitest";
import { check } from "../check/check.ts";
import { catalogOf } from "./catalog.ts";
import { misfits } from "./meaning.ts";
import { parseTests } from "./parse.ts";

const blueprint = `name: shop
entry: build
nodes:
  build: { type: script, run: make }
  fix: { type: agent, prompt: Mend it. }
  pick: { type: agent, prompt: Which?, options: [bug, feature] }
  ask: { type: human, prompt: "Go on?", mode: approval }
  which: { type: human, prompt: Which one?, mode: choice, options: [a, b], timeout: 3d, default: a }
  pause: { type: wait, for: 3d }
  each: { type: map, over: "{build}", do: { type: script, run: echo } }
edges:
  - { from: build, to: fix }
  - { from: fix, to: pick }
  - { from: pick, to: ask }
  - { from: ask, when: success, to: which }
  - { from: which, to: pause }
  - { from: pause, to: each }
`;

function problemsOf(test: string): readonly string[] {
  const { blueprint: read, diagnostics } = check(blueprint);
  if (read === null) throw new Error(JSON.stringify(diagnostics));
  const { file, problems } = parseTests(`tests: [{name: a, ${test}, expect: {outcome: failed}}]`);
  expect(problems).toEqual([]);
  const nodes = catalogOf(read, new Map());
  return (file?.tests ?? []).flatMap(({ value }) => misfits(value, nodes)).map(({ message }) => message);
}

test("a sound test has no problem", () => {
  const nodes =
    "{build: [{exit: 2}, success], fix: success, pick: bug, ask: yes, which: timeout, each/do: success, 'each[3]/do': failure}";
  expect(problemsOf(`nodes: ${nodes}, run: []`)).toEqual([]);
});

test.each([
  ["nodes: {biuld: success}", "`biuld` is no node of this blueprint; did you mean `build`?"],
  ["nodes: {each/od: success}", "`each/od` is no node of this blueprint; did you mean `each/do`?"],
  ["run: biuld", "`biuld` is no node of this blueprint; did you mean `build`?"],
  ["run: fix", "`fix` is an agent node; only deterministic nodes are carried out for real in a test"],
  ["run: build, nodes: {build: success}", "`build` stands under `nodes` and under `run`"],
  ["nodes: {build: ok}", "`ok` is no outcome of `build`; it has success, failure, error and timeout"],
  ["nodes: {pick: bugs}", "`bugs` is no option of `pick`; it has `bug` or `feature`"],
  ["nodes: {pick: success}", "`pick` chooses one of `bug` or `feature`; say which"],
  ["nodes: {ask: maybe}", "`ask` is an approval; it is answered with yes or no"],
  ["nodes: {ask: timeout}", "`ask` has no timeout, so it waits for ever"],
  ["nodes: {ask: error}", "`ask` is a gate: it is answered, or not in time"],
  ["nodes: {which: c}", "`which` is answered with `a` or `b`"],
  ["nodes: {which: success}", "say what is answered at `which`: answer: …"],
  ["nodes: {build: {answer: yes}}", "`build` is no gate, so nobody answers it"],
])("%s", (test, message) => {
  expect(problemsOf(test)).toEqual([message]);
});
