import { describe, expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { toJson } from "../../src/check/format.ts";

interface Pair {
  readonly says: string;
  /** The node `a`, and the same narrowed so that its value is as good as authored. */
  readonly from: string;
  readonly narrowed: string;
  /** The node `b`; `@` stands for the reference. */
  readonly into: string;
  readonly ref: string;
  readonly narrowedRef: string;
}

const box = "{box}";
const anchored = String.raw`output: {type: object, properties: {x: {type: string, pattern: "^[a-z]+(?:[/.-][a-z]+)*$"}}}`;
const oneOf = 'output: {x: "enum[main, next]"}';

const pairs: readonly Pair[] = [
  {
    says: "an agent's message asks a person",
    from: "{type: agent, prompt: Plan}",
    narrowed: `{type: agent, prompt: Plan, ${oneOf}}`,
    into: '{type: human, prompt: "Go on with @?"}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "an agent that ends with one of its options may have said anything before it",
    from: "{type: agent, prompt: Plan, options: [small, large]}",
    narrowed: `{type: agent, prompt: Plan, options: [small, large], ${oneOf}}`,
    into: '{type: human, mode: approval, prompt: "A @ change?"}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "an agent names a repository",
    from: `{type: agent, prompt: Plan, output: {x: string}}`,
    narrowed: `{type: agent, prompt: Plan, ${anchored}}`,
    into: `{type: checkout, container: "${box}", repo: "https://example.com/@"}`,
    ref: "{a.x}",
    narrowedRef: "{a.x}",
  },
  {
    says: "an agent in a box names a branch",
    from: `{type: agent_sandbox, container: "${box}", prompt: Plan}`,
    narrowed: `{type: agent_sandbox, container: "${box}", prompt: Plan, ${oneOf}}`,
    into: `{type: checkout, container: "${box}", repo: r, ref: "@"}`,
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a script names a branch",
    from: "{type: script, run: git branch}",
    narrowed: `{type: script, run: git branch, ${anchored}}`,
    into: `{type: checkout, container: "${box}", repo: r, ref: "@"}`,
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a script says where a clone goes",
    from: "{type: script, run: pwd}",
    narrowed: `{type: script, run: pwd, ${oneOf}}`,
    into: `{type: checkout, container: "${box}", repo: r, path: "/work/@"}`,
    ref: "{a.stdout}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a script's output asks a person, its exit code may",
    from: "{type: script, run: npm test}",
    narrowed: "{type: script, run: npm test}",
    into: '{type: human, prompt: "It ended with @."}',
    ref: "{a.stderr}",
    narrowedRef: "{a.exit}",
  },
  {
    says: "a command in a box asks a person, a number may",
    from: `{type: exec, container: "${box}", run: wc}`,
    narrowed: `{type: exec, container: "${box}", run: wc, output: {x: integer}}`,
    into: '{type: human, prompt: "Delete @ files?"}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "code says which file a tool reads",
    from: "{type: code, language: js, body: return f()}",
    narrowed: `{type: code, language: js, body: return f(), ${oneOf}}`,
    into: '{type: tool, tool: read, args: {path: "docs/@"}}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a tool says which address another asks",
    from: "{type: tool, tool: read, args: {path: x}}",
    narrowed: `{type: tool, tool: read, args: {path: x}, ${anchored}}`,
    into: '{type: tool, tool: read, args: {url: "https://example.com/@"}}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "an agent names files in a list",
    from: "{type: agent, prompt: Plan, output: {x: list<string>}}",
    narrowed: '{type: agent, prompt: Plan, output: {x: "list<enum[a, b]>"}}',
    into: '{type: tool, tool: read, args: {paths: [x, "@"]}}',
    ref: "{a.x}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a pattern that does not hold the whole text narrows nothing",
    from: String.raw`{type: script, run: pwd, output: {type: object, properties: {x: {type: string, pattern: "[a-z]+"}}}}`,
    narrowed: `{type: script, run: pwd, ${anchored}}`,
    into: '{type: tool, tool: read, args: {how: {file: "@"}}}',
    ref: "{a.x}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a pattern that lets through options and parent folders narrows nothing",
    from: String.raw`{type: script, run: pwd, output: {type: object, properties: {x: {type: string, pattern: "^[a-z/.-]+$"}}}}`,
    narrowed: `{type: script, run: pwd, ${anchored}}`,
    into: '{type: tool, tool: read, args: {how: {file: "@"}}}',
    ref: "{a.x}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a pattern that lets through lines and signs of shells narrows nothing",
    from: String.raw`{type: script, run: pwd, output: {type: object, properties: {x: {type: string, pattern: "^[^-][^]*$"}}}}`,
    narrowed: `{type: script, run: pwd, ${anchored}}`,
    into: '{type: tool, tool: read, args: {how: {file: "@"}}}',
    ref: "{a.x}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a script says what a shell reads first",
    from: "{type: script, run: pwd}",
    narrowed: `{type: script, run: pwd, ${oneOf}}`,
    into: '{type: script, run: "true", env: {BASH_ENV: "@"}}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "an agent says where commands are found",
    from: "{type: agent, prompt: Plan}",
    narrowed: `{type: agent, prompt: Plan, ${oneOf}}`,
    into: '{type: script, run: "true", env: {PATH: "/opt/@/bin"}}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "an agent says what git runs",
    from: "{type: agent, prompt: Plan}",
    narrowed: `{type: agent, prompt: Plan, ${oneOf}}`,
    into: '{type: script, run: git fetch, env: {GIT_SSH_COMMAND: "ssh -p @"}}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "an agent says what a tool of a server executes",
    from: "{type: agent, prompt: Plan}",
    narrowed: `{type: agent, prompt: Plan, ${oneOf}}`,
    into: '{type: tool, tool: mcp_box_exec, args: {command: "@"}}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a schema holds a part, not the whole text, which may not fit it",
    from: '{type: script, run: pwd, output: "enum[main, next]"}',
    narrowed: `{type: script, run: pwd, ${oneOf}}`,
    into: '{type: human, prompt: "Go on with @?"}',
    ref: "{a}",
    narrowedRef: "{a.x}",
  },
  {
    says: "a schema does not hold a stream, whatever it calls by its name",
    from: '{type: script, run: pwd, output: {stdout: "enum[main, next]"}}',
    narrowed: `{type: script, run: pwd, ${oneOf}}`,
    into: '{type: human, prompt: "Go on with @?"}',
    ref: "{a.stdout}",
    narrowedRef: "{a.x}",
  },
];

function documentOf(from: string, into: string, ref: string): { readonly text: string; readonly column: number } {
  const line = `  b: ${into.replace("@", ref)}`;
  const text = `name: t
nodes:
  box: {type: provision, image: "debian:12", network: none}
  a: ${from}
${line}
edges:
  - {from: box, when: success, to: a}
  - {from: a, when: success, to: b}
`;
  return { text, column: line.indexOf(ref) + 1 };
}

function found(text: string): readonly string[] {
  return toJson(check(text).diagnostics, "b.yaml", text).map(
    ({ line, column, endColumn, code }) => `${line}:${column}-${endColumn} ${code}`,
  );
}

describe("untrusted text is refused where it would decide, and passes once it is narrowed", () => {
  test.each(pairs.map((pair) => [pair.says, pair] as const))("%s", (_, { from, narrowed, into, ref, narrowedRef }) => {
    const { text, column } = documentOf(from, into, ref);
    expect(found(text)).toEqual([`5:${column}-${column + ref.length} tainted-value`]);
    expect(found(documentOf(narrowed, into, narrowedRef).text)).toEqual([]);
  });
});

test.each(["{a}", "{a.exit}", "{task}"])("no value becomes part of the command of a tool: %s", (ref) => {
  const into = '{type: tool, tool: run, args: {command: "echo @"}}';
  const { text, column } = documentOf("{type: script, run: pwd}", into, ref);
  expect(found(text)).toEqual([`5:${column}-${column + ref.length} reference-in-run`]);
});

test.each([
  ["{inputs.names}", "inputs: {names: list<string>}", []],
  ["{a}", "", ["tainted-value"]],
])("items of %s are as good as what they are taken from", (over, inputs, problems) => {
  const text = `name: t
entry: a
${inputs}
nodes:
  a: {type: script, run: ls, output: lines}
  b: {type: map, over: "${over}", do: {type: human, mode: approval, prompt: "Delete {item}?"}}
edges: [{from: a, when: success, to: b}]
`;
  expect(check(text).diagnostics.map(({ code }) => code)).toEqual(problems);
});
