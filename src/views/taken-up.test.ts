import { expect, test } from "vitest";
import type { EventBody } from "../model/events.ts";
import { emptyView, fold } from "./fold.ts";
import { attemptsAsTold, TakenUp } from "./taken-up.ts";

const at = (node: string, attempt: number) => ({ node, pass: 1, attempt });
const asking = { type: "gate.opened", mode: "approval", prompt: "Ship?", digest: "d" } as const;
const opened = (attempt: number): EventBody => ({ ...asking, ...at("ask", attempt) });
const unconfirmed = (node: string, attempt: number, code: "crash" | "taken_up"): EventBody => ({
  type: "node.unconfirmed",
  reason: { code, text: "…" },
  ...at(node, attempt),
});
const again = (node: string, attempt: number, by = "engine"): EventBody => ({
  type: "node.settled",
  as: "again",
  by,
  ...at(node, attempt),
});
const started = (node: string, attempt: number): EventBody => ({
  type: "node.started",
  step: 1,
  from: [],
  ...at(node, attempt),
});
const waits = (attempt: number): EventBody => ({ type: "node.waiting", waits: true, ...at("call", attempt) });

function told(...events: readonly EventBody[]): readonly EventBody[] {
  const taken = new TakenUp();
  return events.flatMap((event) => taken.told(event) ?? []);
}

test("a gate that waited on is told as it was, and what a second process took up too", () => {
  const over = [unconfirmed("ask", 2, "taken_up"), again("ask", 2), started("ask", 3), opened(3)];
  expect(told(opened(1), unconfirmed("ask", 1, "taken_up"), again("ask", 1), started("ask", 2), opened(2))).toEqual([
    opened(1),
    opened(1),
  ]);
  expect(told(...over)).toEqual([opened(1)]);
});

test("that what goes on inside waits is told when it begins to, not because it was taken up", () => {
  const over = [unconfirmed("call", 1, "taken_up"), again("call", 1), started("call", 2)];
  expect(told(waits(1), ...over, waits(2), waits(2))).toEqual([waits(1), waits(1)]);
});

test("an outcome that nobody knows, and what a person decides about it, is told", () => {
  const events = [unconfirmed("a", 1, "crash"), again("a", 1, "ann"), started("a", 2)];
  expect(told(...events)).toEqual(events);
  const settled = again("ask", 1, "ann");
  expect(told(unconfirmed("ask", 1, "taken_up"), settled)).toEqual([settled]);
});

const failed = { outcome: "error", reason: { code: "sandbox", text: "…" } } as const;

test("a retry keeps its number when it is taken up, and one that follows is told", () => {
  const retried = (attempt: number): EventBody => ({
    type: "node.retrying",
    result: failed,
    delayMs: 1,
    ...at("call", attempt),
  });
  const over = [unconfirmed("call", 2, "taken_up"), again("call", 2), started("call", 3)];
  expect(
    told(started("call", 1), retried(1), started("call", 2), ...over, retried(3), started("call", 4), waits(4)),
  ).toEqual([started("call", 1), retried(1), started("call", 2), retried(2), started("call", 3), waits(3)]);
});

test("of a pass that ended nothing is carried over to the next", () => {
  const next: EventBody = { type: "node.started", step: 1, from: [], node: "call", pass: 2, attempt: 1 };
  expect(told(unconfirmed("call", 1, "taken_up"), again("call", 1), started("call", 2), next)).toEqual([next]);
});

test("attempts that were handed over are one with that which goes on, since when the first began", () => {
  const ended: EventBody = { type: "node.ended", result: { outcome: "failure" }, ...at("ask", 3) };
  const view = emptyView("r", null);
  const shown = (...bodies: readonly EventBody[]): readonly (readonly unknown[])[] => {
    for (const body of bodies) fold(view, { run: "r", seq: (seq += 1), at: seq * 10, hash: "", body });
    return attemptsAsTold(view.nodes.get("ask")?.attempts ?? []).map((one) => [one.n, one.outcome, one.startedAt]);
  };
  let seq = 0;
  const handed = (attempt: number): readonly EventBody[] => [
    unconfirmed("ask", attempt, "taken_up"),
    again("ask", attempt),
  ];
  expect(shown(started("ask", 1), ...handed(1))).toEqual([[1, "unconfirmed", 10]]);
  expect(shown(started("ask", 2), ...handed(2), started("ask", 3))).toEqual([[1, null, 10]]);
  expect(shown(ended, started("ask", 4), unconfirmed("ask", 4, "crash"))).toEqual([
    [1, "failure", 10],
    [2, "unconfirmed", 90],
  ]);
});

test("who answered before an attempt was handed over is told with who answered after", () => {
  const view = emptyView("r", null);
  const asked = (attempt: number, of: string): EventBody => ({ ...asking, ...at("ship", attempt), of });
  const answered = (attempt: number, by: string): EventBody => ({
    type: "gate.answered",
    by,
    digest: "d",
    answer: true,
    ...at("ship", attempt),
  });
  const first = [started("ship", 1), asked(1, "ask"), answered(1, "ann"), asked(1, "pay")];
  const over = [unconfirmed("ship", 1, "taken_up"), again("ship", 1)];
  const second = [started("ship", 2), asked(2, "pay"), answered(2, "bob")];
  for (const [n, body] of [...first, ...over, ...second].entries())
    fold(view, { run: "r", seq: n + 1, at: n, hash: "", body });
  const [told, ...more] = attemptsAsTold(view.nodes.get("ship")?.attempts ?? []);
  expect(told?.answers.map(({ gate, by }) => [gate, by])).toEqual([
    ["ask", "ann"],
    ["pay", "bob"],
  ]);
  expect(more).toEqual([]);
});
