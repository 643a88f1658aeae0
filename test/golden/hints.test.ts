import { expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { setting } from "./setting.ts";

const head = "name: example\nentry: a\nnodes:\n";

test.each([
  ["  a: { type: script, run: echo {x} }", "Put the whole value into quotes."],
  ["  a: { type: script, run: echo [x] now }", "Put the whole value into quotes."],
  [
    "  a: {type: script, run: ls}\n  lnit: {cap: 3}",
    "To change the stock node, write `lint`; for one of your own, add `type:` `agent`, `agent_sandbox`, `call`, `checkout`, `code`, `decide`, `exec`, `human`, `map`, `provision`, `script`, `tool` or `wait`.",
  ],
  ['  a: {type: agent, prompt: Mend it, model: "{task}"}', "Write the text itself: it is the same in every run."],
  ["  a: {type: wait, for: 0s}", "Write at least 1ms."],
  ['  a: {type: wait, until: "2026-02-30T00:00:00Z"}', "That month has 28 days."],
  ["  a: {type: agent, prompt: Mend it, stdin: x}", "Put the reference into `prompt`."],
  ["  a: { type: script run: ls }", "Put a comma between the entries, or the value into quotes if it holds a colon."],
  [
    '  a: {type: human, mode: approval, prompt: "Ship?"}\nedges:\n  - {from: a, when: yes, to: END}',
    "It can be `success`, `failure` or `error`; a yes is `success`, a no `failure`.",
  ],
  [
    '  a: {type: script, run: ls}\ninputs: {base-dir: string}\nworkspace: {isolate: worktree, setup: "cd {inputs.base-dir}"}',
    'It finds inputs in its environment: write "$TRAMMEL_INPUT_BASE_DIR".',
  ],
  [
    '  a: {type: script, run: ls}\nworkspace: {isolate: worktree, setup: "cd {a.stdout}"}',
    "It runs before the first node, so no node has said anything: do it in a node instead.",
  ],
  [
    '  a: {type: script, run: wc -l}\noutputs: {lines: {type: integer, from: "{a}"}}',
    "Give node `a`, which says text, an `output` of `integer`.",
  ],
])("%s is answered with what to write instead", (text, hint) => {
  expect(check(`${head}${text}\n`, setting).diagnostics[0]?.hint).toBe(hint);
});
