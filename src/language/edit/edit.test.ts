import { describe, expect, test } from "vitest";
import type { Change } from "./edit.ts";
import { edit } from "./edit.ts";

const document = `# How we mend.
name: mend # not the other one
entry: test
nodes:
  # The check.
  test: {type: script, run: npm test}   # quick

  fix:
    type: agent
    prompt: |
      Mend {test}, then {test.exit}.
    # three passes
    cap: 3
edges:
  - {from: test, when: failure, to: fix} # back
  - from: fix
    to: test
`;

function edited(...changes: readonly Change[]): string {
  const result = edit(document, changes);
  if ("problem" in result) throw new Error(result.problem);
  return result.text;
}

/** Lines that are not in both, in the manner of a patch. */
function changed(...changes: readonly Change[]): readonly string[] {
  const [before, after] = [document.split("\n"), edited(...changes).split("\n")];
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
}

describe("setting a field", () => {
  test("puts a value in the place of another and leaves the rest", () => {
    expect(changed({ kind: "set", path: ["name"], value: "mend-it" })).toEqual([
      "- name: mend # not the other one",
      "+ name: mend-it # not the other one",
    ]);
    expect(changed({ kind: "set", path: ["nodes", "test", "run"], value: "npm test | tee log, {x}" })).toEqual([
      "-   test: {type: script, run: npm test}   # quick",
      '+   test: {type: script, run: "npm test | tee log, {x}"}   # quick',
    ]);
    expect(changed({ kind: "set", path: ["edges", 1, "to"], value: "END" })).toEqual([
      "-     to: test",
      "+     to: END",
    ]);
  });

  test("adds it in the style of its map", () => {
    expect(changed({ kind: "set", path: ["nodes", "test", "timeout"], value: "5m" })).toEqual([
      "-   test: {type: script, run: npm test}   # quick",
      "+   test: {type: script, run: npm test, timeout: 5m}   # quick",
    ]);
    expect(changed({ kind: "set", path: ["nodes", "fix", "turns"], value: 9 })).toEqual(["+     turns: 9"]);
    expect(changed({ kind: "set", path: ["limits"], value: { time: "1h" } })).toEqual(["+ limits:", "+   time: 1h"]);
  });

  test("adds it after another", () => {
    const text = edited({ kind: "set", path: ["note"], value: "Mends it.", after: "name" });
    expect(text).toContain("name: mend # not the other one\nnote: Mends it.\nentry: test\n");
  });

  test("writes a text of several lines as a block", () => {
    const text = edited({ kind: "set", path: ["nodes", "fix", "prompt"], value: "One.\n\nTwo.\n" });
    expect(text).toContain("    prompt: |\n      One.\n\n      Two.\n    # three passes\n    cap: 3\n");
  });
});

test("a node and an edge are added after the others, before what follows", () => {
  const text = edited(
    { kind: "set", path: ["nodes", "pack"], value: { type: "script", run: "npm pack" } },
    { kind: "append", path: ["edges"], value: { from: "test", when: "success", to: "pack" } },
  );
  expect(text).toContain("    cap: 3\n  pack:\n    type: script\n    run: npm pack\nedges:\n");
  expect(text.endsWith("    to: test\n  - {from: test, when: success, to: pack}\n")).toBe(true);
});

test("a node is renamed wherever it is named", () => {
  expect(changed({ kind: "rename", node: "test", to: "check" })).toEqual([
    "- entry: test",
    "-   test: {type: script, run: npm test}   # quick",
    "-       Mend {test}, then {test.exit}.",
    "-   - {from: test, when: failure, to: fix} # back",
    "-     to: test",
    "+ entry: check",
    "+   check: {type: script, run: npm test}   # quick",
    "+       Mend {check}, then {check.exit}.",
    "+   - {from: check, when: failure, to: fix} # back",
    "+     to: check",
  ]);
});

test("the names in a flow are names of nodes, those of stock nodes stay", () => {
  const flow =
    'name: t\nflow: a -> [fix-lint] -> b -> a\nnodes:\n  a: {type: script, run: x}\n  "b": {type: agent, prompt: "{a#2}"}\n';
  expect(edit(flow, [{ kind: "rename", node: "a", to: "c" }])).toEqual({
    text: 'name: t\nflow: c -> [fix-lint] -> b -> c\nnodes:\n  c: {type: script, run: x}\n  "b": {type: agent, prompt: "{c#2}"}\n',
  });
  expect(edit(flow, [{ kind: "rename", node: "fix-lint", to: "c" }])).toHaveProperty("problem");
});

test.each<readonly [string, string, Change]>([
  ["a value behind an alias", "a: &x {b: 1}\nc: *x\n", { kind: "set", path: ["c", "b"], value: 2 }],
  ["a value with an alias", "a: &x 1\nc: *x\n", { kind: "set", path: ["a"], value: 2 }],
  ["a path that is not there", document, { kind: "set", path: ["nodes", "nope", "run"], value: 2 }],
  ["an item that is not there", document, { kind: "set", path: ["edges", 7], value: 2 }],
  ["no list", document, { kind: "append", path: ["nodes"], value: 2 }],
  ["a name that is taken", document, { kind: "rename", node: "fix", to: "test" }],
  ["a name that is none", document, { kind: "rename", node: "fix", to: "a b" }],
  ["a document with errors", "name: t\nnodes: [", { kind: "set", path: ["name"], value: "x" }],
])("what cannot be changed in place is told and left: %s", (_, text, change) => {
  expect(edit(text, [change])).toEqual({ problem: expect.stringMatching(/./) });
});
