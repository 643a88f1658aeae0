import { expect, it } from "vitest";
import type { HumanNode, Node } from "../model/node.ts";
import type { EventBody, JournalEvent } from "../model/events.ts";
import { askedOf, openGates } from "./open-gates.ts";

const at = { node: "a", pass: 1, attempt: 1 } as const;
const opened = { type: "gate.opened", ...at, mode: "approval", prompt: "Go?", digest: "d1" } as const;

function gates(...bodies: readonly EventBody[]) {
  const events: JournalEvent[] = bodies.map((body, n) => ({ run: "r", seq: n + 1, at: n, hash: "", body }));
  return openGates(events).map(({ gate, since }) => [gate.node, gate.digest, since]);
}

it("holds a gate open until it is answered, ended, or the run is over", () => {
  expect(gates(opened)).toEqual([["a", "d1", 0]]);
  expect(gates(opened, { type: "gate.answered", ...at, by: "ann", digest: "d1", answer: true })).toEqual([]);
  expect(gates(opened, { type: "node.ended", ...at, result: { outcome: "cancelled" } })).toEqual([]);
  const usage = { inputTokens: 0, outputTokens: 0, turns: 0 };
  expect(gates(opened, { type: "run.finished", status: "stopped", walkedPast: [], usage })).toEqual([]);
  expect(gates(opened, { ...opened, attempt: 2, digest: "d2" })).toEqual([["a", "d2", 1]]);
});

it("holds no gate open for an attempt that is over, or that has begun without a second yes", () => {
  const lost = (code: "crash" | "taken_up"): EventBody => ({
    type: "node.unconfirmed",
    ...at,
    reason: { code, text: "" },
  });
  expect(gates(opened, lost("crash"))).toEqual([]);
  expect(gates(opened, lost("taken_up"))).toEqual([["a", "d1", 0]]);
  expect(gates(opened, { type: "node.retrying", ...at, result: { outcome: "error" }, delayMs: 1 })).toEqual([]);
  const begun: EventBody = { type: "agent.progressed", ...at, event: { type: "text", text: "…" } };
  expect(gates({ ...opened, of: "ask" }, lost("taken_up"), begun)).toEqual([]);
  // An agent that asks for leave is at work meanwhile.
  expect(gates(opened, begun)).toEqual([["a", "d1", 0]]);
});

it("knows whose question stands at a node that a gate before it is asked for again, so that its approvers decide", () => {
  const prompt = { source: "Go?", parts: [{ text: "Go?" }] };
  const ask: HumanNode = { id: "ask", type: "human", mode: "approval", prompt, approvers: ["ann"] };
  const ship: Node = { id: "a", type: "script", run: "true" };
  const nodes = new Map<string, Node>([ask, ship].map((node) => [node.id, node]));
  expect(askedOf({ nodes }, { ...opened, node: "ask" })?.approvers).toEqual(["ann"]);
  expect(askedOf({ nodes }, { ...opened, of: "ask" })?.approvers).toEqual(["ann"]);
  expect(askedOf({ nodes }, opened)).toBeUndefined();
});
