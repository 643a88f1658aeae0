import { expect, test } from "vitest";
import type { Blueprint } from "../model/blueprint.ts";
import type { EventBody, JournalEvent } from "../model/events.ts";
import { zeroUsage } from "../model/usage.ts";
import { idleSpans } from "./idle.ts";

const owner = { pid: 1, startTime: "1", bootId: "b" };
const at = (node: string) => ({ node, pass: 1, attempt: 1 });
const begun = (node: string): EventBody => ({ type: "node.started", ...at(node), step: 1, from: [] });
const ended = (node: string): EventBody => ({ type: "node.ended", ...at(node), result: { outcome: "success" } });
const asked = (node: string): EventBody => ({
  type: "gate.opened",
  ...at(node),
  mode: "approval",
  prompt: "Go?",
  digest: "d",
});
const answered = (node: string): EventBody => ({
  type: "gate.answered",
  ...at(node),
  by: "ann",
  digest: "d",
  answer: true,
});
const started: EventBody = {
  type: "run.started",
  taskId: "t",
  task: "",
  blueprint: "b",
  contentHash: "c",
  bindingHash: "b",
  inputs: {},
  cwd: "/w",
  owner,
};
const halted: EventBody = { type: "run.finished", status: "escalated", walkedPast: [], usage: zeroUsage };

/** One event at each second; idle from and to which. */
function idle(...bodies: readonly EventBody[]): readonly (readonly [number, number])[] {
  const events = bodies.map((body, n): JournalEvent => ({ run: "r", seq: n + 1, at: n * 1000, hash: "", body }));
  const nodes = ["script", "human", "agent", "call"].map((type) => [type, { id: type, type }] as const);
  // Nothing else is looked at.
  const blueprint = { nodes: new Map(nodes) } as unknown as Blueprint;
  return idleSpans(events, blueprint).map(({ from, to }) => [from / 1000, to / 1000]);
}

test.each<[string, readonly EventBody[], readonly (readonly [number, number])[]]>([
  [
    "before its first node and between nodes",
    [started, begun("script"), ended("script"), begun("human")],
    [
      [0, 1],
      [2, 3],
    ],
  ],
  ["while only a person is waited for", [begun("human"), asked("human"), answered("human"), ended("human")], [[1, 2]]],
  ["not while a node is at work beside", [begun("human"), begun("script"), asked("human"), answered("human")], []],
  ["not while an agent asks", [begun("agent"), asked("agent"), answered("agent")], []],
  [
    "not while others wait inside a call",
    [begun("call"), { type: "node.waiting", ...at("call"), waits: true }, ended("call")],
    [],
  ],
  [
    "from a halt until it goes on",
    [begun("script"), ended("script"), halted, { type: "run.resumed", owner }, begun("script")],
    [[1, 4]],
  ],
  ["not after a crash in a node", [begun("script"), { type: "run.resumed", owner }, begun("human")], []],
  ["until its end, not after", [begun("script"), ended("script"), { ...halted, status: "succeeded" }], [[1, 2]]],
])("a run is idle %s", (_, bodies, spans) => {
  expect(idle(...bodies)).toEqual(spans);
});
