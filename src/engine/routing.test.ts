import { describe, expect, test } from "vitest";
import { play, starts } from "../../test/properties/play.ts";

describe("edges", () => {
  test.each([
    ["a>b", "success", "a b", "succeeded"],
    ["a>b", "failure", "a b", "succeeded"],
    ["a>b", "error", "a", "failed"],
    ["a+>b", "failure", "a", "failed"],
    ["a!>b", "failure", "a b", "succeeded"],
    ["a!>b", "success", "a", "succeeded"],
    ["a!>b", "error", "a", "failed"],
    ["a>END", "failure", "a", "failed"],
    ["a>END", "success", "a", "succeeded"],
    ["a!>END", "failure", "a", "failed"],
    ["a!>END,a!>b", "failure", "a b", "failed"],
  ])("%s after %s", (edges, result, started, status) => {
    const run = play(edges, { results: { a: result } });
    expect(starts(run)).toBe(started);
    expect(run.end?.status).toBe(status);
  });

  test("when: error takes an error, beside an unconditional edge or a success edge", () => {
    for (const when of [undefined, "success"]) {
      const beside = when === undefined ? { from: "a", to: "b" } : { from: "a", when, to: "b" };
      const run = play([beside, { from: "a", when: "error", to: "c" }], { results: { a: "error" } });
      expect(starts(run)).toBe("a c");
      expect(run.end).toMatchObject({ status: "succeeded", walkedPast: ["a"] });
    }
  });

  test("as: failed ends a path as a failure, whatever came before", () => {
    const run = play([{ from: "a", to: "END", as: "failed" }]);
    expect(run.end).toMatchObject({ status: "failed", reason: "a: this way ends the run as failed" });
  });

  test("END ends its own path only", () => {
    expect(starts(play("a>b,a>c,b>END,c>d"))).toBe("a b c d");
  });

  test("a node without edges ends its path", () => {
    expect(play("a>b").end?.status).toBe("succeeded");
  });
});

describe("options", () => {
  const edges = [
    { from: "a", when: "yes", to: "b" },
    { from: "a", when: "other", to: "c" },
    { from: "a", when: "failure", to: "d" },
  ];
  test.each([
    ["yes", "a b"],
    ["no", "a c"],
    ["other", "a c"],
    ["failure", "a d"],
  ])("%s", (result, started) => {
    expect(starts(play(edges, { results: { a: result } }))).toBe(started);
  });

  test("a success edge takes any option, beside the option's own", () => {
    const run = play([...edges, { from: "a", when: "success", to: "e" }], { results: { a: "yes" } });
    expect(starts(run)).toBe("a b e");
  });

  test("an option without an edge ends its path; none of the options without an edge for other escalates", () => {
    const only = [{ from: "a", when: "yes", to: "b" }];
    expect(play(only, { results: { a: "no" } }).end?.status).toBe("succeeded");
    expect(play(only, { results: { a: "other" } }).end).toMatchObject({
      status: "escalated",
      reason: "a: chose none of the options, and no edge takes other",
    });
  });
});

test("an option that leads to END does not take the edge for other", () => {
  const edges = [
    { from: "a", when: "yes", to: "END" },
    { from: "a", when: "other", to: "b" },
  ];
  expect(starts(play(edges, { results: { a: "yes" } }))).toBe("a");
  expect(starts(play(edges, { results: { a: "no" } }))).toBe("a b");
});

test("what waits for a place is served first come, first served, before what becomes due later", () => {
  const run = play("s>a,s>z,a>b", { settings: { limits: { parallel: 1 } } });
  expect(starts(run)).toBe("s a z b");
});

describe("expect: failure", () => {
  const nodes = { a: { expect: "failure" } } as const;
  test.each([
    ["failure", "a b", "succeeded"],
    ["success", "a c", "succeeded"],
    ["error", "a", "failed"],
  ])("%s", (result, started, status) => {
    const run = play("a+>b,a!>c", { nodes, results: { a: result } });
    expect(starts(run)).toBe(started);
    expect(run.end?.status).toBe(status);
  });

  test("a success that was not wanted says so", () => {
    expect(play("a+>b", { nodes }).end?.reason).toBe("a: succeeded, but expect: failure wants it to fail");
  });
});

describe("a person's no", () => {
  const nodes = { a: { type: "human" } } as const;
  test.each([
    ["a!>b", "a b", "succeeded"],
    ["a!>END,a+>b", "a", "rejected"],
    ["a>b", "a", "rejected"],
    ["a+>b", "a", "rejected"],
  ])("%s", (edges, started, status) => {
    const run = play(edges, { nodes, results: { a: "declined" } });
    expect(starts(run)).toBe(started);
    expect(run.end?.status).toBe(status);
  });

  test("without an edge it halts the run: what runs may finish, nothing else starts", () => {
    const run = play("s>a,s>b,b>c,a+>d", { nodes, results: { a: "declined" }, ticks: { b: 5 } });
    expect(starts(run)).toBe("s a b");
    expect(run.events).toContainEqual(expect.objectContaining({ type: "run.halting", cause: "rejected", node: "a" }));
    expect(run.end).toMatchObject({ status: "rejected", reason: "a: declined by ann" });
  });

  test("a no on one arm keeps the join after it from starting", () => {
    const run = play("s>a,s>b,a+>m,a!>END,b+>m", { nodes, results: { a: "declined" } });
    expect(starts(run)).toBe("s a b");
    expect(run.skipped).toEqual(["m"]);
    expect(run.end?.status).toBe("rejected");
  });
});

describe("the end", () => {
  test("names the node that failed first and what it said", () => {
    const run = play("a>b,a>c,b+>d,c+>d", { results: { b: "failure", c: "failure" }, ticks: { b: 2 } });
    expect(run.end).toMatchObject({ status: "failed", reason: "c: exit 1" });
  });

  test("names a failure before what was only skipped, also where that came first", () => {
    const run = play("s>a,s>b,s>c,a!>k,a+>j,b+>j", { results: { a: "failure", c: "failure" }, ticks: { c: 9 } });
    expect(run.skipped).toEqual(["j"]);
    expect(run.end).toMatchObject({ status: "failed", reason: "c: exit 1", walkedPast: ["a"] });
  });

  test("lists failures that an edge took, in id order, and not those mended later", () => {
    const run = play("a>c,c>b,b>d,d!>m,m>d,d+>END", { results: { b: "failure", c: "failure", d: "failure success" } });
    expect(run.end).toMatchObject({ status: "succeeded", walkedPast: ["b", "c"] });
  });

  test("a failure of a pass that a new pass has replaced does not fail the run", () => {
    const run = play("a>l,a>t,l+>j,t+>j,t!>f,f>a", { results: { l: "failure success", t: "failure success" } });
    expect(starts(run)).toBe("a l t f a#2 l#2 t#2 j");
    expect(run.end).toMatchObject({ status: "succeeded", walkedPast: [] });
  });

  test("sums what models used; one report without a cost makes it unknown", () => {
    const used = (cost?: number) => {
      const usage = { inputTokens: 100, outputTokens: 10, turns: 2 };
      return [{ outcome: "success" as const, usage: cost === undefined ? usage : { ...usage, cost } }];
    };
    const known = play("a>b", { results: { a: used(0.5), b: used(0.25) } });
    expect(known.end?.usage).toEqual({ inputTokens: 200, outputTokens: 20, turns: 4, cost: 0.75 });
    const unknown = play("a>b", { results: { a: used(0.5), b: used() } });
    expect(unknown.end?.usage).toEqual({ inputTokens: 200, outputTokens: 20, turns: 4 });
    expect(play("a>b").end?.usage).toEqual({ inputTokens: 0, outputTokens: 0, turns: 0 });
  });
});

describe("steps", () => {
  test("count the longest way of arrivals, from 1; a retry keeps its step", () => {
    const run = play("a>b,b>c,a>c,c>d", { results: { c: "unsent success" }, nodes: { c: { retry: 1 } } });
    const steps = run.events.flatMap((event) => (event.type === "node.started" ? [`${event.node}${event.step}`] : []));
    expect(steps).toEqual(["a1", "b2", "c3", "c3", "d4"]);
  });

  test("a start names the nodes whose arrivals it takes, in id order", () => {
    const run = play("a>c,a>b,b>d,c>d");
    const from = run.events.flatMap((event) => (event.type === "node.started" ? [event.from.join()] : []));
    expect(from).toEqual(["", "a", "a", "b,c"]);
  });
});
