import { describe, expect, test } from "vitest";
import type { EventBody } from "../model/events.ts";
import { runStarted } from "../../test/properties/driver.ts";
import { play, starts } from "../../test/properties/play.ts";
import { advance } from "./advance.ts";

describe("a stop", () => {
  const stop = { type: "run.stop_requested", by: "ann" } as const;

  test("cancels what runs and starts nothing", () => {
    const run = play("a>b,a>c,b>d", { ticks: { b: 9, c: 9 }, outside: new Map([[3, stop]]) });
    expect(starts(run)).toBe("a b c");
    expect(run.commands.filter(({ type }) => type === "cancel")).toEqual([
      { type: "cancel", why: "stopped", node: "b", pass: 1, attempt: 1 },
      { type: "cancel", why: "stopped", node: "c", pass: 1, attempt: 1 },
    ]);
    expect(run.end).toMatchObject({ status: "stopped", reason: "stopped by ann" });
    expect(run.times.at(-1)).toBe(3);
  });

  test("wins over a halt that is under way", () => {
    const settings = { escalate: ["failure"] as const };
    const run = play("a>b,a>c", {
      settings,
      results: { b: "failure" },
      ticks: { c: 9 },
      outside: new Map([[4, stop]]),
    });
    expect(run.events.flatMap((event) => (event.type === "run.halting" ? [event.cause] : []))).toEqual([
      "escalated",
      "stopped",
    ]);
    expect(run.end?.status).toBe("stopped");
  });

  const halting = {
    settings: { escalate: ["failure"] as const },
    nodes: { g: { type: "human" as const }, r: { retry: 1 } },
    ticks: { a: 5, g: 1_000 },
  };

  test("a halt that a decision can lift suspends open gates and what waits for a retry", () => {
    const run = play("s>a,s>g,s>r", { ...halting, results: { a: "failure", r: "unsent success" } });
    expect(run.end?.status).toBe("escalated");
    expect(run.commands).toContainEqual({ type: "suspend", node: "g", pass: 1, attempt: 1 });
    expect(run.events.filter(({ type }) => type === "node.ended")).toHaveLength(2);
    const a = { type: "node.settled", node: "a", pass: 1, attempt: 1, as: "done", by: "ann" } as const;
    const { events, commands } = advance(run.state, [{ type: "run.resumed", owner: runStarted.owner }, a], 10);
    expect(events).toMatchObject([
      { type: "run.resumed" },
      { type: "node.settled" },
      { type: "node.started", node: "g", pass: 1, attempt: 2 },
    ]);
    expect(commands.map((command) => ("node" in command ? `${command.type} ${command.node}` : command.type))).toEqual([
      "retry_after r",
      "perform g",
      "time_limit",
    ]);
  });

  test("a halt for good closes open gates and ends what waits for a retry with the error it had", () => {
    const outside = new Map<number, EventBody>([[5, stop]]);
    const run = play("s>a,s>g,s>r", { ...halting, results: { r: "unsent success" }, outside });
    expect(run.commands).toContainEqual({ type: "cancel", why: "stopped", node: "g", pass: 1, attempt: 1 });
    expect(run.events).toContainEqual(
      expect.objectContaining({
        type: "node.ended",
        node: "r",
        attempt: 1,
        result: expect.objectContaining({ outcome: "error" }),
      }),
    );
    expect(run.times.at(-1)).toBe(5);
  });
});

describe("of two causes the stronger stands, whichever came first", () => {
  type Cause = "stopped" | "escalated" | "needs_attention" | "limit" | "rejected" | "failed";
  const strongestFirst: readonly Cause[] = ["stopped", "escalated", "needs_attention", "limit", "rejected", "failed"];
  const pairs = strongestFirst.flatMap((first) =>
    strongestFirst.filter((second) => second !== first).map((second) => [first, second] as const),
  );

  /**
   * `w` and `u` work for long; `e` fails, `f` cannot be carried out, a person
   * declines at `g`, and `l` leads to one start too many.
   */
  const byNode: Readonly<Partial<Record<Cause, string>>> = { escalated: "e", failed: "f", rejected: "g", limit: "l" };
  const reason = { code: "left_behind", text: "nobody knows" } as const;
  const fromOutside: Readonly<Partial<Record<Cause, EventBody>>> = {
    stopped: { type: "run.stop_requested", by: "ann" },
    needs_attention: { type: "node.unconfirmed", node: "u", pass: 1, attempt: 1, reason },
    limit: { type: "run.time_spent" },
  };

  test.each(pairs)("%s, then %s", (first, second) => {
    const times: readonly (readonly [Cause, number])[] = [
      [first, 3],
      [second, 4],
    ];
    // What halted starts nothing, so that a limit of steps can strike first only.
    const nodes = times.filter(([cause]) => byNode[cause] !== undefined && (cause !== "limit" || cause === first));
    const outside = times.filter((one) => !nodes.includes(one));
    const ids = ["u", "w", ...nodes.map(([cause]) => byNode[cause] ?? "")];
    const run = play([...ids.map((id) => `s>${id}`), ...(ids.includes("l") ? ["l>m"] : [])].join(), {
      settings: { escalate: ["failure"], limits: { steps: 1 + ids.length } },
      nodes: { g: { type: "human" } },
      results: { e: "failure", f: "error", g: "declined" },
      ticks: { u: 9, w: 9, ...Object.fromEntries(nodes.map(([cause, at]) => [byNode[cause], at - 1])) },
      outside: new Map(outside.flatMap(([cause, at]) => (fromOutside[cause] ? [[at, fromOutside[cause]]] : []))),
    });
    expect(run.end?.status).toBe(strongestFirst.find((cause) => cause === first || cause === second));
  });
});

describe("finally", () => {
  const settings = { finally: "z" };

  test.each([
    ["after a success", "a>b", {}, "succeeded"],
    ["after a failure", "a+>b", { a: "failure" }, "failed"],
    ["after a limit", "a!>a", { a: "failure" }, "limit"],
  ])("runs once %s", (_, edges, results, status) => {
    const run = play(edges, { settings, results });
    expect(run.counts.z).toBe(1);
    expect(starts(run).endsWith(" z")).toBe(true);
    expect(run.end?.status).toBe(status);
  });

  test("does not run while the run waits for attention", () => {
    const reason = { code: "crash", text: "the engine died" } as const;
    const lost = { type: "node.unconfirmed", node: "a", pass: 1, attempt: 1, reason } as const;
    const run = play("a>b", {
      settings,
      nodes: { a: { type: "human" } },
      ticks: { a: 9 },
      outside: new Map([[3, lost]]),
    });
    expect(run.counts).toEqual({ a: 1 });
    expect(run.end?.status).toBe("needs_attention");
  });

  test("fails a run that would have succeeded", () => {
    expect(play("a", { settings, results: { z: "failure" } }).end).toMatchObject({
      status: "failed",
      reason: "z: exit 1",
    });
  });

  test("runs after a stop too", () => {
    const stop = { type: "run.stop_requested", by: "ann" } as const;
    const run = play("a>b", { settings, ticks: { a: 9 }, outside: new Map([[1, stop]]) });
    expect(starts(run)).toBe("a z");
    expect(run.end?.status).toBe("stopped");
  });
});
