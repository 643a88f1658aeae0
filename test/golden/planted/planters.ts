import type { Code } from "../../../src/language/codes.ts";

/**
 * One fault of a document, in nodes of its own. `⟦` and `⟧` stand around what the problem points at; `@` is a prefix
 * that no other planter's names share. The first node of `starts` (or all of it) follows the entry of the document.
 */
export interface Planter {
  readonly code: Code;
  readonly nodes: string;
  readonly edges?: readonly string[];
  readonly starts?: readonly string[];
  /** Lines of `inputs`. */
  readonly inputs?: readonly string[];
  /** While this fault is there it is not known what lies on a path. */
  readonly hidesPaths?: true;
  /** It is about what lies on a path. */
  readonly needsPaths?: true;
}

const script = "{type: script, run: npm test}";
const agent = "{type: agent, prompt: Mend it}";

export const planters: readonly Planter[] = [
  { code: "unknown-field", nodes: "@: {type: script, run: npm test, ⟦tiemout⟧: 5m}" },
  { code: "missing-field", nodes: "@: {⟦type⟧: script, shell: bash}" },
  { code: "wrong-type", nodes: "@: {type: script, run: npm test, secrets: ⟦TOKEN⟧}" },
  { code: "invalid-value", nodes: "@: {type: script, run: npm test, cap: ⟦0⟧}" },
  { code: "invalid-quantity", nodes: "@: {type: script, run: npm test, timeout: ⟦5⟧}" },
  { code: "invalid-name", nodes: `⟦@.dotted⟧: ${script}`, starts: ["@.dotted"] },
  { code: "reserved-name", nodes: `⟦item⟧: ${script}`, starts: ["item"] },
  { code: "unquoted-reference", nodes: "@: {type: agent, prompt: ⟦{task}⟧}" },
  { code: "unknown-type", nodes: "@: {type: ⟦scritp⟧, run: npm test}" },
  { code: "value-in-env", nodes: "@: {type: provision, image: debian:12, network: none, env: [⟦TOKEN⟧=x]}" },
  { code: "invalid-schema", nodes: "@: {type: script, run: npm test, output: {passed: ⟦bolean⟧}}" },
  { code: "duplicate-key", nodes: "@: {type: script, run: npm test, ⟦run⟧: npm ci}" },
  { code: "unknown-tag", nodes: "@: {type: script, note: ⟦!mine⟧ text, run: npm test}" },
  {
    code: "two-forms",
    nodes: "@: {type: script, run: npm test, ⟦next⟧: {success: END}}",
    edges: ["{from: @, when: failure, to: END, as: failed}"],
  },

  {
    code: "unknown-node",
    nodes: `@: ${script}\n@_mender: ${agent}`,
    edges: ["{from: @, when: success, to: ⟦@_mendre⟧}"],
  },
  {
    code: "unknown-outcome",
    nodes: `@: ${script}\n@_next: ${agent}`,
    edges: ["{from: @, when: ⟦succes⟧, to: @_next}"],
  },
  { code: "edge-from-end", nodes: `@: ${script}`, edges: ["{from: ⟦END⟧, to: @}"], hidesPaths: true },
  { code: "no-entry", nodes: `@: ${script}`, hidesPaths: true },
  {
    code: "mixed-edges",
    nodes: `@: ${script}\n@_b: ${script}\n@_c: ${script}`,
    edges: ["{from: @, to: ⟦@_b⟧}", "{from: @, when: success, to: @_c}"],
  },
  {
    code: "duplicate-edge",
    nodes: `@: ${script}\n@_b: ${script}`,
    edges: ["{from: @, when: success, to: @_b}", "{from: @, when: success, to: ⟦@_b⟧}"],
  },
  { code: "dead-route", nodes: "@: {type: wait, for: 5m}", edges: ["{from: @, when: ⟦failure⟧, to: END, as: failed}"] },
  { code: "failure-swallowed", nodes: `@: ${script}\n@_b: ${script}`, edges: ["{from: @, when: failure, to: ⟦@_b⟧}"] },
  {
    code: "option-without-edge",
    nodes: `@: {type: human, mode: choice, prompt: Which?, options: [one, ⟦two⟧]}\n@_b: ${script}`,
    edges: ["{from: @, when: one, to: @_b}"],
  },
  { code: "only-unconditional", nodes: `⟦@⟧: ${script}\n@_b: ${script}`, edges: ["{from: @, to: @_b}"] },
  { code: "join-unmet", nodes: "@: {type: script, run: npm test, join: ⟦2⟧}" },

  { code: "unreachable-node", nodes: `⟦@⟧: ${script}`, starts: [], needsPaths: true },
  {
    code: "loop-without-bound",
    nodes: `⟦@⟧: ${script}\n@_b: ${script}`,
    edges: ["{from: @, when: failure, to: @_b}", "{from: @_b, when: success, to: @}"],
    needsPaths: true,
  },
  {
    code: "loop-with-two-entries",
    nodes: `⟦@⟧: ${agent}\n@_b: ${agent}`,
    edges: ["{from: @, when: success, to: @_b}", "{from: @_b, when: success, to: @}"],
    starts: ["@", "@_b"],
    needsPaths: true,
  },
  {
    code: "parallel-reference",
    nodes: `@: ${script}\n@_b: {type: agent, prompt: "Mend ⟦{@}⟧"}`,
    starts: ["@", "@_b"],
    needsPaths: true,
  },
  {
    code: "dead-reference",
    nodes: `@: {type: agent, prompt: "Mend ⟦{@_b}⟧"}\n@_b: ${script}`,
    edges: ["{from: @, when: success, to: @_b}"],
    needsPaths: true,
  },
  {
    code: "container-not-ready",
    nodes: `@: {type: exec, container: "⟦{@_box}⟧", run: npm test}\n@_box: {type: provision, image: debian:12, network: none}`,
    edges: ["{from: @, when: success, to: @_box}"],
    needsPaths: true,
  },
  {
    code: "value-not-ready",
    nodes:
      '@: {type: map, over: "⟦{@_list}⟧", do: {type: script, run: npm test, stdin: "{item}"}}\n@_list: {type: script, run: ls, output: lines}',
    edges: ["{from: @, when: success, to: @_list}"],
    needsPaths: true,
  },
  {
    code: "gate-bypass",
    nodes: `@: ${agent}\n@_check: ${script}\n@_gate: {type: human, mode: approval, prompt: Ship it?}\n@_again: ${agent}`,
    edges: [
      "{from: @, when: success, to: @_check}",
      "{from: @_check, when: success, to: @_gate}",
      "{from: @_gate, when: failure, to: @_again}",
      "{from: @_again, when: success, to: ⟦@_gate⟧}",
    ],
    needsPaths: true,
  },

  { code: "unknown-reference", nodes: '@: {type: agent, prompt: "Mend ⟦{nothing_of_the_kind}⟧"}' },
  { code: "near-reference", nodes: '@: {type: agent, prompt: "Mend ⟦{{task}}⟧"}' },
  {
    code: "decide-by",
    nodes: '@: {type: decide, question: "What is it?", about: "{task}", options: [bug, feature], by: ⟦[rules]⟧}',
  },
  { code: "bad-call", nodes: "@: {type: call, blueprint: lib/greet.yaml, with: {who: x, ⟦levle⟧: 1}}" },
  { code: "changed-callee", nodes: "@: {type: call, blueprint: ⟦lib/changed.yaml⟧}" },
  { code: "unpinned-call", nodes: "@: {type: call, blueprint: ⟦lib/loose.yaml⟧}" },
  {
    code: "tainted-value",
    nodes: `@: ${agent}\n@_ask: {type: human, prompt: "⟦{@}⟧"}`,
    edges: ["{from: @, when: success, to: @_ask}"],
  },
  { code: "reference-in-run", nodes: '@: {type: script, run: "echo ⟦{task}⟧"}' },
  {
    code: "braces-in-run",
    nodes: `@: ${script}\n@_b: {type: script, run: "echo ⟦{@}⟧"}`,
    edges: ["{from: @, when: success, to: @_b}"],
  },
  { code: "cannot-fail", nodes: "@: {type: script, run: npm test ⟦|| true⟧}" },
  { code: "pipe-hides-failure", nodes: "@: {type: script, run: ⟦npm test |⟧ tee log}" },
  { code: "crlf-in-run", nodes: String.raw`@: {type: script, run: ⟦"npm test\r\n"⟧}` },
  { code: "reads-own-state", nodes: "@: {type: script, run: ls ~/⟦.config/trammel⟧}" },

  { code: "cap-above-stock", nodes: "@: {type: fix-lint, cap: ⟦9⟧}" },
  { code: "human-mode", nodes: "@: {type: human, prompt: Which?, mode: ⟦choice⟧}" },
  { code: "field-without-effect", nodes: '@: {type: agent, prompt: Mend it, ⟦stdin⟧: "{task}"}' },
  { code: "bad-network", nodes: "@: {type: provision, image: host, network: ⟦bridge⟧}" },
  { code: "default-network", nodes: "@: {type: provision, image: ⟦debian:12⟧}" },
  { code: "bad-container", nodes: "@: {type: exec, container: ⟦mybox⟧, run: npm test}" },
  { code: "unknown-tool", nodes: "@: {type: tool, tool: ⟦raed⟧}" },
  { code: "input-collision", nodes: `@: ${script}`, inputs: ["a-b: string", "⟦a_b⟧: string"] },
];
