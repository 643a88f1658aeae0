import { expect, test } from "vitest";
import { check } from "../check/check.ts";
import type { EventBody, ParentLink } from "../model/events.ts";
import { catalogOf } from "./catalog.ts";
import { OpenAttempts } from "./open-attempts.ts";

const { blueprint } = check(`name: open
entry: work
nodes:
  work: { type: script, run: "true", output: json }
  pause: { type: wait, for: 3d }
  each: { type: map, over: "{work}", do: { entry: rest, nodes: { rest: { type: wait, for: 1d }, act: { type: script, run: "true" } }, edges: [{ from: rest, to: act }] } }
edges: [{ from: work, when: success, to: pause }, { from: pause, to: each }]
`);
if (blueprint === null) throw new Error("the blueprint is sound");
const nodes = catalogOf(blueprint, new Map());
const top = (): undefined => undefined;
const inside = (): ParentLink => ({ run: "r", node: "each", pass: 1, item: 0, blueprint: "open", path: "each[0]/" });

function started(node: string): EventBody {
  return { type: "node.started", node, pass: 1, attempt: 1, step: 1, from: [] };
}

function ended(node: string): EventBody {
  return { type: "node.ended", node, pass: 1, attempt: 1, result: { outcome: "success" } };
}

test("a step is work until it is over, a wait is none", () => {
  const open = new OpenAttempts(nodes);
  expect(open.isAnyAtWork()).toBe(false);
  open.note("r", top, [started("work")]);
  expect(open.isAnyAtWork()).toBe(true);
  open.note("r", top, [ended("work"), started("pause")]);
  expect(open.isAnyAtWork()).toBe(false);
});

test("what holds other nodes is work while none of them is open", () => {
  const open = new OpenAttempts(nodes);
  open.note("r", top, [started("each")]);
  expect(open.isAnyAtWork()).toBe(true);
  open.note("i", inside, [started("rest")]);
  expect(open.isAnyAtWork()).toBe(false);
  open.note("i", inside, [ended("rest"), started("act")]);
  expect(open.isAnyAtWork()).toBe(true);
  open.note("i", inside, [ended("act"), { type: "run.finished", status: "succeeded", walkedPast: [], usage }]);
  expect(open.isAnyAtWork()).toBe(true);
  open.note("r", top, [ended("each")]);
  expect(open.isAnyAtWork()).toBe(false);
});

test("a pause before a retry is none, and nothing is open after the end", () => {
  const open = new OpenAttempts(nodes);
  const result = { outcome: "error" } as const;
  open.note("r", top, [
    started("work"),
    { type: "node.retrying", node: "work", pass: 1, attempt: 1, result, delayMs: 250 },
  ]);
  expect(open.isAnyAtWork()).toBe(false);
  open.note("r", top, [started("work"), { type: "run.finished", status: "stopped", walkedPast: [], usage }]);
  expect(open.isAnyAtWork()).toBe(false);
});

const usage = { inputTokens: 0, outputTokens: 0, turns: 0 };
