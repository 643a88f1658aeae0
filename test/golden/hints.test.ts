import { expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { setting } from "./setting.ts";

const head = "name: example\nentry: a\nnodes:\n";

test.each([
  ["  a: { type: script, run: echo {x} }", "Put the whole value into quotes."],
  ["  a: { type: script, run: echo [x] now }", "Put the whole value into quotes."],
  ["  a: { type: script run: ls }", "Put a comma between the entries, or the value into quotes if it holds a colon."],
  [
    '  a: {type: human, mode: approval, prompt: "Ship?"}\nedges:\n  - {from: a, when: yes, to: END}',
    "It can be `success`, `failure` or `error`; a yes is `success`, a no `failure`.",
  ],
])("%s is answered with what to write instead", (text, hint) => {
  expect(check(`${head}${text}\n`, setting).diagnostics[0]?.hint).toBe(hint);
});
