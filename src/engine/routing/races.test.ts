import { describe, expect, test } from "vitest";
import { runStarted } from "../../../test/properties/driver.ts";
import { play, starts } from "../../../test/properties/play.ts";
import type { Scene } from "../../../test/properties/play.ts";
import { advance } from "../advance.ts";

const race = { j: { join: "any" } } as const;
const arms = "s>a,s>b,s>c,a+>j,b+>j,c+>j,j>e";

function cancels(run: ReturnType<typeof play>): string {
  return run.commands
    .flatMap((command) => (command.type === "cancel" ? [`${command.node}:${command.why}`] : []))
    .join(" ");
}

describe("join: any", () => {
  test("starts at the first arrival, once, and cancels the arms that lost", () => {
    const run = play(arms, { nodes: race, ticks: { a: 9, b: 2, c: 9 } });
    expect(starts(run)).toBe("s a b c j e");
    expect(cancels(run)).toBe("a:lost_join c:lost_join");
    expect(run.end).toMatchObject({ status: "succeeded", walkedPast: [] });
  });

  test("losers: drain lets them finish; what they bring is absorbed", () => {
    const run = play(arms, { nodes: { j: { join: "any", losers: "drain" } }, ticks: { a: 9, b: 2, c: 9 } });
    expect(starts(run)).toBe("s a b c j e");
    expect(cancels(run)).toBe("");
    expect(run.times.at(-1)).toBe(10);
  });

  test("a failure on an arm does not count once the join is met, before or after", () => {
    for (const a of [1, 5]) {
      const scene: Scene = {
        nodes: { j: { join: "any", losers: "drain" } },
        ticks: { a, b: 3, c: 4 },
        results: { a: "failure" },
      };
      expect(play(arms, scene).end).toMatchObject({ status: "succeeded", walkedPast: ["a"] });
    }
  });

  test("nor does it break a join further on", () => {
    const run = play("s>a,s>b,s>d,a+>j,b+>j,j>k,d!>x,d+>k", { nodes: race, results: { a: "failure", d: "failure" } });
    expect(run.skipped).toEqual(["k"]);
    expect(run.events.find((event) => event.type === "node.skipped")).toMatchObject({ because: "d" });
    const only = play("s>a,s>b,s>d,a+>j,b+>j,j>k,d>q,q!>k", { nodes: race, results: { a: "failure" } });
    expect(starts(only)).toBe("s a b d j q k");
    expect(only.end?.status).toBe("succeeded");
  });

  test("arms that lead elsewhere too are not cancelled", () => {
    const run = play(`${arms},a+>x`, { nodes: race, ticks: { a: 9, b: 2, c: 9 } });
    expect(cancels(run)).toBe("c:lost_join");
    expect(starts(run)).toBe("s a b c j e x");
  });

  test.each(["done", "failed"] as const)(
    "one that a limit refused and a person takes as %s has its losers, too",
    (as) => {
      const scene: Scene = { nodes: race, settings: { limits: { steps: 3 } } };
      const run = play("s>a,s>c,a+>j,c>x,x+>j,j>e,j!>e", scene);
      expect(run.end).toMatchObject({ status: "limit", reason: expect.stringMatching(/^j: /) });
      const accepted = { contentHash: "", bindingHash: "", limits: {} };
      const { events } = advance(
        run.state,
        [
          { type: "run.resumed", owner: runStarted.owner, accepted },
          { type: "node.settled", node: "j", pass: 1, attempt: 1, as, by: "ann" },
        ],
        10,
      );
      expect(events.flatMap((event) => (event.type === "node.started" ? [event.node] : []))).toEqual(["e"]);
      expect(events).toContainEqual({ type: "arrivals.superseded", by: "j", arrivals: [{ from: "c", to: "x" }] });
    },
  );

  test("what is queued on a losing arm does not start", () => {
    const run = play("s>a,s>b,s>c,a>x,x>j,b>j,c>x", {
      nodes: { ...race, x: {} },
      settings: { limits: { parallel: 2 } },
      ticks: { a: 9, b: 1 },
    });
    expect(run.counts).toEqual({ s: 1, a: 1, b: 1, j: 1 });
    const skipped = run.events.flatMap((event) =>
      event.type === "node.skipped" ? [`${event.node}:${event.reason.code}`] : [],
    );
    expect(skipped).toEqual(["c:lost_join"]);
    expect(run.end?.status).toBe("succeeded");
  });

  test("what waits on a losing arm is dropped", () => {
    const run = play("s>a,s>b,s>c,a>x,c>x,x>j,b>j", { nodes: race, ticks: { b: 3, c: 9 } });
    expect(run.counts).toEqual({ s: 1, a: 1, b: 1, c: 1, j: 1 });
    const dropped = run.events.flatMap((event) => (event.type === "arrivals.superseded" ? event.arrivals : []));
    expect(dropped).toEqual([{ from: "a", to: "x" }]);
  });

  test("a result that comes before the cancellation takes effect is of no more use", () => {
    const run = play("s>a,s>b,a>x,x>j,b>j", { nodes: race, ticks: { a: 2, b: 1 } });
    expect(run.counts.x).toBeUndefined();
  });

  test("in a loop it is met anew in every pass", () => {
    const run = play("s>a,s>b,a>j,b>j,j>t,t!>s,t+>END", {
      nodes: race,
      ticks: { a: 5 },
      results: { t: "failure success" },
    });
    expect(run.counts).toEqual({ s: 2, a: 2, b: 2, j: 2, t: 2 });
    expect(run.end?.status).toBe("succeeded");
  });
});

describe("join: a number", () => {
  const two = { j: { join: 2 } } as const;

  test("starts at that many arrivals", () => {
    const run = play(arms, { nodes: two, ticks: { a: 2, b: 5, c: 9 } });
    expect(starts(run)).toBe("s a b c j e");
    expect(cancels(run)).toBe("c:lost_join");
  });

  test("is skipped as unmet when fewer can come, and the run fails", () => {
    const run = play(arms, { nodes: two, results: { a: "failure", b: "failure" }, ticks: { c: 3 } });
    expect(starts(run)).toBe("s a b c");
    expect(run.events).toContainEqual({
      type: "node.skipped",
      node: "j",
      from: ["c"],
      reason: { code: "join_unmet", text: "needs 2 of its arms, and 1 came" },
    });
    expect(run.end?.status).toBe("failed");
  });
});

test.each([
  ["an edge that goes back", "s>a,s>b,a>j,b>j,j>t,t!>j,t+>END"],
  ["the opening of the run", "j>t,t!>j,t+>END"],
])("%s starts a pass of a join that needs two arms by itself", (_, edges) => {
  const run = play(edges, { nodes: { j: { join: 2 } }, results: { t: "failure success" } });
  expect(run.counts).toMatchObject({ j: 2, t: 2 });
  expect(run.skipped).toEqual([]);
  expect(run.end?.status).toBe("succeeded");
});

describe("join: live", () => {
  test("starts with the arms that came", () => {
    const run = play("s>a,s>b,a+>j,b+>j", { nodes: { j: { join: "live" } }, results: { a: "failure" } });
    expect(starts(run)).toBe("s a b j");
    expect(run.end).toMatchObject({ status: "failed", reason: "a: exit 1" });
  });
});

describe("a broken arm", () => {
  test("skips the join, names the node that broke it, and fails the run", () => {
    const run = play("s>a,s>b,a+>j,b+>j,j>e", { results: { a: "failure" } });
    expect(run.events).toContainEqual({
      type: "node.skipped",
      node: "j",
      from: ["b"],
      because: "a",
      reason: { code: "broken_arm", text: "needs a, which did not succeed: exit 1" },
    });
    expect(run.end).toMatchObject({ status: "failed", reason: "a: exit 1" });
  });

  test("an error breaks an unconditional arm too", () => {
    const run = play("s>a,s>b,a>j,b>j", { results: { a: "error" } });
    expect(run.skipped).toEqual(["j"]);
  });

  test("further joins name the root of it", () => {
    const run = play("s>a,s>b,s>c,a+>j,b+>j,j>k,c>k", { results: { a: "failure" }, ticks: { c: 4 } });
    expect(run.skipped).toEqual(["j", "k"]);
    const because = run.events.flatMap((event) => (event.type === "node.skipped" ? [event.because] : []));
    expect(because).toEqual(["a", "a"]);
  });

  test("also where the skipped join between comes first by name", () => {
    const run = play("s>z,s>b,s>c,z+>j,b+>j,j+>k,c>k", { results: { z: "failure" }, ticks: { c: 4 } });
    const because = run.events.flatMap((event) => (event.type === "node.skipped" ? [event.because] : []));
    expect(because).toEqual(["z", "z"]);
  });

  test("what a node delivered before a new pass of it counts no more", () => {
    const run = play("s>x,s>w,x+>n,x+>x,w>n", { results: { x: "success failure" }, ticks: { w: 9 } });
    expect(starts(run)).toBe("s w x x#2");
    expect(run.events).toContainEqual({ type: "arrivals.superseded", by: "x", arrivals: [{ from: "x", to: "n" }] });
    expect(run.skipped).toEqual(["n"]);
  });

  test("an arm that a decision ended, or END after success, breaks nothing and is not waited for", () => {
    const edges = [
      { from: "s", to: "d" },
      { from: "s", to: "b" },
      { from: "d", when: "yes", to: "j" },
      { from: "d", when: "no", to: "END" },
      { from: "b", to: "j" },
    ];
    expect(starts(play(edges, { results: { d: "no" } }))).toBe("s b d j");
  });
});
