import { describe, expect, test } from "vitest";
import type { Scene } from "../../../test/properties/play.ts";
import { play, starts } from "../../../test/properties/play.ts";
import type { EventBody } from "../../model/events.ts";

const agent = { type: "agent" } as const;

describe("a cap", () => {
  const edges = "t!>f,f>t,t+>e";
  const nodes = { f: { ...agent, cap: 2 } };

  test("strikes when another pass would begin, with the check that asked for it as evidence", () => {
    const run = play(edges, { nodes, results: { t: "failure" } });
    expect(starts(run)).toBe("t f t#2 f#2 t#3");
    expect(run.events.at(-2)).toEqual({
      type: "run.halting",
      cause: "escalated",
      node: "f",
      reason: { code: "cap", text: "its cap of 2 passes is used up; t: exit 1" },
      evidence: "t",
      iteration: { n: 2, max: 2 },
    });
    expect(run.end).toMatchObject({ status: "escalated", reason: "f: its cap of 2 passes is used up; t: exit 1" });
  });

  test("takes no evidence from what another node waits with", () => {
    const run = play("s>f,s>m,s>w,f>f,m!>g,w>g", {
      nodes: { f: { ...agent, cap: 1 } },
      results: { m: "failure" },
      ticks: { f: 3, w: 9 },
    });
    const halt = run.events.find((event) => event.type === "run.halting");
    expect(halt).toMatchObject({ node: "f", reason: { text: "its cap of 1 pass is used up" } });
    expect(halt).not.toHaveProperty("evidence");
  });

  test("that a person has decided on halts nothing more, though the run was not at its end by then", () => {
    const settled = { type: "node.settled", node: "m", pass: 2, attempt: 1, by: "ann" } as const;
    const decided = (as: "done" | "again", grant: number): ReturnType<typeof play> =>
      play("s>c,s>w,c!>m,m>c,c+>e", {
        nodes: { m: { ...agent, cap: 1 } },
        results: { c: "failure failure success" },
        ticks: { w: 19 },
        outside: new Map([[9, { ...settled, as, grant }]]),
      });
    for (const run of [decided("done", 0), decided("again", 1)]) {
      expect(run.events.map(({ type }) => type).filter((type) => /halting|settled/.test(type))).toEqual([
        "run.halting",
        "node.settled",
      ]);
      expect([starts(run).endsWith(" c#3 e"), run.end?.status]).toEqual([true, "succeeded"]);
    }
    expect(decided("again", 0).end?.status).toBe("escalated");
  });

  test("used up by a last pass that mends it is a success", () => {
    const run = play(edges, { nodes, results: { t: "failure failure success" } });
    expect(starts(run)).toBe("t f t#2 f#2 t#3 e");
    expect(run.end?.status).toBe("succeeded");
  });

  test("is charged in the claim, once a pass, not by a retry", () => {
    const run = play("a>b", { nodes: { a: { ...agent, cap: 1, retry: 2 } }, results: { a: "unsent unsent success" } });
    const charges = run.events.flatMap((event) => (event.type === "node.started" ? [event.charged ?? null] : []));
    expect(charges).toEqual([{ passes: 1, cap: 1 }, null, null, null]);
    expect(run.end?.status).toBe("succeeded");
  });

  test("is 5 for an agentic node that names none, and none for others", () => {
    const settings = { limits: { steps: 100 } };
    const run = play(edges, { settings, nodes: { f: agent }, results: { t: "failure" } });
    expect(run.counts).toEqual({ t: 6, f: 5 });
    expect(play(edges, { settings, results: { t: "failure" } }).end?.status).toBe("limit");
  });

  test("of a node that is no agent counts in the run alone, and is not charged", () => {
    const synced = { type: "passes.synced", passes: { f: 9 } } as const;
    const own = { nodes: { f: { cap: 2 } }, results: { t: "failure" }, outside: new Map([[0, synced]]) } as const;
    const run = play(edges, own);
    expect(run.counts).toEqual({ t: 3, f: 2 });
    expect(run.events.filter((event) => event.type === "node.started" && event.charged !== undefined)).toEqual([]);
    expect(run.end).toMatchObject({ status: "escalated", reason: "f: its cap of 2 passes is used up; t: exit 1" });
  });

  test("is a limit where escalate does not list it", () => {
    const run = play(edges, { settings: { escalate: [] }, nodes, results: { t: "failure" } });
    expect(run.end?.status).toBe("limit");
  });

  test.each(["a", "b"])("that earlier runs of the task used up lets agent %s not start once", (id) => {
    const synced = { type: "passes.synced", passes: { [id]: 2 } } as const;
    const run = play("s>a,a>b", {
      nodes: { [id]: { ...agent, cap: 2 } },
      outside: new Map([[0, synced]]),
      ticks: { s: 3 },
    });
    const started = play("s>a,a>b", { nodes: { [id]: { ...agent, cap: 2 } } });
    expect([run.counts[id], started.counts[id]]).toEqual([undefined, 1]);
    expect(run.end?.status).toBe("escalated");
  });

  test("counts the passes of earlier runs of the task, whenever they become known", () => {
    const synced = { type: "passes.synced", passes: { f: 1, gone: 7 } } as const;
    const early = play(edges, { nodes, results: { t: "failure" }, outside: new Map([[0, synced]]) });
    expect(early.counts).toEqual({ t: 2, f: 1 });
    const fewer = { type: "passes.synced", passes: { f: 0 } } as const;
    const late = play(edges, { nodes, results: { t: "failure" }, outside: new Map([[3, fewer]]) });
    expect(late.counts).toEqual({ t: 3, f: 2 });
  });
});

describe("limits", () => {
  test("steps: the start beyond is refused, and names limit and node", () => {
    const run = play("a!>a,a+>END", { settings: { limits: { steps: 5 } }, results: { a: "failure" } });
    expect(run.counts).toEqual({ a: 5 });
    expect(run.end).toMatchObject({ status: "limit", reason: "a: limits.steps is 5, and a would be start 6" });
    expect(run.events.find(({ type }) => type === "run.halting")).not.toHaveProperty("lasting");
  });

  test.each([
    ["a>b,b>c", 3, "succeeded"],
    ["a>b,b>c", 2, "limit"],
  ])("steps: %s within %d", (edges, steps, status) => {
    expect(play(edges, { settings: { limits: { steps } } }).end?.status).toBe(status);
  });

  test("steps: 50 in a graph with a loop, none without; the command line wins", () => {
    expect(play("a!>a", { results: { a: "failure" } }).counts).toEqual({ a: 50 });
    const long = Array.from({ length: 60 }, (_, index) => `n${index}>n${index + 1}`).join(",");
    expect(play(long).end?.status).toBe("succeeded");
    const started = { ...play("a").events[0], type: "run.started", maxSteps: 3 } as never;
    expect(play("a!>a", { results: { a: "failure" }, settings: { limits: { steps: 9 } }, started }).counts).toEqual({
      a: 3,
    });
  });

  test("steps: retries do not count", () => {
    const run = play("a>b", {
      settings: { limits: { steps: 2, retries: 3 } },
      results: { a: "unsent unsent success" },
    });
    expect(run.end?.status).toBe("succeeded");
  });

  test("time: what runs is cancelled when it is used up", () => {
    const run = play("a>b", { settings: { limits: { timeMs: 10 } }, ticks: { a: 4, b: 50 } });
    expect(run.commands).toContainEqual({ type: "cancel", why: "limit", node: "b", pass: 1, attempt: 1 });
    expect(run.end).toMatchObject({ status: "limit", reason: "limits.time is used up" });
    expect(run.times.at(-1)).toBe(10);
  });

  test("time: waiting for a person does not count", () => {
    const run = play("a>g,g>b", {
      settings: { limits: { timeMs: 10 } },
      nodes: { g: { type: "human" } },
      ticks: { a: 4, g: 1_000, b: 5 },
    });
    expect(run.end?.status).toBe("succeeded");
    const clock = run.commands.filter(({ type }) => type === "time_limit");
    expect(clock).toEqual([
      { type: "time_limit", remainingMs: 10 },
      { type: "time_limit", remainingMs: null },
      { type: "time_limit", remainingMs: 6 },
      { type: "time_limit", remainingMs: null },
    ]);
  });

  test.each([
    ["tokens", { tokens: 150 }, "b: limits.tokens is 150, and 200 are used"],
    ["cost", { cost: { amount: 1, currency: "USD" } }, "b: limits.cost is 1 USD, and 1.5 is used"],
  ])("%s: no further agent starts, other nodes do", (_, budget, reason) => {
    const usage = { inputTokens: 150, outputTokens: 50, turns: 1, cost: 1.5 };
    const run = play("a>s,s>b", {
      settings: { limits: budget },
      nodes: { a: agent, b: agent },
      results: { a: [{ outcome: "success", usage }] },
    });
    expect(starts(run)).toBe("a s");
    expect(run.end).toMatchObject({ status: "limit", reason });
  });

  const nothing = { cost: { amount: 0, currency: "EUR" } };
  const share = { run: "r1", limit: 2, used: 2.5 };
  test.each([
    [
      { ...nothing, leftOf: { cost: share } },
      "limits.cost of run r1 is 2 EUR: 2.5 is used there and 0 in the run inside",
    ],
    [
      { ...nothing, leftOf: { cost: { ...share, unsaid: "x" } } },
      "limits.cost of run r1 is 2 EUR, and agent x has not said what it used there",
    ],
    // As it was recorded before it was told whose budget it is: what is recorded is computed anew.
    [nothing, "nothing is left of limits.cost of the run around this one, as far as is known there"],
    [{ tokens: 0 }, "nothing is left of limits.tokens of the run around this one, as far as is known there"],
  ])("of which nothing is left for a run inside: no agent starts (%j)", (budget, reason) => {
    const run = play("s>a", { settings: { limits: budget }, nodes: { a: agent } });
    expect(starts(run)).toBe("s");
    expect(run.end).toMatchObject({ status: "limit", reason: expect.stringContaining(reason) });
  });
});

describe("a budget that agents at work go beyond", () => {
  const usage = (tokens: number) => ({ inputTokens: tokens, outputTokens: 0, turns: 1 });
  const report = (node: string, tokens: number): EventBody => {
    const event = { type: "usage", usage: usage(tokens) } as const;
    return { type: "agent.progressed", node, pass: 1, attempt: 1, event };
  };
  const scene = (...outside: [number, EventBody][]): Scene => ({
    settings: { limits: { tokens: 100 } },
    nodes: { a: agent, b: agent },
    ticks: { a: 50, b: 50, c: 90 },
    outside: new Map(outside),
  });

  test("halts the run and cancels the agents, not what else works", () => {
    const run = play("s>a,s>b,s>c", scene([5, report("a", 60)], [6, report("b", 40)], [7, report("b", 41)]));
    expect(
      run.commands.flatMap((command) => (command.type === "cancel" ? [`${command.node}:${command.why}`] : [])),
    ).toEqual(["a:limit", "b:limit"]);
    expect(run.end).toMatchObject({
      status: "limit",
      reason: "limits.tokens is 100, and 101 are used",
      usage: { inputTokens: 101 },
    });
    expect(run.times.at(-1)).toBe(91);
  });

  test("may be used up to the last token", () => {
    expect(play("s>a,s>b", scene([5, report("a", 60)], [6, report("b", 40)])).end?.status).toBe("succeeded");
  });

  test("counts an attempt by its result, else by its last report", () => {
    const results = { a: [{ outcome: "success" as const, usage: usage(30) }] };
    const run = play("s>a,s>b", {
      ...scene([5, report("a", 10)], [6, report("b", 20)], [7, report("b", 25)]),
      results,
    });
    expect(run.end?.usage).toEqual({ inputTokens: 55, outputTokens: 0, turns: 2 });
  });
});

describe("escalate", () => {
  test.each([["failure"], ["error"]] as const)("%s halts where no edge takes it", (cause) => {
    const settings = { escalate: [cause] };
    const run = play("a>b,a>c,b+>d,c>e", { settings, results: { b: cause }, ticks: { c: 3 } });
    expect(starts(run)).toBe("a b c");
    expect(run.events).toContainEqual(
      expect.objectContaining({ type: "run.halting", cause: "escalated", node: "b", iteration: { n: 1, max: 1 } }),
    );
    expect(run.end?.status).toBe("escalated");
    const taken = play([{ from: "a", when: cause, to: "b" }], { settings, results: { a: cause } });
    expect(taken.end?.status).toBe("succeeded");
  });

  test("no_progress: the same failure twice running, or a measure that does not fall, is kept for a person", () => {
    const nodes = { t: { progress: "count" }, f: { ...agent, cap: 9 } };
    const failing = (...marks: readonly (readonly [string, number?])[]) =>
      marks.map(([signature, measure]) => ({
        outcome: "failure" as const,
        progress: measure === undefined ? { signature } : { signature, measure },
      }));
    const same = play("t!>f,f>t", { nodes, results: { t: failing(["x"], ["y"], ["y"]) } });
    expect(starts(same)).toBe("t f t#2 f#2 t#3");
    expect(same.end).toMatchObject({ status: "escalated", reason: "t: failed twice running in the same way: y" });
    expect(same.events.find((event) => event.type === "run.halting")).toMatchObject({
      failures: [
        { node: "t", pass: 2, attempt: 1 },
        { node: "t", pass: 3, attempt: 1 },
      ],
    });
    const stuck = play("t!>f,f>t", { nodes, results: { t: failing(["a", 9], ["b", 4], ["c", 4]) } });
    expect(stuck.end?.reason).toBe("t: made no progress: 4 before, 4 now");
    const falling = play("t!>f,f>t", {
      nodes,
      results: { t: [...failing(["a", 9], ["a", 4]), { outcome: "success" }] },
    });
    expect(falling.end?.status).toBe("succeeded");
    // A success in between is progress.
    const anew = play("t!>f,f>t,t+>r,r!>t,r+>END", {
      nodes,
      results: {
        t: [...failing(["x"]), { outcome: "success" }, ...failing(["x"]), { outcome: "success" }],
        r: "failure success",
      },
    });
    expect(anew.end?.status).toBe("succeeded");
    const off = play("t!>f,f>t", { settings: { escalate: ["cap"] }, nodes, results: { t: failing(["x"]) } });
    expect(off.counts.f).toBe(9);
  });
});
