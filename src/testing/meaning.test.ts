import { expect, test } from "vitest";
import { check } from "../check/check.ts";
import { catalogOf } from "./catalog.ts";
import { misfits } from "./meaning.ts";
import { parseTests } from "./parse.ts";

const blueprint = `name: shop
entry: build
inputs: { color: { type: string, default: red } }
outputs: { size: { type: string, from: "{build}" } }
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
  const expected = test.includes("expect:") ? "" : ", expect: {outcome: failed}";
  const { file, problems } = parseTests(`tests: [{name: a, ${test}${expected}}]`);
  expect(problems).toEqual([]);
  const nodes = catalogOf(read, new Map());
  return (file?.tests ?? []).flatMap(({ value }) => misfits(value, read, nodes)).map(({ message }) => message);
}

test("a sound test has no problem", () => {
  const nodes =
    "{build: [{exit: 2}, success], fix: success, pick: bug, ask: yes, which: timeout, each/do: success, 'each[3]/do': failure}";
  const expected =
    "{route: [build failure, 'build#2 success', [fix, pick bug], ask skipped, which a, …], outputs: {size: 1}}";
  expect(problemsOf(`nodes: ${nodes}, run: [], inputs: {color: blue}, expect: ${expected}`)).toEqual([]);
});

test.each([
  ["nodes: {biuld: success}", "`biuld` is no node of this blueprint; did you mean `build`?"],
  ["nodes: {each/od: success}", "`each/od` is no node of this blueprint; did you mean `each/do`?"],
  ["expect: {escalation: {node: biuld}}", "`biuld` is no node of this blueprint; did you mean `build`?"],
  ["expect: {escalation: {node: each/od}}", "`each/od` is no node of this blueprint; did you mean `each/do`?"],
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
  [
    "nodes: {build: {outcome: success, exit: 3}}",
    "`build` does not succeed with exit code 3; leave out one of `outcome` and `exit`",
  ],
  ["nodes: {'build[1]': success}", "`build` is no map, so it has no items to count"],
  ["nodes: {'each/do[1]': success}", "`each/do` is no map, so it has no items to count"],
  ["inputs: {colour: red}", "`colour` is no input of this blueprint; did you mean `color`?"],
  ["expect: {outputs: {sizes: 1}}", "`sizes` is no output of this blueprint; did you mean `size`?"],
  ["expect: {route: [build succes]}", "`build` does not end as `succes`; did you mean `success`?"],
  ["expect: {route: [pick bugs]}", "`pick` does not end as `bugs`; did you mean `bug`?"],
  ["expect: {route: [which c]}", "`which` does not end as `c`"],
  ["nodes: {which: {answer: a, answers: [a]}}", "`which` has `answer` and `answers`; leave out one of them"],
  ["nodes: {build: {answers: [yes]}}", "`build` is no gate, so nobody answers it"],
  ["nodes: {build: {answer: yes}}", "`build` is no gate, so nobody answers it"],
])("%s", (test, message) => {
  expect(problemsOf(test)).toEqual([message]);
});

test.each([
  "expect: {files: {}}",
  "expect: {outputs: {}, outcome: failed}",
  "expect: {passes: {}}",
  "expect: {not_started: []}",
  "expect: {route: […, ...]}",
])("%s expects nothing, so it is refused", (expected) => {
  const { problems } = parseTests(`tests: [{name: a, ${expected}}]`);
  expect(problems.map(({ code }) => code)).toEqual(["invalid-value"]);
});

test.each([".git/config", "./.git/config", "a/.git/hooks/x", "a/.GIT", "/etc/x", "~/x", "..", "a/../b"])(
  "%s is no path that a test may write to",
  (path) => {
    for (const where of [`files: {"${path}": x}`, `nodes: {build: {files: {"${path}": x}}}`]) {
      const { problems } = parseTests(`tests: [{name: a, ${where}, expect: {outcome: failed}}]`);
      expect(problems.map(({ code }) => code)).toEqual(["invalid-name"]);
    }
  },
);

test.each([".gitignore", "a/.gitattributes", "a/b.git/c", "..a/b"])("%s is a path as any", (path) => {
  expect(parseTests(`tests: [{name: a, files: {"${path}": x}, expect: {outcome: failed}}]`).problems).toEqual([]);
});
