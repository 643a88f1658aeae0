import { expect, test } from "vitest";
import type { HumanNode, Node } from "../../model/node.ts";
import type { GateAnswered } from "../../model/gate-events.ts";
import type { Answer, GateKeeper, Question } from "../../ports/gate.ts";
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
  const gate = gateOf(ship, first, silent, "ship", () => 0, undefined, approvals);
  expect(gate?.opened("law now", { of: "law" })).toBe(true);
  expect(gate?.give(given("bob", "law now"), null)).toBe(false);
  expect(gate?.give(given("ann", "law now"), null)).toBe(true);
  expect(gate?.opened("money now", { of: "money" })).toBe(true);
  expect(gate?.give(given("ann", "money now"), null)).toBe(false);
  expect(gate?.give(given("bob", "money now"), null)).toBe(true);
});

test("an answer after the time of the gate is late, also one that is typed here, though no timer has said so", async () => {
  const typed = Promise.withResolvers<Answer>();
  let now = 0;
  const late = gateOf(
    asked("law", "ann"),
    { ...first, node: "law" },
    { ask: () => typed.promise },
    "law",
    () => now,
    undefined,
  );
  expect(late?.opened("d", { until: 1_000 })).toBe(true);
  const answer = late?.keeper.ask({} as Question, new AbortController().signal);
  expect(late?.waits).toBe(true);
  now = 1_000;
  // Nobody is waited for any more, so that its run goes on and is not parked.
  expect(late?.waits).toBe(false);
  expect(late?.give({ ...given("ann", "d"), node: "law" }, null)).toBe(false);
  typed.resolve({ kind: "approved", by: "ann" });
  expect(await answer).toEqual({ kind: "nobody" });
});

test("an answer that was recorded in time stands, whenever it is read back", async () => {
  const recorded = { ...given("ann", "d"), node: "law" };
  const gate = gateOf(asked("law", "ann"), { ...first, node: "law" }, silent, "law", () => 2_000, recorded);
  expect(gate?.opened("d", { until: 1_000 })).toBe(false);
  expect(await gate?.keeper.ask({} as Question, new AbortController().signal)).toEqual({ kind: "approved", by: "ann" });
});
