import { afterEach, expect, test } from "vitest";
import { systemClock } from "../runtime/time/clock.ts";
import { StageClock } from "./clock.ts";

const days = 24 * 3_600_000;
let clock = new StageClock(systemClock);
afterEach(() => {
  clock.close();
  clock = new StageClock(systemClock);
});

function due(ms: number): Promise<number> {
  return new Promise((resolve) => clock.after(ms, () => resolve(clock.now())));
}

test("three days are over at once where nothing is at work", async () => {
  const begun = clock.now();
  expect(await due(3 * days)).toBeGreaterThanOrEqual(begun + 3 * days);
});

test("timers come due in order, each at its own moment", async () => {
  const begun = clock.now();
  const order: number[] = [];
  const note = async (ms: number): Promise<void> => {
    const at = await due(ms);
    order.push(ms);
    expect(at - begun).toBeGreaterThanOrEqual(ms);
    expect(at - begun).toBeLessThan(ms + 5_000);
  };
  await Promise.all([note(2 * days), note(1 * days), note(30 * days)]);
  expect(order).toEqual([1 * days, 2 * days, 30 * days]);
});

test("while something is at work time goes at its own pace", async () => {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = clock.work(async () => {
    await promise;
    order.push("work");
  });
  const wait = due(1 * days).then(() => order.push("wait"));
  // Long enough for a leap, were there one.
  systemClock.after(200, resolve);
  await Promise.all([work, wait]);
  expect(order).toEqual(["work", "wait"]);
});

test("a timer that is taken back never fires, and the next one does", async () => {
  let fired = false;
  const cancel = clock.after(days, () => {
    fired = true;
  });
  cancel();
  await due(2 * days);
  expect(fired).toBe(false);
});

test("begins no earlier than it is told to", () => {
  const later = Date.now() + 5 * days;
  const moved = new StageClock(systemClock, later);
  expect(moved.now()).toBeGreaterThanOrEqual(later);
  expect(new StageClock(systemClock, 5).now()).toBeGreaterThan(later - 6 * days);
});
