import { afterEach, expect, test } from "vitest";
import { limits } from "../../src/model/limits.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { RunHandle } from "../../src/runtime/api.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { emptyView, fold } from "../../src/views/fold.ts";
import { agentic, blueprint, plain } from "./blueprints.ts";
import { type Act, again, bodies, handle, request, success, until, World } from "./harness.ts";

const hour = 3_600_000;
const of = blueprint([agentic("fix", { cap: 1 }), plain("after")], [{ from: "fix", to: "after" }]);
const spent = { inputTokens: 10, outputTokens: 1, turns: 1 };

let world: World;
afterEach(() => world.remove());

/** An agent that is out of quota for an hour, the first so many times; and whatever else there is. */
function outOfQuota(times: number, calls: string[]): Readonly<Record<string, Act>> {
  const quota: NodeResult = {
    outcome: "error",
    reason: { code: "quota", text: "429" },
    retryAfterMs: hour,
    usage: spent,
    beforeEffect: true,
  };
  return {
    fix: ({ attempt }) => {
      calls.push(`fix ${attempt.pass}.${attempt.attempt}`);
      return attempt.attempt <= times ? quota : { ...success, usage: spent };
    },
    "*": () => success,
  };
}

/** A run that keeps its first pause, in an engine with a clock of its own. */
async function paused(times = 1, blue: Blueprint = of) {
  const clock = new ManualClock(1_000);
  world = new World({ clock });
  const calls: string[] = [];
  const engine = world.engine(outOfQuota(times, calls), 1);
  const started = handle(await engine.start(request(blue), world.observer));
  await until(() => bodies(world.seen, "node.retrying").length === 1);
  return { clock, calls, run: started.run, handle: started };
}

/** Lets time pass until the run has ended. */
async function ended({ end }: RunHandle, clock: ManualClock) {
  let over = false;
  void end.then(() => (over = true));
  await until(
    () => over,
    () => clock.advance(limits.waitLookMs),
  );
  return end;
}

test("a run that is out of quota waits, says until when, and goes on in the same pass", async () => {
  const { clock, calls, run, handle: running } = await paused();
  expect(bodies(world.seen, "node.retrying")).toMatchObject([{ delayMs: hour, until: 1_000 + hour }]);
  expect(world.journal(9).find(run)).toMatchObject({
    status: "waiting",
    reason: "fix waits for its provider until 1970-01-01T01:00:01.000Z",
  });
  const view = emptyView(run, of);
  for (const event of world.seen) fold(view, event);
  expect([view.status, view.nodes.get("fix")?.state, [...view.asleep]]).toEqual([
    "waiting",
    "asleep",
    [["fix", 1_000 + hour]],
  ]);
  expect(calls).toEqual(["fix 1.1"]);
  expect(await ended(running, clock)).toMatchObject({ status: "succeeded" });
  expect(clock.now()).toBeGreaterThanOrEqual(1_000 + hour);
  expect(calls).toEqual(["fix 1.1", "fix 1.2"]);
  expect(bodies(world.seen, "node.started").flatMap(({ charged }) => charged ?? [])).toEqual([{ passes: 1, cap: 1 }]);
  expect(world.journal(9).find(run)).toMatchObject({ status: "succeeded", reason: null });
});

test.each(["parked", "killed"])(
  "one that is %s goes on in another engine when it is time, charged once",
  async (how) => {
    const { clock, calls, run, handle: first } = await paused();
    expect(how === "killed" || first.leave("park")).toBe(true);
    world.kill(1);
    expect(world.journal(9).find(run)).toMatchObject({ status: "waiting" });
    clock.advance(hour / 2);
    const acts = outOfQuota(1, calls);
    const second = await world.resume(again(run, { blueprint: of }), acts, 2);
    expect(bodies(world.seen, "run.resumed")).toMatchObject([{ asleep: { fix: 1_000 + hour } }]);
    expect(world.journal(9).find(run)).toMatchObject({
      status: "waiting",
      reason: expect.stringContaining("fix waits"),
    });
    clock.advance(hour / 2 - 1_000);
    await new Promise(setImmediate);
    expect(calls).toEqual(["fix 1.1"]);
    expect(await ended(second, clock)).toMatchObject({ status: "succeeded" });
    expect(calls).toEqual(["fix 1.1", "fix 1.2"]);
    expect(bodies(world.seen, "node.started").filter(({ charged }) => charged !== undefined)).toHaveLength(1);
    expect(world.journal(9).passes(run, "test")).toEqual({ fix: 1 });
    expect(bodies(world.seen, "run.finished")).toMatchObject([{ usage: { inputTokens: 20, turns: 2 } }]);
  },
);

test("one whose time came while nobody was there goes on at once", async () => {
  const { clock, calls, run, handle: first } = await paused();
  first.leave("park");
  clock.advance(2 * hour);
  const acts = outOfQuota(1, calls);
  const second = await world.resume(again(run, { blueprint: of }), acts, 1);
  clock.advance(0);
  expect(await second.end).toMatchObject({ status: "succeeded" });
});

test("a clock that jumps wakes it once", async () => {
  const { clock, calls, handle: running } = await paused();
  clock.jump(3 * hour);
  clock.advance(limits.waitLookMs);
  expect(await running.end).toMatchObject({ status: "succeeded" });
  clock.advance(3 * hour);
  await new Promise(setImmediate);
  expect(calls).toEqual(["fix 1.1", "fix 1.2"]);
  expect(bodies(world.seen, "retry.due")).toHaveLength(1);
});

test("no longer than so many pauses, and the time of them is not the run's", async () => {
  const limited = { ...of, limits: { timeMs: 10 * 60_000 } };
  const { clock, calls, handle: running } = await paused(100, limited);
  expect(await ended(running, clock)).toMatchObject({ status: "failed", reason: expect.stringContaining("429") });
  expect(calls).toHaveLength(1 + limits.quotaWaits);
  expect(bodies(world.seen, "run.time_spent")).toEqual([]);
});

test("a stop ends the pause with the error that began it", async () => {
  const { clock, calls, handle: running } = await paused();
  running.stop("ann");
  expect(await running.end).toMatchObject({ status: "stopped" });
  clock.advance(2 * hour);
  await new Promise(setImmediate);
  expect(calls).toEqual(["fix 1.1"]);
  expect(bodies(world.seen, "node.ended")).toMatchObject([{ result: { reason: { code: "quota" } } }]);
});
