import { expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { toJson } from "../../src/check/format.ts";

/** What people write who know other systems, and for each problem where it is told, what was meant, and what to do. */
const mistakes: readonly (readonly [string, ...string[]])[] = [
  [
    `name: x
nodes:
  a:
    type: script
     run: ls
`,
    "4:11 syntax",
    "Give the keys of one map the same indentation; a text of several lines begins with `|`.",
  ],
  [
    `name: x
nodes:
  a:
    type: script
   run: ls
`,
    "5:4 syntax",
    "Give entries of one list or map the same indentation.",
  ],
  [
    `name: x
nodes:
	a:
		type: script
`,
    "3:1 syntax",
    "Indent with spaces.",
    "4:1 syntax",
    "Indent with spaces.",
  ],
  [
    `name: x
nodes:
  a:
    type script
    run: ls
`,
    "4:5 syntax",
    "Put a colon and a blank after the key, or the whole text into quotes.",
  ],
  [
    `name: x
nodes:
  a:
    type:script
    run: ls
`,
    "4:5 syntax",
    "Put a blank after the colon: type: script",
  ],
  [
    `name: x
nodes:
  - id: a
    type: script
    run: ls
`,
    "3:3 wrong-type",
    "Write each node under its name, without a dash: nodes: {a: {type: script, run: …}}.",
  ],
  [
    `name: x
steps:
  - name: a
    run: ls
  - name: b
    uses: actions/checkout@v4
`,
    "2:1 unknown-field: did you mean `nodes`",
    "Write `nodes:` instead.",
  ],
  [
    `name: x
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: ls
`,
    "2:1 no-pipeline",
    "Remove it: what starts a run calls `trammel run`, a scheduler or CI for instance.",
    "3:1 unknown-field: did you mean `nodes`",
    "Write `nodes:` instead.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls, needs: a}
`,
    "4:30 unknown-field",
    "What runs after what is said by edges, such as edges: [{from: a, to: b}], or by `next:` of the node before.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls, depends_on: [a]}
`,
    "4:30 unknown-field",
    "What runs after what is said by edges, such as edges: [{from: a, to: b}], or by `next:` of the node before.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls, if: "{a.exit} == 0"}
`,
    "4:30 unknown-field",
    "A node runs when an edge leads to it, such as {from: a, to: b, when: success}; there are no expressions.",
  ],
  [
    `name: x
nodes:
  a: {uses: actions/checkout@v4}
`,
    "3:7 missing-field",
    "Add a `type:`. Write what it does as `run:` of a script, or call another blueprint with `type: call`.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, env: ["A=1", "B=2"]}
`,
    "3:35 wrong-type",
    "Write a map, such as env: {A: \"1\"}.",
  ],
  [
    `name: x
nodes:
  a: {type: script, cmd: ls}
`,
    "3:21 unknown-field: did you mean `run`",
    "Write `run:` instead.",
  ],
  [
    `name: x
nodes:
  a: {type: script, script: ls}
`,
    "3:21 unknown-field: did you mean `run`",
    "Write `run:` instead.",
  ],
  [
    `name: x
nodes:
  a: {type: script, command: ls}
`,
    "3:21 unknown-field: did you mean `run`",
    "Write `run:` instead.",
  ],
  [
    `name: x
nodes:
  a: {type: shell, run: ls}
`,
    "3:13 unknown-type: did you mean `script`",
    "Types are `agent`, `agent_sandbox`, `call`, `checkout`, `code`, `decide`, `exec`, `human`, `map`, `provision`, `script`, `tool` or `wait`, and the stock nodes.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, retry: {max: 3}}
`,
    "3:37 wrong-type",
    "Write the number alone, such as retry: 3.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, retries: 3}
`,
    "3:30 unknown-field: did you mean `retry`",
    "Write `retry:` instead.",
  ],
  [
    `name: x
nodes:
  a: {run: ls}
`,
    "3:7 missing-field",
    "Add `type: script`, as it has `run`.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: [npm ci, npm test]}
`,
    "3:26 wrong-type",
    "Write one text: run: npm ci && npm test",
  ],
  [
    `name: x
nodes:
  a: {type: bash, run: ls}
`,
    "3:13 unknown-type: did you mean `script`",
    "Types are `agent`, `agent_sandbox`, `call`, `checkout`, `code`, `decide`, `exec`, `human`, `map`, `provision`, `script`, `tool` or `wait`, and the stock nodes.",
  ],
  [
    `name: x
nodes:
  a: {type: llm, prompt: hi}
`,
    "3:13 unknown-type: did you mean `agent`",
    "Types are `agent`, `agent_sandbox`, `call`, `checkout`, `code`, `decide`, `exec`, `human`, `map`, `provision`, `script`, `tool` or `wait`, and the stock nodes.",
  ],
  [
    `name: x
nodes:
  a: {type: agent, instructions: hi}
`,
    "3:20 unknown-field: did you mean `prompt`",
    "Write `prompt:` instead.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls}
edges:
  - a -> b
`,
    "6:5 wrong-type",
    "Write {from: a, to: b}, or the whole graph as `flow:`.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls}
edges:
  a: b
`,
    "6:3 wrong-type",
    "Write a list, such as edges: [{from: a, to: b}].",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls}
edges:
  - {from: a, to: b, when: "{a.exit} == 0"}
`,
    "6:28 unknown-outcome",
    "There are no expressions. It can be `success`, `failure` or `error`.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls}
edges:
  - {from: a, to: b, when: true}
`,
    "6:28 unknown-outcome: did you mean `success`",
    "It can be `success`, `failure` or `error`.",
  ],
  [
    `name: x
start: a
nodes:
  a: {type: script, run: ls}
`,
    "2:1 unknown-field: did you mean `entry`",
    "Write `entry:` instead.",
  ],
  [
    `name: My Pipeline
nodes:
  a: {type: script, run: ls}
`,
    "1:7 invalid-value",
    "Write name: my-pipeline",
  ],
  [
    `name: x
inputs: {branch: string}
nodes:
  a: {type: agent, prompt: "Do \${{ inputs.branch }}"}
`,
    "4:32 near-reference",
    "For the value write {inputs.branch}.",
  ],
  [
    `name: x
nodes:
  a: {type: agent, prompt: "Do {{ task }} and {{task}}"}
`,
    "3:32 near-reference",
    "For the value write {task}.",
    "3:47 near-reference",
    "For the value write {task}.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: echo, stdin: "\${task}"}
`,
    "3:40 near-reference",
    "For the value write {task}.",
  ],
  [
    `name: x
nodes:
  a: {type: agent, prompt: hi, tools: read}
`,
    "3:39 wrong-type",
    "Write tools: [read]",
  ],
  [
    `name: x
model: gpt-4
nodes:
  a: {type: agent, prompt: hi}
`,
    "2:1 unknown-field",
    "Defaults of all agents stand under `agent:`, such as agent: {model: vendor/name}.",
  ],
  [
    `name: x
inputs: {a: str, b: bool, c: int, d: array, e: text, f: "string?", g: {type: string, required: true}}
nodes:
  a: {type: script, run: ls}
`,
    "2:13 invalid-schema: did you mean `string`",
    "Types are `string`, `number`, `integer`, `boolean`, `json`, `file`, `path`, `duration`, `list<T>` or `enum[a, b]`, or a JSON Schema.",
    "2:21 invalid-schema: did you mean `boolean`",
    "Types are `string`, `number`, `integer`, `boolean`, `json`, `file`, `path`, `duration`, `list<T>` or `enum[a, b]`, or a JSON Schema.",
    "2:30 invalid-schema: did you mean `integer`",
    "Types are `string`, `number`, `integer`, `boolean`, `json`, `file`, `path`, `duration`, `list<T>` or `enum[a, b]`, or a JSON Schema.",
    "2:38 invalid-schema: did you mean `list<T>`",
    "Types are `string`, `number`, `integer`, `boolean`, `json`, `file`, `path`, `duration`, `list<T>` or `enum[a, b]`, or a JSON Schema.",
    "2:48 invalid-schema: did you mean `string`",
    "Types are `string`, `number`, `integer`, `boolean`, `json`, `file`, `path`, `duration`, `list<T>` or `enum[a, b]`, or a JSON Schema.",
    "2:57 invalid-schema: did you mean `string`",
    "Types are `string`, `number`, `integer`, `boolean`, `json`, `file`, `path`, `duration`, `list<T>` or `enum[a, b]`, or a JSON Schema.",
    "2:86 unknown-field",
    "An input is required unless it has a `default`.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, timeout: 5 minutes}
  b: {type: wait, for: 90sec}
`,
    "2:1 no-entry",
    "Say what follows what, such as edges: [{from: a, to: b}], or name the first node with `entry:`.",
    "3:39 invalid-quantity",
    "Write 5m.",
    "4:24 invalid-quantity",
    "Write 90s.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, on_failure: b, on_success: END}
  b: {type: script, run: ls}
`,
    "3:30 unknown-field",
    "Write next: {success: a, failure: b}, or edges with `when:`.",
    "3:45 unknown-field",
    "Write next: {success: a, failure: b}, or edges with `when:`.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, next: done}
`,
    "3:36 unknown-node",
    "Define it under `nodes`, or correct the name.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, next: [{success: b}]}
  b: {type: script, run: ls}
`,
    "3:37 wrong-type",
    "Write one map: next: {success: a, failure: [b, c]}.",
  ],
  [
    `name: x
nodes:
  a: {type: approval, message: "ok?"}
`,
    "3:13 unknown-type: did you mean `human`",
    "Types are `agent`, `agent_sandbox`, `call`, `checkout`, `code`, `decide`, `exec`, `human`, `map`, `provision`, `script`, `tool` or `wait`, and the stock nodes.",
  ],
  [
    `name: x
nodes:
  a: {type: human, message: "ok?"}
`,
    "3:20 unknown-field: did you mean `prompt`",
    "Write `prompt:` instead.",
  ],
  [
    `name: x
nodes:
  a: {type: parallel, branches: [b, c]}
`,
    "3:13 unknown-type",
    "Several edges out of one node run side by side.",
  ],
  [
    `name: x
nodes:
  a: {type: foreach, items: "{b}", do: {type: script, run: ls}}
`,
    "3:13 unknown-type: did you mean `map`",
    "Types are `agent`, `agent_sandbox`, `call`, `checkout`, `code`, `decide`, `exec`, `human`, `map`, `provision`, `script`, `tool` or `wait`, and the stock nodes.",
  ],
  [
    `name: x
nodes:
  a: {type: loop, max_iterations: 5, body: b}
`,
    "3:13 unknown-type",
    "A loop is an edge back to an earlier node; `cap:` of that node bounds it.",
  ],
  [
    `name: x
nodes:
  a:
    type: agent
    prompt: Fix this: the build
`,
    "5:13 syntax",
    "Put the whole value into quotes.",
  ],
  [
    `name: x
nodes:
  a:
    type: script
    run: @foo
`,
    "5:10 syntax",
    "Put the value into quotes.",
  ],
  [
    `name: x
nodes:
  a:
    type: script
    run: ls
    writes: [*.ts]
`,
    "6:14 syntax",
    "To write the text `*.ts`, put it into quotes; an alias repeats a value that stands earlier.",
  ],
  [
    `name: x
nodes:
  a:
    type: script
    run: !npm test
`,
    "5:10 unknown-tag",
    "Put the whole value into quotes if its text begins with `!`, or remove the tag.",
  ],
  [
    `name: x
nodes:
  a: {type: agent, prompt: hi, max_iterations: 3, max_turns: 5, temperature: 0.5, system: hi}
`,
    "3:32 unknown-field: did you mean `cap`",
    "Write `cap:` instead.",
    "3:51 unknown-field: did you mean `turns`",
    "Write `turns:` instead.",
    "3:65 unknown-field",
    "Remove it: a model is asked with its own settings.",
    "3:83 unknown-field",
    "Put it into `prompt`.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, working_directory: src, continue_on_error: true, depends: b}
`,
    "3:30 unknown-field: did you mean `cwd`",
    "Write `cwd:` instead.",
    "3:54 unknown-field",
    "An edge goes on after a failure: {from: a, to: b, when: failure}.",
    "3:79 unknown-field",
    "What runs after what is said by edges, such as edges: [{from: a, to: b}], or by `next:` of the node before.",
  ],
  [
    `name: x
description: does it
nodes:
  a: {type: script, run: ls}
`,
    "2:1 unknown-field: did you mean `note`",
    "Write `note:` instead.",
  ],
  [
    `name: x
limits: {cost: 5, time: 60, tokens: lots, memory: 1GB, steps: "10"}
nodes:
  a: {type: script, run: ls}
`,
    "2:16 invalid-quantity",
    "Add a currency: 5 USD.",
    "2:25 invalid-quantity",
    "Add a unit: 60s for seconds, 60m for minutes.",
    "2:37 invalid-quantity",
    "Write a whole number, or one with k or M: 1200, 500k, 2M.",
    "2:63 wrong-type",
    "Remove the quotes.",
  ],
  [
    `name: x
nodes:
  a:
    type: script
  run: ls
`,
    "4:5 missing-field",
    "Add `run:` (shell command; exit 0 is success).",
    "5:8 wrong-type",
    "`run` is a field of a node: indent it more than the name of the node.",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls}
  b: {type: script, run: ls}
  edges:
    - {from: a, to: b}
`,
    "6:5 wrong-type",
    "`edges` stands beside `nodes`: indent it less.",
  ],
  [
    `name: x
nodes:
  a:
`,
    "3:3 wrong-type",
    "",
  ],
  [
    `name: x
on:
  schedule: "0 * * * *"
nodes:
  a: {type: script, run: ls}
`,
    "2:1 no-pipeline",
    "Remove it: what starts a run calls `trammel run`, a scheduler or CI for instance.",
  ],
  [
    `name: x
flow: lint, test
`,
    "2:11 flow-syntax",
    "For example: flow: git-branch -> implement -> lint -> [fix-lint] -> (test & type-check) -> create-pr",
  ],
  [
    `name: x
flow: lint | test
`,
    "2:12 flow-syntax",
    "For example: flow: git-branch -> implement -> lint -> [fix-lint] -> (test & type-check) -> create-pr",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, env: {KEY: "\${{ secrets.KEY }}"}, secrets: {KEY: x}}
`,
    "3:42 near-reference",
    "A node is given the secrets that it names: secrets: [KEY]",
    "3:73 wrong-type",
    "Write secrets: [KEY]",
  ],
  [
    `name: x
nodes:
  a: {type: script, run: ls, output: JSON}
  b: {type: script, run: ls, outputs: {x: string}}
`,
    "2:1 no-entry",
    "Say what follows what, such as edges: [{from: a, to: b}], or name the first node with `entry:`.",
    "3:38 wrong-type",
    "A schema lists fields and their types: {verdict: \"enum[approve, reject]\", why: string}.",
    "4:30 unknown-field: did you mean `output`",
    "…",
  ],
];

function answer(text: string): readonly string[] {
  return toJson(check(text).diagnostics, "b.yaml", text).flatMap(({ line, column, code, message, hint }) => {
    const meant = /; (did you mean .+)\?$/.exec(message)?.[1];
    return [`${line}:${column} ${code}${meant === undefined ? "" : `: ${meant}`}`, (hint ?? "").length > 160 ? "…" : (hint ?? "")];
  });
}

test.each(mistakes)("%j", (text, ...told) => {
  expect(answer(text)).toEqual(told);
});
