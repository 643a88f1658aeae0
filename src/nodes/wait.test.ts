import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NodeBench, type Performing } from "../../test/support/node-bench.ts";
import type { WaitNode } from "../model/node.ts";
import type { NodeResult } from "../model/outcome.ts";
import { ManualClock } from "../runtime/time/clock.ts";
import { createWaitPerformer } from "./wait.ts";

const day = 24 * 3_600_000;
const start = Date.parse("2026-12-01T09:00:00Z");

let bench: NodeBench;
let clock: ManualClock;

beforeEach(() => {
  bench = new NodeBench();
  clock = new ManualClock(start);
});

afterEach(() => bench.close());

const nodeOf = (node: Partial<WaitNode>): WaitNode => ({ id: "w", type: "wait", ...node });

/** The result once it is there; null until then. */
function wait(node: Partial<WaitNode>, performing: Performing = {}): () => Promise<NodeResult | null> {
  let result: NodeResult | null = null;
  void bench
    .perform(createWaitPerformer(clock), nodeOf(node), { since: start, ...performing })
    .then((ended) => (result = ended));
  return async () => {
    await new Promise((turn) => setImmediate(turn));
    return result;
  };
}

/** Moves on in steps, as a clock does. */
async function pass(ms: number, step: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += step) {
    clock.advance(step);
    await new Promise((turn) => setImmediate(turn));
  }
}

describe("for", () => {
  test("is over when the time is, and not before", async () => {
    const ended = wait({ forMs: 90_000 });
    await pass(89_000, 1_000);
    expect(await ended()).toBeNull();
    await pass(1_000, 1_000);
    expect(await ended()).toEqual({ outcome: "success" });
  });

  test("goes on over a restart: what has passed has passed", async () => {
    expect(await wait({ forMs: 5_000 }, { since: start - 5_000 })()).toEqual({ outcome: "success" });
    const ended = wait({ forMs: 5_000 }, { since: start - 4_000 });
    expect(await ended()).toBeNull();
    await pass(1_000, 1_000);
    expect(await ended()).toEqual({ outcome: "success" });
  });

  test("may be longer than any timer", async () => {
    const ended = wait({ forMs: 40 * day });
    await pass(40 * day - 30 * 60_000, 30 * 60_000);
    expect(await ended()).toBeNull();
    await pass(30 * 60_000, 60_000);
    expect(await ended()).toEqual({ outcome: "success" });
  });
});

describe("until", () => {
  test("looks at the clock on the wall, also when it is set", async () => {
    const ended = wait({ until: "2026-12-01T19:30:00+10:00" });
    await pass(60_000, 60_000);
    expect(await ended()).toBeNull();
    clock.jump(30 * 60_000);
    await pass(60_000, 60_000);
    expect(await ended()).toEqual({ outcome: "success" });
  });

  test("that is past is no wait", async () => {
    expect(await wait({ until: "2020-01-01T00:00:00Z" })()).toEqual({ outcome: "success" });
  });
});

test("a stop ends it at once", async () => {
  const stop = new AbortController();
  const ended = wait({ forMs: day }, { signal: stop.signal });
  expect(await ended()).toBeNull();
  stop.abort();
  expect(await ended()).toMatchObject({ outcome: "cancelled" });
});

test("what is no time is said before the run", () => {
  const missing = (node: Partial<WaitNode>): string | null =>
    createWaitPerformer(clock).missing(nodeOf(node), bench.can, bench.context(nodeOf(node)).blueprint);
  expect(missing({ forMs: 1 })).toBeNull();
  expect(missing({ until: "2026-12-01T09:00:00Z" })).toBeNull();
  expect(missing({ until: "tomorrow" })).toBe(
    '"tomorrow" is no time; write it as ISO 8601, e.g. 2026-12-01T09:00:00+10:00',
  );
  expect(missing({})).toBe("it needs either `for` or `until`");
});
