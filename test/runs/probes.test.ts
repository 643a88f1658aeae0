import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../src/model/limits.ts";
import type { ProcessRunner } from "../../src/ports/processes.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { chainOf } from "./blueprints.ts";
import { again, handle, kinds, until, World } from "./harness.ts";

let world: World;
afterEach(() => world.remove());

describe("a probe that hangs", () => {
  const effect = { probe: "sleep 600", done: "exit 0" };
  const of = chainOf(["a", "b", "c"], { effect });
  const nothing = { text: "", bytes: 0 };
  const told: string[] = [];
  let clock: ManualClock;
  let hangs: boolean;
  let asked: boolean;

  beforeEach(() => {
    told.length = 0;
    [hangs, asked] = [true, false];
    clock = new ManualClock();
    const run: ProcessRunner["run"] = (_, signal) => {
      asked = true;
      const answer = { output: nothing, stdout: nothing, stderr: nothing, survivors: [] };
      if (!hangs) return Promise.resolve({ ...answer, end: { kind: "exit", code: 0 } });
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ ...answer, end: { kind: "cancelled" } }));
      });
    };
    world = new World({ clock, can: { processes: { run } }, notice: (what) => told.push(what) });
  });

  const resumed = (pid: number, run: string, signal?: AbortSignal) =>
    world
      .engine(world.hangingIn(), pid)
      .resume(again(run, { blueprint: of, ...(signal && { signal }) }), world.observer);

  test("is given up at once by whoever asked, with nothing said of the node, and is asked again by another process beside it", async () => {
    const run = await world.diedIn("b", of);
    const before = kinds(world.journal(9).read(run));
    const interrupt = new AbortController();
    const first = resumed(2, run, interrupt.signal);
    await until(() => asked);
    interrupt.abort();
    expect(await first).toMatchObject({ refused: "conflict", message: `run ${run} was stopped before it went on` });
    expect(kinds(world.journal(9).read(run))).toEqual(before);
    expect(world.journal(9).find(run)).toMatchObject({ status: "interrupted", owner: { pid: 1 } });
    hangs = false;
    expect(await handle(await resumed(3, run)).end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "b", "c"]);
  });

  test("does not keep a stop of the run by another process waiting", async () => {
    const run = await world.diedIn("b", of);
    const going = resumed(2, run);
    await until(() => asked);
    await world.journal(9).post(run, { type: "run.stop_requested", by: "Ada" });
    clock.advance(limits.mailboxPollMs);
    expect(await handle(await going).end).toMatchObject({ status: "stopped" });
    expect(world.calls).toEqual(["a", "b"]);
  });

  test("is told of before long, once", async () => {
    const run = await world.diedIn("b", of);
    const interrupt = new AbortController();
    const going = resumed(2, run, interrupt.signal);
    await until(() => asked);
    clock.advance(limits.waitToldMs - 1);
    expect(told).toEqual([]);
    clock.advance(60_000);
    expect(told).toEqual(["waiting for the probe of b, at most 60 s"]);
    interrupt.abort();
    await going;
  });
});
