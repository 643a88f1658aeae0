import { describe, expect, test } from "vitest";
import type { NodeTypePlugin } from "../language/plugin-node.ts";
import { classOf } from "../model/node.ts";
import { canonical } from "../language/canonical.ts";
import { check } from "./check.ts";

const notify: NodeTypePlugin = {
  type: "notify",
  class: "deterministic",
  fields: {
    channel: { type: { kind: "string" }, required: true, description: "Where to say it." },
    level: { type: { kind: "enum", values: ["info", "alarm"] }, description: "How loud." },
    tags: { type: { kind: "list", of: { kind: "string" } }, description: "For filters." },
  },
};
const review: NodeTypePlugin = { type: "review", class: "agentic", fields: {} };

function problems(node: string): readonly string[] {
  const text = `name: t\nentry: a\nnodes:\n  a: ${node}\n`;
  return check(text, { plugins: [notify, review] }).diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

function nodeOf(node: string) {
  const { blueprint } = check(`name: t\nentry: a\nnodes:\n  a: ${node}\n`, { plugins: [notify, review] });
  return blueprint?.nodes.get("a");
}

describe("a node type from outside", () => {
  test("is read with its own fields and the common ones", () => {
    expect(nodeOf("{type: notify, channel: ops, tags: [a], timeout: 5s, env: {A: '{task}'}}")).toMatchObject({
      type: "plugin",
      plugin: "notify",
      fields: { channel: "ops", tags: ["a"] },
      timeoutMs: 5_000,
      env: { A: { source: "{task}" } },
    });
  });

  test("has the references of fields that take some, which are no other content for it", () => {
    const text = "name: t\nentry: a\nnodes:\n  a: {type: notify, channel: '{task}', tags: ['{task}']}\n";
    const channel = { ...notify.fields["channel"], references: true } as NodeTypePlugin["fields"][string];
    const filling = { ...notify, fields: { ...notify.fields, channel } };
    const [filled, plain] = [filling, notify].map((plugin) => check(text, { plugins: [plugin] }).blueprint);
    if (filled === undefined || filled === null || plain === undefined || plain === null) throw new Error("refused");
    expect(filled.nodes.get("a")).toMatchObject({ templates: { channel: { kind: "template" } } });
    expect(filled.nodes.get("a")).not.toHaveProperty("templates.tags");
    expect(canonical(filled)).toBe(canonical(plain));
    const unknown = check(text.replace("{task}", "{tsk}"), { plugins: [filling] });
    expect(unknown.diagnostics.map(({ code }) => code)).toEqual(["unknown-reference"]);
  });

  test("has closed, typed and required fields like a built-in one", () => {
    expect(problems("{type: notify, chanel: ops, level: loud}")).toEqual([
      "unknown-field: `chanel` is no field of notify node `a`; did you mean `channel`?",
      "wrong-type: `level` of notify node `a` must be `enum[info, alarm]`, not the text `loud`",
    ]);
  });

  test("is unknown where nobody brings it", () => {
    const { diagnostics } = check("name: t\nentry: a\nnodes:\n  a: {type: notify, channel: ops}\n");
    expect(diagnostics).toMatchObject([{ code: "unknown-type" }]);
  });

  test("is capped like an agent when it is agentic", () => {
    const node = nodeOf("{type: review, cap: 2}");
    expect(node && classOf(node)).toBe("agentic");
    expect(nodeOf("{type: notify, channel: ops}")).not.toHaveProperty("agentic");
  });
});
