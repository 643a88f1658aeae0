import { expect, test } from "vitest";
import type { HumanNode, Node } from "../model/blueprint.ts";
import type { GateAnswered } from "../model/events.ts";
import type { GateKeeper } from "../ports/gate.ts";
import { gateOf } from "./gates.ts";

const asked = (id: string, approver: string): HumanNode => ({
  id,
  type: "human",
  mode: "approval",
  prompt: { source: "Ship?", parts: [{ text: "Ship?" }] },
  approvers: [approver],
});
const approvals = [
  { gate: asked("law", "ann"), pass: 1, digest: "1" },
  { gate: asked("money", "bob"), pass: 1, digest: "2" },
];
const first = { node: "ship", pass: 1, attempt: 1 };
const given = (by: string, digest: string): GateAnswered => ({
  type: "gate.answered",
  ...first,
  by,
  digest,
  answer: true,
});
const silent: GateKeeper = { ask: () => new Promise(() => undefined) };

test("a gate that is asked again takes the answer of its own approvers, not of those of another before the same node", () => {
  const ship: Node = { id: "ship", type: "script", run: "true" };
  const gate = gateOf(ship, first, silent, "ship", undefined, approvals);
  expect(gate?.opened("law now", "law")).toBe(true);
  expect(gate?.give(given("bob", "law now"), null)).toBe(false);
  expect(gate?.give(given("ann", "law now"), null)).toBe(true);
  expect(gate?.opened("money now", "money")).toBe(true);
  expect(gate?.give(given("ann", "money now"), null)).toBe(false);
  expect(gate?.give(given("bob", "money now"), null)).toBe(true);
});
