import { expect, test } from "vitest";
import { check } from "../../check/check.ts";
import type { Blueprint } from "../../model/blueprint.ts";
import type { EventBody, RunStarted } from "../../model/events.ts";
import { Nodes } from "./nodes.ts";

function blueprintOf(text: string): Blueprint {
  const { blueprint } = check(text, {});
  if (blueprint === null) throw new Error("the checker refuses it");
  return blueprint;
}

const blueprint = blueprintOf(`name: gated
entry: ask
nodes:
  ask: {type: human, mode: approval, prompt: "ship?"}
  ship: {type: script, run: "true"}
edges:
  - {from: ask, when: success, to: ship}
  - {from: ship, to: END}
`);

const first = { pass: 1, attempt: 1 };
const approved: readonly EventBody[] = [
  { type: "node.started", node: "ask", ...first, step: 1, from: [] },
  { type: "gate.answered", node: "ask", ...first, by: "Ada", digest: "d1", answer: true },
  { type: "node.ended", node: "ask", ...first, result: { outcome: "success" } },
];

function after(...events: readonly EventBody[]): readonly (string | undefined)[] {
  const nodes = new Nodes();
  for (const event of [...approved, ...events]) nodes.take(event, 0);
  return (nodes.approvalsOf(blueprint, "ship") ?? []).map(({ digest }) => digest);
}

test("a node right behind a gate starts on its yes, whether or not it had to wait for a place", () => {
  const started: EventBody = { type: "node.started", node: "ship", ...first, step: 2, from: ["ask"] };
  const queued: EventBody = { type: "node.queued", node: "ship", pass: 1, step: 2, from: ["ask"] };
  expect(after(started)).toEqual(["d1"]);
  expect(after(queued, { ...started, from: [] })).toEqual(["d1"]);
});

test("a node behind waits starts on the yes before them", () => {
  const waits = blueprintOf(`name: gated
entry: ask
nodes:
  ask: {type: human, mode: approval, prompt: "ship?"}
  hour: {type: wait, for: 1h}
  day: {type: wait, for: 1d}
  ship: {type: script, run: "true"}
edges:
  - {from: ask, when: success, to: hour}
  - {from: hour, to: day}
  - {from: day, to: ship}
  - {from: ship, to: END}
`);
  const nodes = new Nodes();
  const passed = (node: string, from: string): readonly EventBody[] => [
    { type: "node.started", node, ...first, step: 2, from: [from] },
    { type: "node.ended", node, ...first, result: { outcome: "success" } },
  ];
  const start: EventBody = { type: "node.started", node: "ship", ...first, step: 4, from: ["day"] };
  for (const event of [...approved, ...passed("hour", "ask"), ...passed("day", "hour"), start]) nodes.take(event, 0);
  expect(nodes.approvalsOf(waits, "ship")).toMatchObject([{ gate: { id: "ask" }, pass: 1, digest: "d1" }]);
});

const process = { pid: 1, startTime: "1", bootId: "boot" };
const started: EventBody = { type: "node.started", node: "ship", ...first, step: 2, from: ["ask"] };
const begun: EventBody = { type: "node.process", node: "ship", ...first, process };

test("what has begun is not asked about again", () => {
  expect(after(started, begun)).toEqual([]);
});

test.each<[string, EventBody, true | undefined]>([
  ["another attempt of what has begun", { ...started, attempt: 2, from: [] }, true],
  ["another pass that a person decided on", { ...started, pass: 2, from: [] }, true],
  ["another pass that came as the first did", { ...started, pass: 2 }, undefined],
])("%s is held to what was approved", (_, again, isBegun) => {
  const nodes = new Nodes();
  for (const event of [...approved, started, begun, again]) nodes.take(event, 0);
  const [approval] = nodes.approvalsOf(blueprint, "ship") ?? [];
  expect([approval?.digest, approval?.begun]).toEqual(["d1", isBegun]);
});

test("what ended before it began is held to the same yes when it is tried again", () => {
  const started: EventBody = { type: "node.started", node: "ship", ...first, step: 2, from: ["ask"] };
  const tried = (beforeEffect?: true): readonly EventBody[] => {
    const reason = { code: "no_terminal", text: "eve may not answer ask" } as const;
    const result = { outcome: "error", reason, ...(beforeEffect && { beforeEffect }) } as const;
    return [
      { type: "node.retrying", node: "ship", ...first, result, delayMs: 1 },
      { ...started, attempt: 2, from: [] },
    ];
  };
  expect(after(started, ...tried(true))).toEqual(["d1"]);
  const nodes = new Nodes();
  for (const event of [...approved, started, ...tried()]) nodes.take(event, 0);
  expect(nodes.approvalsOf(blueprint, "ship")).toMatchObject([{ digest: "d1", begun: true }]);
});

test("a yes is that of the pass in which it was given", () => {
  const nodes = new Nodes();
  const again = approved.map((event) => ({ ...event, pass: 2 }) as EventBody);
  for (const event of [...approved, ...again]) nodes.take(event, 0);
  nodes.take({ type: "node.started", node: "ship", ...first, step: 3, from: ["ask"] }, 0);
  expect(nodes.approvalsOf(blueprint, "ship")).toMatchObject([{ pass: 2, digest: "d1" }]);
});

test("a second yes stands for its pass, in place of the first", () => {
  const started: EventBody = { type: "node.started", node: "ship", ...first, step: 2, from: ["ask"] };
  const ask = { type: "gate.opened", node: "ship", ...first, mode: "approval", prompt: "ship?", of: "ask" } as const;
  const opened: EventBody = { ...ask, digest: "d2" };
  const answered: EventBody = { type: "gate.answered", node: "ship", ...first, by: "Ada", digest: "d2", answer: true };
  const again: EventBody = { ...started, attempt: 2, from: [] };
  expect(after(started, opened)).toEqual(["d1"]);
  expect(after(started, opened, answered, again)).toEqual(["d2"]);
  expect(after(started, opened, { ...answered, answer: false })).toEqual(["d1"]);
  expect(after(started, opened, answered, { ...started, pass: 2 })).toEqual(["d1"]);
});

test("a node is held only while a second yes is waited for in its latest attempt, and never once it may have begun", () => {
  const held = (...events: readonly EventBody[]): boolean => {
    const nodes = new Nodes();
    for (const event of [...approved, ...events]) nodes.take(event, 0);
    return nodes.isHeld("ship");
  };
  const started: EventBody = { type: "node.started", node: "ship", ...first, step: 2, from: ["ask"] };
  const own = { type: "gate.opened", node: "ship", ...first, mode: "approval", prompt: "p", digest: "d2" } as const;
  const asked: EventBody = { ...own, of: "ask" };
  const answered: EventBody = { type: "gate.answered", node: "ship", ...first, by: "Ada", digest: "d2", answer: true };
  const process: EventBody = {
    type: "node.process",
    node: "ship",
    ...first,
    process: { pid: 1, startTime: "1", bootId: "b" },
  };
  const reason = { code: "crash", text: "unknown" } as const;
  const again: readonly EventBody[] = [
    { type: "node.unconfirmed", node: "ship", ...first, reason },
    { type: "node.settled", node: "ship", ...first, as: "again", by: "engine" },
    { ...started, attempt: 2, from: [] },
  ];
  expect(held(started)).toBe(false);
  expect(held(started, asked)).toBe(true);
  expect(held(started, asked, answered)).toBe(false);
  expect(held(started, asked, process)).toBe(false);
  // What asks for leave while it is at work has begun.
  expect(held(started, own)).toBe(false);
  // The tree is as it was approved once more: nobody is asked, and the node begins.
  expect(held(started, asked, ...again)).toBe(false);
  expect(held(started, asked, ...again, { ...asked, attempt: 2 })).toBe(true);
});

test("what was approved in the run that this one is a fork of stands for nothing here, until it is approved again", () => {
  const owner = { pid: 2, startTime: "2", bootId: "boot" };
  const start = { type: "run.started", fork: { run: "r", node: "ship", pass: 1 } } as RunStarted;
  const nodes = new Nodes();
  const take = (...events: readonly EventBody[]): void => events.forEach((event) => nodes.take(event, 0));
  // The earlier run was resumed, too.
  take(start, { type: "run.resumed", owner }, ...approved, { type: "run.resumed", owner, fork: true }, started);
  expect(nodes.approvalsOf(blueprint, "ship")).toMatchObject([{ digest: "d1", elsewhere: true }]);
  const opened = { mode: "approval", prompt: "ship?", digest: "d2", of: "ask" } as const;
  const yes = { by: "Ada", digest: "d2", answer: true } as const;
  take(
    { type: "gate.opened", node: "ship", ...first, ...opened },
    { type: "gate.answered", node: "ship", ...first, ...yes },
  );
  const [again] = nodes.approvalsOf(blueprint, "ship") ?? [];
  expect([again?.digest, again?.elsewhere]).toEqual(["d2", undefined]);
});
