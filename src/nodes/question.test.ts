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

async function digest(id: string, pass: number): Promise<string> {
  return (await questionOf(context, gate(id), pass, () => Promise.resolve("tree"))).digest;
}

test("gates that ask the same before the same node, and passes of one gate, share no digest", async () => {
  const digests = await Promise.all([digest("a", 1), digest("b", 1), digest("a", 2)]);
  expect(new Set(digests).size).toBe(3);
  expect(await digest("a", 1)).toBe(digests[0]);
});
