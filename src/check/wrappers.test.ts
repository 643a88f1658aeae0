import { describe, expect, test } from "vitest";
import { allNodes } from "../model/node.ts";
import { canonical } from "../language/canonical.ts";
import { print } from "../language/print.ts";
import { check } from "./check.ts";

function document(body: string, more = ""): string {
  return `name: wrap
nodes:
  list: {type: script, run: ls, output: lines}
  each: {type: map, over: "{list}", do: ${body}}
${more}edges: [{from: list, when: success, to: each}, {from: each, to: END}]
`;
}

function problems(text: string): readonly string[] {
  return check(text).diagnostics.map(({ code, range }) => `${code} ${text.slice(range.start, range.end)}`);
}

const graph = `{
    entry: a,
    nodes: {
      a: {type: script, run: "x", env: {I: "{item}", N: "{index}", L: "{list}"}},
      b: {type: script, run: "y", stdin: "{a} {inputs.n}"}
    },
    edges: [{from: a, when: success, to: b}]}`;

describe("a map", () => {
  test("sees item, index, its own nodes and those around it", () => {
    expect(problems(document('{type: script, run: x, stdin: "{item} {index} {list} {task}"}'))).toEqual([]);
    expect(problems(document(graph, "inputs: {n: string}\n"))).toEqual([]);
  });

  test("is checked inside as any graph", () => {
    expect(problems(document('{type: script, run: "x || true", stdin: "{nope}"}'))).toEqual([
      "cannot-fail || true",
      "unknown-reference {nope}",
    ]);
    expect(problems(document('{type: script, run: "rm {item}"}'))).toEqual(["reference-in-run {item}"]);
    expect(problems(document("{type: script, rum: x}"))).toContain("unknown-field rum");
  });

  test("keeps its items to itself, and its names apart from those around it", () => {
    expect(problems(document("{type: script, run: x}", '  out: {type: script, run: x, stdin: "{item}"}\n'))).toContain(
      "unknown-reference {item}",
    );
    expect(problems(document("{nodes: {list: {type: script, run: x}}}"))).toEqual(["reserved-name list"]);
  });

  test("takes one reference to a list, and does not let its items decide what a person is asked", () => {
    expect(problems(document("{type: script, run: x}").replace('"{list}"', '"a {list}"'))).toEqual([
      'invalid-value "a {list}"',
    ]);
    expect(problems(document('{type: human, prompt: "Ship {item}?"}'))).toEqual(["tainted-value {item}"]);
    expect(problems(document('{type: human, prompt: "Ship {list}?"}'))).toEqual(["tainted-value {list}"]);
  });

  test("may work in a sandbox around it that exists by then, and in no other node's", () => {
    const box = "  box: {type: provision, image: host, network: none}\n";
    const use = '{type: exec, container: "{box}", run: x}';
    const before = document(use, box).replace(
      "[{from: list, when: success, to: each}",
      "[{from: list, when: success, to: box}, {from: box, when: success, to: each}",
    );
    expect(problems(before)).toEqual([]);
    const after = document(use, box).replace("to: END", "when: success, to: box");
    expect(problems(after)).toEqual(["container-not-ready {box}"]);
    expect(problems(document(use.replace("box", "list")))).toEqual(['bad-container "{list}"']);
    expect(problems(document(use.replace("box", "inputs.box"), "inputs: {box: string}\n"))).toContain(
      'bad-container "{inputs.box}"',
    );
  });

  test("prints as what reads the same, whatever the order of its nodes", () => {
    const { blueprint } = check(document(graph, "inputs: {n: string}\n"));
    if (blueprint === null) throw new Error("it checks");
    expect([...allNodes(blueprint)].map(({ id }) => id)).toEqual(["list", "each", "a", "b"]);
    const again = check(print(blueprint));
    expect(again.blueprint && canonical(again.blueprint)).toBe(canonical(blueprint));
    const other = check(document(graph.replace('run: "y"', 'run: "z"'), "inputs: {n: string}\n")).blueprint;
    expect(other && canonical(other)).not.toBe(canonical(blueprint));
  });
});

describe("a call", () => {
  const call = (fields: string): string =>
    `name: wrap\nnodes:\n  sub: {type: call, ${fields}}\n  z: {type: script, run: x, stdin: "{sub.anything}"}\nedges: [{from: sub, to: z}]\n`;

  test("names a blueprint or a solution, and nothing that is filled in", () => {
    expect(problems(call('blueprint: lib/a.yaml, with: {x: "{task}", n: 1}'))).toEqual([]);
    expect(problems(call("with: {x: y}"))).toEqual(["missing-field type"]);
    expect(problems(call("blueprint: a.yaml, solution: b"))).toEqual(["two-forms solution"]);
    expect(problems(call('blueprint: "{task}.yaml"'))).toEqual(["reference-in-run {task}"]);
  });
});
