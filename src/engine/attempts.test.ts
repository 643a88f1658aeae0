import { describe, expect, test } from "vitest";
import { play, stage as blueprintOf, starts, worldOfScene } from "../../test/properties/play.ts";
import type { Scene } from "../../test/properties/play.ts";
import { runStarted } from "../../test/properties/driver.ts";
import { compile } from "../graph/plan.ts";
import type { EventBody } from "../model/events.ts";
import { advance } from "./advance.ts";
import { snapshot } from "./snapshot.ts";
import type { RunState } from "./state.ts";
import { initial } from "./state.ts";
import { statusOf } from "./status.ts";
import { unfinished } from "./ending/unfinished.ts";

describe("retries", () => {
  const nodes = { a: { retry: 7 } } as const;

  test("of an error that touched nothing: doubling delays up to the longest, then the outcome counts", () => {
    const run = play("a+>b", { nodes, results: { a: "unsent" } });
    const delays = run.commands.flatMap((command) => (command.type === "retry_after" ? [command.delayMs] : []));
    expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(starts(run)).toBe("a a#1.2 a#1.3 a#1.4 a#1.5 a#1.6 a#1.7 a#1.8");
    expect(run.end).toMatchObject({ status: "failed", reason: "a: no connection" });
  });

  test.each([
    ["an error that may have touched something", { retry: 3 }, "error success", 1],
    ["the same, of a node that is idempotent", { retry: 3, idempotent: true }, "error success", 2],
    ["a failure", { retry: 3, idempotent: true }, "failure success", 1],
    ["a gate", { retry: 3, type: "human" }, "unsent success", 1],
    ["a node that asks for none", {}, "unsent success", 1],
  ] as const)("%s", (_, a, results, attempts) => {
    const run = play("a>b", { nodes: { a }, results: { a: results } });
    expect(
      starts(run)
        .split(" ")
        .filter((start) => start.startsWith("a")),
    ).toHaveLength(attempts);
  });

  test("the command line wins over the node, the node over the document", () => {
    const attempts = (scene: Scene) => play("a>b", { ...scene, results: { a: "unsent" } }).commands.length;
    const count = (scene: Scene) =>
      play("a>b", { ...scene, results: { a: "unsent" } }).commands.filter(({ type }) => type === "retry_after").length;
    expect(attempts({})).toBeGreaterThan(0);
    expect(count({ settings: { limits: { retries: 2 } } })).toBe(2);
    expect(count({ settings: { limits: { retries: 2 } }, nodes: { a: { retry: 1 } } })).toBe(1);
    expect(count({ nodes: { a: { retry: 1 } }, started: { ...runStarted, maxRetries: 0 } })).toBe(0);
  });

  test("count from nothing in every pass", () => {
    const run = play("a!>a,a+>END", { nodes: { a: { retry: 1 } }, results: { a: "unsent failure unsent success" } });
    expect(starts(run)).toBe("a a#1.2 a#2 a#2.2");
    expect(run.end?.status).toBe("succeeded");
  });
});

/** A run by hand, event by event. */
class Hand {
  readonly state: RunState;
  readonly events: EventBody[] = [];
  #now = 0;

  constructor(edges: string, scene: Scene = {}) {
    this.state = initial(compile(blueprintOf(edges, scene)));
    this.give(runStarted);
  }

  /** What was taken and decided, as words. */
  give(...incoming: EventBody[]): string {
    const { events } = advance(this.state, incoming, (this.#now += 1));
    this.events.push(...events);
    return events.map(wordOf).join(" ");
  }

  end(node: string, outcome: "success" | "failure" | "error" | "cancelled", pass = 1, attempt = 1): string {
    return this.give({ type: "node.ended", node, pass, attempt, result: { outcome } });
  }

  settle(node: string, as: "done" | "failed" | "again", pass = 1, attempt = 1, grant?: number): string {
    const event = { type: "node.settled", node, pass, attempt, as, by: "ann" } as const;
    return this.give(resumed, grant === undefined ? event : { ...event, grant });
  }
}

const resumed: EventBody = { type: "run.resumed", owner: runStarted.owner };
const crash = { code: "crash", text: "the engine ended" } as const;

function wordOf(event: EventBody): string {
  switch (event.type) {
    case "node.started":
      return `+${event.node}${event.pass}.${event.attempt}`;
    case "node.ended":
      return `-${event.node}`;
    case "node.skipped":
      return `/${event.node}`;
    case "run.halting":
      return `halting:${event.cause}`;
    case "run.finished":
      return event.status;
    default:
      return event.type;
  }
}

describe("outcomes that come late", () => {
  test("are dropped: a second one, one of another attempt, one of a run that is over", () => {
    const hand = new Hand("a>b");
    expect(hand.end("a", "success")).toBe("-a +b1.1");
    expect(hand.end("a", "success")).toBe("");
    expect(hand.end("b", "success", 2)).toBe("");
    expect(hand.end("b", "success", 1, 2)).toBe("");
    expect(hand.end("nobody", "success")).toBe("");
    expect(hand.end("b", "success")).toBe("-b succeeded");
    expect(hand.end("b", "failure")).toBe("");
    expect(hand.give({ type: "run.stop_requested", by: "ann" })).toBe("");
  });

  test("change nothing", () => {
    const hand = new Hand("a>b");
    const before = snapshot(hand.state);
    hand.end("b", "success");
    hand.give(runStarted, { type: "retry.due", node: "a", pass: 1, attempt: 1 });
    expect(snapshot(hand.state)).toEqual(before);
  });

  test("an error that may be tried again is not, where a join has gone on without it", () => {
    const hand = new Hand("s>a,s>b,a>j,b>j", { nodes: { j: { join: "any" }, b: { retry: 2, idempotent: true } } });
    hand.end("s", "success");
    expect(hand.end("a", "success")).toBe("-a +j1.1");
    expect(hand.end("b", "error")).toBe("-b");
    expect(hand.end("j", "success")).toBe("-j succeeded");
  });

  test("what a join had gone on without begins once more after a crash only to be cancelled", () => {
    const hand = new Hand("s>a,s>b,a>j,b>j", { nodes: { j: { join: "any" } } });
    hand.end("s", "success");
    hand.end("a", "success");
    const again = { node: "b", pass: 1, attempt: 1 } as const;
    const found: readonly EventBody[] = [
      resumed,
      { type: "node.unconfirmed", ...again, reason: crash },
      { type: "node.settled", ...again, as: "again", by: "engine" },
    ];
    const { commands } = advance(hand.state, found, 9);
    expect(commands).toContainEqual({ type: "cancel", why: "lost_join", node: "b", pass: 1, attempt: 2 });
    expect(hand.end("b", "cancelled", 1, 2)).toBe("-b");
    expect(hand.end("j", "success")).toBe("-j succeeded");
  });

  test("nothing happens before the run has started", () => {
    const state = initial(compile(blueprintOf("a>b")));
    expect(advance(state, [{ type: "passes.synced", passes: {} }], 0).events).toEqual([
      { type: "passes.synced", passes: {} },
    ]);
    expect(advance(state, [{ type: "run.stop_requested", by: "ann" }], 0).events).toEqual([]);
  });
});

describe("after a crash", () => {
  test("claims without an outcome are the unfinished ones", () => {
    const hand = new Hand("s>a,s>b,a>c");
    expect(unfinished(hand.state)).toEqual([{ node: "s", pass: 1, attempt: 1 }]);
    hand.end("s", "success");
    hand.end("a", "success");
    expect(unfinished(hand.state).map(({ node }) => node)).toEqual(["b", "c"]);
  });

  test("an unconfirmed one halts the run, which needs attention; what is settled as done goes on", () => {
    const hand = new Hand("a>b,a>c,b+>d,c+>d");
    hand.end("a", "success");
    const lost = { type: "node.unconfirmed", node: "b", pass: 1, attempt: 1, reason: crash } as const;
    expect(hand.give(resumed, lost)).toBe("run.resumed node.unconfirmed halting:needs_attention");
    expect(hand.end("c", "success")).toBe("-c needs_attention");
    expect(hand.give(resumed)).toBe("run.resumed halting:needs_attention needs_attention");
    expect(hand.settle("b", "done")).toBe("run.resumed node.settled +d1.1");
    expect(hand.end("d", "success")).toBe("-d succeeded");
  });

  test.each([
    ["failed", "run.resumed node.settled failed"],
    ["again", "run.resumed node.settled +a1.2"],
  ] as const)("settled as %s", (as, words) => {
    const hand = new Hand("a+>b");
    hand.give(resumed, { type: "node.unconfirmed", node: "a", pass: 1, attempt: 1, reason: crash });
    expect(hand.settle("a", as)).toBe(words);
  });

  test("an idempotent node is claimed again, as the next attempt of the same pass", () => {
    const hand = new Hand("a>b", { nodes: { a: { type: "agent", cap: 1 } } });
    const again = { type: "node.settled", node: "a", pass: 1, attempt: 1, as: "again", by: "idempotent" } as const;
    expect(hand.give(resumed, again)).toBe("run.resumed node.settled +a1.2");
    expect(hand.end("a", "success", 1, 2)).toBe("-a +b1.1");
  });

  test("a retry that was due is armed again", () => {
    const hand = new Hand("a>b", { nodes: { a: { retry: 1, idempotent: true } } });
    expect(hand.end("a", "error")).toBe("node.retrying");
    const { commands } = advance(hand.state, [resumed], 9);
    expect(commands).toContainEqual({ type: "retry_after", node: "a", pass: 1, attempt: 1, delayMs: 0 });
    expect(hand.give({ type: "retry.due", node: "a", pass: 1, attempt: 1 })).toBe("retry.due +a1.2");
  });

  test("the time in which no engine lived does not count", () => {
    const state = initial(compile(blueprintOf("a>b")));
    advance(state, [runStarted], 1_000);
    advance(
      state,
      [{ type: "agent.progressed", node: "a", pass: 1, attempt: 1, event: { type: "text", text: "" } }],
      1_500,
    );
    advance(state, [resumed], 900_000);
    advance(state, [{ type: "node.ended", node: "a", pass: 1, attempt: 1, result: { outcome: "success" } }], 900_250);
    expect(state.spentMs + (900_250 - (state.workingSince ?? 0))).toBe(750);
  });
});

describe("a person settles what halted the run", () => {
  const scene = { nodes: { f: { type: "agent", cap: 1 } } } as const;
  const capped = (): Hand => {
    const hand = new Hand("t!>f,f>t,t+>e", scene);
    hand.end("t", "failure");
    hand.end("f", "success");
    expect(hand.end("t", "failure", 2)).toBe("-t halting:escalated escalated");
    return hand;
  };

  test("again, with a grant: one more pass, charged", () => {
    const hand = capped();
    expect(hand.settle("f", "again", 2, 1, 1)).toBe("run.resumed node.settled +f2.1");
    expect(hand.events.at(-1)).toMatchObject({ charged: { passes: 2, cap: 2 } });
    hand.end("f", "success", 2);
    expect(hand.end("t", "failure", 3)).toBe("-t halting:escalated escalated");
  });

  test("again, without a grant: the cap stands", () => {
    expect(capped().settle("f", "again", 2)).toBe("run.resumed node.settled halting:escalated escalated");
  });

  test("done: as if the pass had been made", () => {
    expect(capped().settle("f", "done", 2)).toBe("run.resumed node.settled +t3.1");
  });

  test("failed: it takes the edges of a failure", () => {
    const hand = new Hand("t!>f,f+>t,t+>e", scene);
    hand.end("t", "failure");
    hand.end("f", "success");
    hand.end("t", "failure", 2);
    expect(hand.settle("f", "failed", 2)).toBe("run.resumed node.settled failed");
  });

  test("a failure that escalated: done goes on, failed ends as failed, again is a new pass", () => {
    const halted = (): Hand => {
      const hand = new Hand("a+>b", { settings: { escalate: ["failure"] } });
      expect(hand.end("a", "failure")).toBe("-a halting:escalated escalated");
      return hand;
    };
    expect(halted().settle("a", "done")).toBe("run.resumed node.settled +b1.1");
    expect(halted().settle("a", "failed")).toBe("run.resumed node.settled failed");
    expect(halted().settle("a", "again")).toBe("run.resumed node.settled +a2.1");
    expect(halted().give(resumed)).toBe("run.resumed halting:escalated escalated");
  });

  test("nothing else can be settled, and a run that is over stays over", () => {
    const hand = capped();
    expect(hand.settle("e", "done")).toBe("run.resumed halting:escalated escalated");
    const over = new Hand("a+>b");
    over.end("a", "failure");
    expect(over.settle("a", "done")).toBe("");
  });
});

describe("status", () => {
  test("is waiting while all that goes on waits for a person or a time", () => {
    const hand = new Hand("s>g,s>w,s>a", { nodes: { g: { type: "human" }, w: { type: "wait" } } });
    hand.end("s", "success");
    expect(statusOf(hand.state)).toBe("running");
    hand.end("a", "success");
    expect(statusOf(hand.state)).toBe("waiting");
    hand.end("g", "success");
    expect(statusOf(hand.state)).toBe("waiting");
    hand.end("w", "success");
    expect(statusOf(hand.state)).toBe("succeeded");
  });
});

test("a world of a scene says the last result for ever", () => {
  const world = worldOfScene({ results: { a: "failure success" } });
  const said = [1, 2, 3].map((attempt) => world.result({ node: "a", pass: 1, attempt }).outcome);
  expect(said).toEqual(["failure", "success", "success"]);
});
