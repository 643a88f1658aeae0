import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventBody, JournalEvent } from "../model/events.ts";
import { emptyView, fold } from "./fold.ts";
import { pastText, usageText } from "./words.ts";
import { addUsage, zeroUsage } from "../model/usage.ts";
import type { RunView } from "./run-view.ts";

const owner = { pid: 1, startTime: "1", bootId: "b" };
const started: EventBody = {
  type: "run.started",
  taskId: "T1",
  task: "mend it",
  blueprint: "fix",
  contentHash: "c",
  bindingHash: "b",
  inputs: {},
  cwd: "/w",
  owner,
};

function journal(...bodies: readonly EventBody[]): JournalEvent[] {
  return bodies.map((body, at) => ({ run: "r", seq: at + 1, at: 1000 + at * 100, hash: "", body }));
}

function viewOf(events: readonly JournalEvent[]): RunView {
  const view = emptyView("r", null);
  for (const event of events) fold(view, event);
  return view;
}

const first = { node: "a", pass: 1, attempt: 1 } as const;

describe("fold", () => {
  it("keeps who answered and when, and that a gate before the node was asked again", () => {
    const gate = { mode: "approval", prompt: "Ship it?", digest: "d" } as const;
    const answer = { type: "gate.answered", digest: "d", answer: true } as const;
    const ship = { ...first, node: "ship" };
    const view = viewOf(
      journal(
        started,
        { type: "gate.opened", ...ship, ...gate, of: "ask" },
        { ...answer, ...ship, by: "ann" },
        { type: "gate.opened", ...ship, ...gate, of: "pay" },
        { ...answer, ...ship, by: "bob", answer: false },
        // What an agent asked for is no gate.
        { type: "gate.opened", ...first, ...gate },
        { ...answer, ...first, by: "ann" },
      ),
    );
    expect(view.nodes.get("ship")?.attempts[0]?.answers).toEqual([
      { gate: "ask", by: "ann", at: 1200, answer: true },
      { gate: "pay", by: "bob", at: 1400, answer: false },
    ]);
    expect(view.nodes.get("a")?.attempts[0]?.answers).toEqual([]);
  });

  it("tells passes from attempts, and keeps what each attempt said", () => {
    const view = viewOf(
      journal(
        started,
        { type: "node.started", ...first, step: 1, from: [] },
        {
          type: "node.retrying",
          ...first,
          delayMs: 250,
          result: { outcome: "error", reason: { code: "connection", text: "connection lost" } },
        },
        { type: "node.started", ...first, attempt: 2, step: 1, from: [] },
        {
          type: "node.ended",
          ...first,
          attempt: 2,
          result: { outcome: "failure", output: { text: "E42\n", bytes: 4 } },
        },
        { type: "node.started", node: "a", pass: 2, attempt: 1, step: 2, from: ["a"] },
      ),
    );
    const node = view.nodes.get("a");
    expect(node?.passes).toBe(2);
    expect(node?.attempts.map(({ n, pass, attempt, outcome, output }) => [n, pass, attempt, outcome, output])).toEqual([
      [1, 1, 1, "error", null],
      [2, 1, 2, "failure", "E42\n"],
      [3, 2, 1, null, null],
    ]);
    expect(node?.state).toBe("running");
    expect(node?.attempts[1]).toMatchObject({ startedAt: 1300, endedAt: 1400 });
  });

  it("waits only while nothing else is at work", () => {
    const gate: EventBody = { type: "gate.opened", ...first, mode: "approval", prompt: "Go?", digest: "d" };
    const other = { node: "b", pass: 1, attempt: 1 } as const;
    const events = journal(
      started,
      { type: "node.started", ...first, step: 1, from: [] },
      { type: "node.started", ...other, step: 1, from: [] },
      gate,
      { type: "node.ended", ...other, result: { outcome: "success" } },
      gate,
      { type: "gate.answered", ...first, by: "ann", digest: "d", answer: true },
    );
    const statuses = events.map((_, at) => viewOf(events.slice(0, at + 1)).status);
    expect(statuses).toEqual(["running", "running", "running", "running", "waiting", "waiting", "running"]);
  });

  it("ends with the status, the reason and what was walked past", () => {
    const view = viewOf(
      journal(started, {
        type: "run.finished",
        status: "failed",
        reason: "test: exit 1",
        walkedPast: ["lint"],
        usage: { inputTokens: 5, outputTokens: 2, turns: 1 },
      }),
    );
    expect(view).toMatchObject({ status: "failed", reason: "test: exit 1", walkedPast: ["lint"], endedAt: 1100 });
    expect(view.usage.inputTokens).toBe(5);
  });

  it("goes on after a resume as if nothing had ended", () => {
    const halted: EventBody = {
      type: "run.halting",
      cause: "needs_attention",
      reason: { code: "crash", text: "unknown" },
    };
    const view = viewOf(
      journal(
        started,
        halted,
        { type: "run.finished", status: "needs_attention", walkedPast: [], usage: zeroUsage },
        { type: "run.resumed", owner },
      ),
    );
    expect(view).toMatchObject({ status: "running", reason: null, endedAt: null, halting: null });
  });

  it("counts what an agent has reported while it works, and where nobody knows how it ended", () => {
    const usage = { inputTokens: 3, outputTokens: 1, turns: 1 };
    const events = journal(
      started,
      { type: "node.started", ...first, step: 1, from: [] },
      { type: "agent.progressed", ...first, event: { type: "usage", usage } },
      { type: "node.unconfirmed", ...first, reason: { code: "crash", text: "…" } },
      { type: "node.settled", ...first, as: "again", by: "ann" },
      { type: "node.started", ...first, attempt: 2, step: 1, from: [] },
      { type: "node.ended", ...first, attempt: 2, result: { outcome: "success", usage } },
    );
    expect(viewOf(events.slice(0, 3)).usage).toEqual(usage);
    expect(viewOf(events.slice(0, 4)).usage).toEqual(usage);
    expect(viewOf(events).usage).toEqual(addUsage(usage, usage));
  });

  it("gives the same view however the events are batched and repeated", () => {
    const events = journal(
      started,
      { type: "node.started", ...first, step: 1, from: [], charged: { passes: 1, cap: 3 } },
      {
        type: "agent.progressed",
        ...first,
        event: { type: "usage", usage: { inputTokens: 3, outputTokens: 1, turns: 1 } },
      },
      {
        type: "node.ended",
        ...first,
        result: { outcome: "success", usage: { inputTokens: 9, outputTokens: 4, turns: 2, cost: 0.5 } },
      },
      {
        type: "run.finished",
        status: "succeeded",
        walkedPast: [],
        usage: { inputTokens: 9, outputTokens: 4, turns: 2, cost: 0.5 },
      },
    );
    const whole = viewOf(events);
    fc.assert(
      fc.property(fc.array(fc.nat(events.length - 1), { maxLength: 8 }), (restarts) => {
        const view = emptyView("r", null);
        for (const event of events) fold(view, event);
        for (const at of restarts) for (const event of events.slice(at)) fold(view, event);
        expect(view).toEqual(whole);
      }),
    );
    expect(whole.usage).toEqual({ inputTokens: 9, outputTokens: 4, turns: 2, cost: 0.5 });
  });
});

describe("addUsage", () => {
  it("keeps an unknown cost unknown, and never reads it as zero", () => {
    const known = { inputTokens: 1, outputTokens: 1, turns: 1, cost: 0.25 };
    const unknown = { inputTokens: 1, outputTokens: 1, turns: 1 };
    expect(addUsage(known, known).cost).toBe(0.5);
    expect(addUsage(known, unknown).cost).toBeUndefined();
    expect(addUsage(zeroUsage, known).cost).toBe(0.25);
    expect(addUsage(known, zeroUsage).cost).toBe(0.25);
  });

  it("keeps the currency, sums no two of them, and what is estimated in part is estimated", () => {
    const euros = { inputTokens: 1, outputTokens: 1, turns: 1, cost: 0.25, currency: "EUR" };
    expect(addUsage(euros, euros)).toMatchObject({ cost: 0.5, currency: "EUR" });
    expect(addUsage(euros, { ...euros, currency: "USD" })).toEqual({ inputTokens: 2, outputTokens: 2, turns: 2 });
    expect(addUsage(euros, { ...zeroUsage, estimated: true })).toMatchObject({ cost: 0.25, estimated: true });
    expect(usageText({ ...euros, inputTokens: 4_099 })).toBe("4.1k tokens · 0.250 EUR");
    expect(usageText({ ...euros, estimated: true })).toBe("~2 tokens · ~0.250 EUR");
  });
});

describe("a decision", () => {
  it("to do a pass that a cap refused shows no attempt: nothing of it began", () => {
    const settled = { type: "node.settled", node: "a", pass: 2, attempt: 1, as: "again", by: "ann", grant: 1 } as const;
    const said = { type: "node.ended", ...first, result: { outcome: "success" } } as const;
    const once = journal(started, { type: "node.started", ...first, step: 1, from: [] }, said, settled);
    expect(viewOf(once).nodes.get("a")).toMatchObject({ state: "idle", attempts: [{ n: 1, pass: 1 }] });
    const again = journal(...once.map(({ body }) => body), {
      type: "node.started",
      node: "a",
      pass: 2,
      attempt: 1,
      step: 2,
      from: [],
    });
    expect(
      viewOf(again)
        .nodes.get("a")
        ?.attempts.map(({ n, pass }) => [n, pass]),
    ).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });
});

it("only a success has gone on past failures", () => {
  expect(pastText("succeeded", ["a", "b"])).toBe("past the failures of a, b");
  for (const status of ["escalated", "failed", "limit"] as const) expect(pastText(status, ["a"])).toBe("");
});
