import { expect, test } from "vitest";
import type { HumanNode } from "../model/node.ts";
import type { ActionContext } from "../ports/performer.ts";
import { questionOf } from "./question.ts";

const gate = (id: string): HumanNode => ({
  id,
  type: "human",
  mode: "approval",
  prompt: { source: "ship?", parts: [{ text: "ship?" }] },
});
const ship = { id: "ship", type: "script", run: "true" };
const context = {
  run: "r",
  blueprint: {
    nodes: new Map([["ship", ship]]),
    edges: ["a", "b"].map((from) => ({ from, to: "ship", when: "success" })),
  },
  values: { text: (template: { readonly source: string }) => Promise.resolve(template.source) },
} as unknown as ActionContext;

const mask = (text: string): string => text.replaceAll("hush", "***");

async function digest(id: string, pass: number): Promise<string> {
  return (await questionOf(context, gate(id), pass, { treeOf: () => Promise.resolve("tree"), mask })).digest;
}

test("gates that ask the same before the same node, and passes of one gate, share no digest", async () => {
  const digests = await Promise.all([digest("a", 1), digest("b", 1), digest("a", 2)]);
  expect(new Set(digests).size).toBe(3);
  expect(await digest("a", 1)).toBe(digests[0]);
});

test("a sensitive input that is asked about is neither shown nor part of what is recorded", async () => {
  const showing = { treeOf: () => Promise.resolve("tree"), mask };
  const asked = (said: string) => {
    const text = { source: said, parts: [{ text: said }] };
    return questionOf(context, { ...gate("a"), prompt: text, show: [text] }, 1, showing);
  };
  const { question, over } = await asked("use hush?");
  expect([question.prompt, question.evidence]).toEqual(["use ***?", ["use ***?"]]);
  expect(over).toEqual((await asked("use ***?")).over);
});

test("what is done after waits is approved with the tree, and nothing where only waits and gates follow", async () => {
  const nodes = new Map<string, object>([
    ["ship", ship],
    ...["hour", "day"].map((id) => [id, { id, type: "wait", forMs: 1 }] as const),
    ["b", gate("b")],
  ]);
  const over = async (...edges: readonly (readonly [string, string])[]) => {
    const blueprint = { nodes, edges: edges.map(([from, to]) => ({ from, to, when: "success" })) };
    const showing = { treeOf: () => Promise.resolve("tree"), mask };
    return (await questionOf({ ...context, blueprint } as unknown as ActionContext, gate("a"), 1, showing)).over;
  };
  const straight = await over(["a", "ship"]);
  expect(straight.tree).toBe("tree");
  expect(await over(["a", "hour"], ["hour", "day"], ["day", "ship"], ["day", "hour"])).toEqual(straight);
  expect(await over(["a", "hour"], ["hour", "b"], ["b", "ship"])).not.toHaveProperty("tree");
});
