import { expect, test } from "vitest";
import { check } from "../check/check.ts";
import { canonical } from "./canonical.ts";

function of(text: string): string {
  const { blueprint, diagnostics } = check(text);
  if (blueprint === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return canonical(blueprint);
}

const base = `name: example
entry: a
nodes:
  a: {type: script, run: npm test, env: {X: "{task}", note: y}}
  b: {type: tool, tool: read, args: {title: x, query: "{a}"}}
edges:
  - {from: a, when: success, to: b}
  - {from: a, when: failure, to: END}
`;

test("titles, notes, comments, layout and key order don't count", () => {
  const other = `# a comment
note: what it is for
edges:
  - {to: end, from: a, when: failure}
  - from: a
    to: [b]
    when: [success]
nodes:
  b:
    args: {query: "{a}", title: x}
    type: tool
    title: Read it
    tool: read
  a: {note: n, env: {note: y, X: "{task}"}, run: "npm test", type: script}
name: example
entry: a
`;
  expect(of(other)).toBe(of(base));
});

test("next and flow are the edges they stand for", () => {
  const nodes = "nodes:\n  a: {type: script, run: x}\n  b: {type: script, run: y}\n";
  const edges = of(`name: t\nentry: a\n${nodes}edges:\n  - {from: a, when: success, to: b}\n`);
  expect(of(`name: t\nflow: a -> b\n${nodes}`)).toBe(edges);
  expect(of(`name: t\n${nodes.replace("run: x", "run: x, next: {success: b}")}`)).toBe(edges);
});

test.each([
  ["a command", base.replace("npm test", "npm  test")],
  ["a variable named note", base.replace("note: y", "note: z")],
  ["an argument named title", base.replace("title: x", "title: y")],
  ["the target of an edge", base.replace("to: END", "to: b")],
  ["how a path ends", base.replace("to: END", "to: END, as: failed")],
  ["the name", base.replace("example", "other")],
  ["a limit", `${base}limits: {steps: 3}\n`],
  ["an input's default", `${base}inputs: {x: {type: json, default: 1}}\n`],
])("%s counts", (_, text) => {
  expect(of(text)).not.toBe(of(base));
});

test("a key inside a value counts even when it is called note", () => {
  const withDefault = (note: string): string =>
    of(`${base}inputs: {x: {type: json, default: {deep: {note: ${note}}}}}\n`);
  expect(withDefault("1")).not.toBe(withDefault("2"));
});
