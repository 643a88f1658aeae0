import { expect, it } from "vitest";
import type { EventBody, JournalEvent, RunFinished } from "../model/events.ts";
import type { GateBasis } from "../model/gate-events.ts";
import { answerFate, pastAnswer } from "./answer-fate.ts";
import { zeroUsage } from "../model/usage.ts";

const at = { node: "a", pass: 1, attempt: 1 } as const;
const mine = { type: "gate.answered", ...at, id: "mine", by: "ann", digest: "d", answer: true } as const;
const opened = { type: "gate.opened", ...at, mode: "approval", prompt: "Ship?", digest: "d" } as const;

const over = (status: "succeeded" | "stopped"): RunFinished => ({
  type: "run.finished",
  status,
  walkedPast: [],
  usage: zeroUsage,
});

function fateOver(before: GateBasis | undefined, now: GateBasis) {
  const body: EventBody = { ...opened, digest: "e", over: now };
  return answerFate([{ run: "r", seq: 1, at: 0, hash: "", body }], mine, before === undefined ? {} : { over: before });
}

function fate(...bodies: readonly EventBody[]) {
  const events: JournalEvent[] = bodies.map((body, i) => ({ run: "r", seq: i + 1, at: 0, hash: "", body }));
  return answerFate(events, mine, {});
}

it("waits while the same question stands, also with another owner of the run", () => {
  const again = { type: "node.settled", ...at, as: "again", by: "engine" } as const;
  expect(fate()).toBeNull();
  expect(fate(again, { ...opened, attempt: 2 })).toBeNull();
  expect(fate({ ...mine, node: "b", id: "other" })).toBeNull();
});

it("takes only the very answer for taken, though another says the same", () => {
  expect(fate({ ...mine, attempt: 2 }, over("succeeded"))).toEqual({ kind: "taken" });
  for (const other of [{ id: "other" }, {}]) {
    const { id: _, ...same } = mine;
    const how = "id" in other ? "with trammel answer" : "at the terminal of the run";
    const first = `ann answered a with yes at 1970-01-01T00:00:00.000Z, ${how}`;
    expect(fate({ ...same, ...other })).toEqual({ kind: "conflict", what: first });
  }
});

it("names what came in between", () => {
  const conflict = (what: string) => ({ kind: "conflict", what });
  expect(fate({ ...opened, digest: "e" })).toEqual(conflict("a asks something else now"));
  expect(fate({ type: "node.settled", ...at, as: "done", by: "bob" })).toEqual(
    conflict("bob settled a as done at 1970-01-01T00:00:00.000Z"),
  );
  expect(fate({ type: "node.ended", ...at, result: { outcome: "failure" } })).toEqual(
    conflict("a ended at 1970-01-01T00:00:00.000Z: failure"),
  );
  expect(fate(over("stopped"))).toEqual(conflict("the run ended at 1970-01-01T00:00:00.000Z: stopped"));
});

it("tells an answer that came too late when the time was up", () => {
  const ended: EventBody = { type: "node.ended", ...at, result: { outcome: "failure" } };
  const late = (ms: number) =>
    answerFate([{ run: "r", seq: 1, at: ms, hash: "", body: ended }], mine, { until: 1_000 });
  expect(late(999)).toEqual({ kind: "conflict", what: "a ended at 1970-01-01T00:00:00.999Z: failure" });
  expect(late(1_000)).toEqual({ kind: "conflict", what: "its time was up at 1970-01-01T00:00:01.000Z" });
});

it("tells of a gate that waits no longer who decided about it, when and how", () => {
  const told = (...bodies: readonly EventBody[]) =>
    pastAnswer(
      bodies.map((body, i) => ({ run: "r", seq: i + 1, at: i * 1000, hash: "", body })),
      "a",
    );
  const ended = { type: "node.ended", ...at, result: { outcome: "failure" } } as const;
  const { id: _, ...here } = mine;
  expect(told(opened, { ...here, answer: false }, ended)).toBe(
    "ann answered a with no at 1970-01-01T00:00:01.000Z, at the terminal of the run",
  );
  expect(told(opened, { ...mine, answer: "x".repeat(99) }, ended)).toMatch(
    /^ann answered a with "x{59}… at .*, with trammel answer$/,
  );
  expect(told(opened, { type: "node.settled", ...at, as: "failed", by: "bob" })).toBe(
    "bob settled a as failed at 1970-01-01T00:00:01.000Z",
  );
  const timeout = { outcome: "failure", reason: { code: "timeout", text: "nobody answered in time" } } as const;
  expect(told(opened, { ...ended, result: timeout })).toBe(
    "a ended at 1970-01-01T00:00:01.000Z: nobody answered in time",
  );
  const defaulted = { outcome: "success", output: { text: "yes", bytes: 3 } } as const;
  expect(told({ ...opened, until: 1_000 }, { ...ended, result: defaulted })).toBe(
    "its time was up at 1970-01-01T00:00:01.000Z, and the default decided: yes",
  );
  expect(told(opened, { ...over("stopped"), reason: "stopped by ann" })).toBe(
    "the run ended at 1970-01-01T00:00:01.000Z: stopped by ann",
  );
  expect(told(opened, mine, ended, opened)).toBeNull();
  expect(told({ ...opened, node: "b" })).toBeNull();
});

it("says what changed under a question that is another now", () => {
  const over = { shown: "s", tree: "t", next: "n" };
  const conflict = (what: string) => ({ kind: "conflict", what: `a asks something else now${what}` });
  expect(fateOver(over, { ...over, tree: "u" })).toEqual({
    ...conflict(", since the tree changed"),
    trees: ["t", "u"],
  });
  expect(fateOver(over, { ...over, shown: "u" })).toEqual(conflict(", since what it shows changed"));
  expect(fateOver(over, { ...over, tree: null, next: "o" })).toEqual(
    conflict(", since the tree and what is done next changed"),
  );
  expect(fateOver({ shown: "s" }, over)).toEqual(conflict(", since the tree and what is done next changed"));
  expect(fateOver(undefined, over)).toEqual(conflict(""));
});
