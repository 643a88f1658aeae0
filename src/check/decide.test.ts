import { describe, expect, test } from "vitest";
import { canonical } from "../language/canonical.ts";
import { print } from "../language/print.ts";
import type { Blueprint } from "../model/blueprint.ts";
import type { DecideNode } from "../model/node.ts";
import { check } from "./check.ts";

const plain = '{type: decide, question: What?, about: "{task}", options: [bug, feature]}';
const full = `{
    type: decide, question: "What is {task}?", about: "{task}", confidence: 0.7, by: [rules, cases, model], other: {ask: creator},
    options: {
      bug: {title: A bug, match: "crash(es)?"}, feature: {match: {contains: add, fallback: true}}, idea: {match: {matches: idea, fallback: false}},
      fine: {match: {exit: 0}}, done: {match: {pointer: /state, value: {title: done, note: null}}}, nothing: , no: {match: {matches: nope, fallback: true}}
    }}`;

function document(node: string, edges = "{from: it, when: error, to: END}"): string {
  return `name: choose\nnodes:\n  it: ${node}\nedges: [${edges}]\n`;
}

function read(node: string): Blueprint {
  const { blueprint, diagnostics } = check(document(node));
  if (blueprint === null) throw new Error(JSON.stringify(diagnostics));
  return blueprint;
}

function decision(node: string): DecideNode {
  const it = read(node).nodes.get("it");
  if (it?.type !== "decide") throw new Error("it is a decision");
  return it;
}

function codes(node: string, edges?: string): readonly string[] {
  return check(document(node, edges)).diagnostics.map(({ code }) => code);
}

describe("a decision", () => {
  test("reads every kind of rule", () => {
    expect(decision(full).options).toEqual([
      { id: "bug", title: "A bug", match: { kind: "matches", pattern: "crash(es)?" } },
      { id: "feature", match: { kind: "contains", text: "add", fallback: true } },
      { id: "idea", match: { kind: "matches", pattern: "idea" } },
      { id: "fine", match: { kind: "exit", code: 0 } },
      { id: "done", match: { kind: "pointer", pointer: "/state", value: { title: "done", note: null } } },
      { id: "nothing" },
      { id: "no", match: { kind: "matches", pattern: "nope", fallback: true } },
    ]);
    expect(decision(plain).by).toEqual(["rules", "model"]);
  });

  test.each([plain, full])("prints as what reads the same: %#", (node) => {
    const blueprint = read(node);
    const again = check(print(blueprint)).blueprint;
    expect(again).toEqual(blueprint);
    expect(again && print(again)).toBe(print(blueprint));
  });

  test("is the same with its defaults written, and another with another rule or order of asking", () => {
    const text = (node: string): string => canonical(read(node));
    expect(text(plain.replace("options", "by: [rules, model], options"))).toBe(text(plain));
    expect(text(full.replace("title: A bug", "title: Bug"))).toBe(text(full));
    const others = [
      ["title: done", "title: open"],
      ["fallback: true", "fallback: false"],
      ["exit: 0", "exit: 1"],
      ["[rules, cases, model]", "[model, rules, cases]"],
      ["0.7", "0.8"],
      [", other: {ask: creator}", ""],
    ] as const;
    for (const [from, to] of others) {
      expect(full).toContain(from);
      expect(text(full.replace(from, to))).not.toBe(text(full));
    }
  });

  test("goes on by its options, other and error, and by nothing else", () => {
    const to = (when: string): string => `{from: it, when: ${when}, to: END}`;
    for (const when of ["[bug, feature]", "other", "error"]) expect(codes(plain, to(when))).toEqual([]);
    for (const when of ["bug", "feature"]) expect(codes(plain, to(when))).toEqual(["option-without-edge"]);
    for (const when of ["success", "failure"]) expect(codes(plain, to(when))).toEqual(["unknown-outcome"]);
    expect(codes(plain, to("bgu"))).toEqual(["option-without-edge", "unknown-outcome"]);
    expect(codes(plain, "{from: it, to: END}")).toEqual([]);
  });

  test("with an option that cannot be read is one problem", () => {
    const node = plain.replace("[bug, feature]", '{bug: {match: "("}, feature: }, by: [rules]');
    expect(codes(node, "{from: it, when: bug, to: END}")).toEqual(["invalid-value"]);
  });

  test("gives its option, which is the author's word, and has no ports", () => {
    const after = (field: string): string => `${plain}\n  gate: {type: human, prompt: ${field}}`;
    const way = "{from: it, to: gate}";
    expect(codes(after('"Go on with {it}?"'), way)).toEqual([]);
    expect(codes(after('"Go on with {it.why}?"'), way)).toEqual(["unknown-reference"]);
  });
});
