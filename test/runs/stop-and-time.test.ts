import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { systemIds } from "../../src/runtime/ids.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { RunTimers } from "../../src/runtime/time/timers.ts";
import { blueprint, chainOf, plain } from "./blueprints.ts";
import { again, bodies, handle, kinds, request, success, until, World } from "./harness.ts";

const never = (error: unknown): void => {
  throw error;
};

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("stop", () => {
  const waiting = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<{ readonly outcome: "cancelled" }>((resolve) =>
      signal.addEventListener("abort", () => resolve({ outcome: "cancelled" })),
    );

  test("cancels what runs and starts nothing more", async () => {
    const engine = world.engine({ a: waiting, b: () => success });
    const run = handle(await engine.start(request(chainOf(["a", "b"])), world.observer));
    run.stop("Ada");
    expect(await run.end).toMatchObject({ status: "stopped" });
    expect(kinds(world.seen)).not.toContain("node.started b");
    expect(bodies(world.seen, "run.stop_requested")).toMatchObject([{ by: "Ada" }]);
  });

  test("reaches the owner from another process, and its message is gone afterwards", async () => {
    const engine = world.engine({ a: waiting });
    const { end, run } = handle(await engine.start(request(chainOf(["a"])), world.observer));
    const other = world.journal(2);
    await other.post(run, { type: "run.stop_requested", by: "another process" });
    expect(await end).toMatchObject({ status: "stopped" });
    const left: unknown[] = [];
    other.listen(run, (message) => left.push(message), never);
    expect(left).toEqual([]);
  });
});

describe("retries", () => {
  test("an error before any effect is tried again after a delay, as an attempt of the same pass", async () => {
    const clock = new ManualClock(1_000);
    const patient = new World({ clock });
    let tries = 0;
    const engine = patient.engine({
      a: () => {
        tries += 1;
        return tries < 3
          ? { outcome: "error", beforeEffect: true, reason: { code: "overloaded", text: "busy" } }
          : success;
      },
    });
    const { end } = handle(await engine.start(request(chainOf(["a"], { retry: 2 })), patient.observer));
    let over = false;
    void end.then(() => (over = true));
    await until(
      () => over,
      () => clock.advance(50),
    );
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(bodies(patient.seen, "node.started").map(({ pass, attempt }) => [pass, attempt])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    const starts = patient.seen.filter(({ body }) => body.type === "node.started").map(({ at }) => at);
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(limits.retryFirstDelayMs);
    await patient.remove();
  });

  test("come up to a quarter later than their delay, so that those that failed together do not come together again", () => {
    const due = [0, 0.5, 0.999].map((random) => {
      const clock = new ManualClock(0);
      let at = Number.NaN;
      const ids = { ...systemIds(clock), random: () => random };
      const timers = new RunTimers(clock, ids, { retryDue: () => (at = clock.now()), timeSpent: () => undefined });
      timers.retryAfter({ node: "a", pass: 1, attempt: 1 }, 1_000);
      for (let ms = 0; ms < 2_000; ms += 1) clock.advance(1);
      return at;
    });
    expect(due).toEqual([1_000, 1_125, 1_250]);
  });

  test("no time spent in a run that waits for its time limit is left over after its end", async () => {
    const clock = new ManualClock(1_000);
    const timed = new World({ clock });
    const engine = timed.engine({ "*": () => success });
    const { end } = handle(
      await engine.start(request(blueprint([plain("a")], [], { limits: { timeMs: 60_000 } })), timed.observer),
    );
    await end;
    clock.advance(3_600_000);
    await new Promise(setImmediate);
    expect(kinds(timed.seen)).not.toContain("run.time_spent");
    await timed.remove();
  });

  test("limits.time ends a run that works for longer", async () => {
    const clock = new ManualClock(1_000);
    const timed = new World({ clock });
    const engine = timed.engine({
      a: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }))),
    });
    const of = blueprint([plain("a")], [], { limits: { timeMs: 60_000 } });
    const { run, end } = handle(await engine.start(request(of), timed.observer));
    clock.advance(60_000);
    expect(await end).toMatchObject({ status: "limit" });
    // No node waits for a decision, so none is asked for.
    const hint = expect.stringContaining(`trammel fork ${run}`);
    const ended = { refused: "finished", message: `run ${run} has ended: limits.time is used up`, hint };
    expect(await engine.resume(again(run, { blueprint: of }), timed.observer)).toEqual(ended);
    const settle = { node: "a", as: "again", by: "Ada" } as const;
    expect(await engine.resume(again(run, { blueprint: of, settle }), timed.observer)).toMatchObject({ hint });
    await timed.remove();
  });
});

describe("an attempt that does not come back", () => {
  test("is not tried again beside itself, though its author allows that: a person decides", async () => {
    const clock = new ManualClock(1_000);
    const patient = new World({ clock });
    const late = Promise.withResolvers<typeof success>();
    let tries = 0;
    const engine = patient.engine({
      a: () => {
        tries += 1;
        return late.promise;
      },
    });
    const of = chainOf(["a"], { retry: 3, idempotent: true, timeoutMs: 1_000 });
    const { run, end } = handle(await engine.start(request(of), patient.observer));
    await until(() => tries === 1);
    const ended = end.then(({ status }) => status);
    let status: string | null = null;
    void ended.then((is) => (status = is));
    await until(
      () => status !== null,
      () => clock.advance(1_000),
    );
    expect(status).toBe("needs_attention");
    expect(tries).toBe(1);
    expect(bodies(patient.seen, "run.halting")).toMatchObject([
      { cause: "needs_attention", node: "a", reason: { code: "left_behind" } },
    ]);
    const decided = { ...again(run), blueprint: of, settle: { node: "a", as: "again", by: "Ada" } } as const;
    expect(await engine.resume(decided, patient.observer)).toMatchObject({ refused: "conflict" });
    late.resolve(success);
    await late.promise;
    await new Promise(setImmediate);
    expect(await handle(await engine.resume(decided, patient.observer)).end).toMatchObject({ status: "succeeded" });
    expect(tries).toBe(2);
    await patient.remove();
  });
});
