import { describe, expect, test } from "vitest";
import type { HumanNode } from "../../model/node.ts";
import type { Json } from "../../model/json.ts";
import { isDecision } from "./decision.ts";

function takes(node: Partial<HumanNode>, answer: Json, by = "Ada"): boolean {
  const gate: HumanNode = { id: "ask", type: "human", mode: "approval", prompt: { source: "", parts: [] }, ...node };
  return isDecision(gate, { type: "gate.answered", node: "ask", pass: 1, attempt: 1, digest: "d", by, answer });
}

const options = [{ id: "red" }, { id: "blue" }];

describe("a gate takes", () => {
  test.each<[Partial<HumanNode>, Json]>([
    [{ mode: "approval" }, true],
    [{ mode: "approval" }, false],
    [{ mode: "approval", approvers: ["Bob", "Ada"] }, true],
    [{ mode: "choice", options }, "blue"],
    [{ mode: "input" }, "no"],
    [{ mode: "form" }, { name: "x" }],
  ])("%j: %j", (node, answer) => expect(takes(node, answer)).toBe(true));
});

describe("a gate does not take", () => {
  test.each<[Partial<HumanNode>, Json]>([
    [{ mode: "approval" }, "no"],
    [{ mode: "approval" }, "yes"],
    [{ mode: "approval" }, {}],
    [{ mode: "approval" }, null],
    [{ mode: "approval", approvers: ["Bob"] }, true],
    [{ mode: "choice", options }, "green"],
    [{ mode: "choice", options }, true],
    [{ mode: "input" }, true],
    [{ mode: "form" }, "name"],
    [{ mode: "form" }, ["name"]],
    [{ mode: "form" }, null],
  ])("%j: %j", (node, answer) => expect(takes(node, answer)).toBe(false));
});
