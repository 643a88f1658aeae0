import { expect, it } from "vitest";
import type { EventBody, JournalEvent } from "../model/events.ts";
import { openGates } from "./open-gates.ts";

const at = { node: "a", pass: 1, attempt: 1 } as const;
const opened: EventBody = { type: "gate.opened", ...at, mode: "approval", prompt: "Go?", digest: "d1" };

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
