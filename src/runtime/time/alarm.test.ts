import { expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { alarm, pause } from "./alarm.ts";
import { ManualClock } from "./clock.ts";

const hour = 3_600_000;

test("an alarm goes off once, at its time", () => {
  const clock = new ManualClock();
  let rung = 0;
  alarm(clock, hour, () => (rung += 1));
  clock.advance(hour - 1);
  expect(rung).toBe(0);
  clock.advance(1);
  expect(rung).toBe(1);
  clock.advance(2 * hour);
  expect([rung, clock.pending]).toEqual([1, 0]);
});

test("a machine that slept is not waited for again, and the alarm goes off once", () => {
  const clock = new ManualClock();
  let rung = 0;
  alarm(clock, hour, () => (rung += 1));
  clock.jump(2 * hour);
  clock.advance(limits.waitLookMs);
  expect(rung).toBe(1);
  clock.advance(2 * hour);
  expect(rung).toBe(1);
});

test("a clock that is set back delays nothing", () => {
  const clock = new ManualClock();
  let rung = 0;
  alarm(clock, hour, () => (rung += 1));
  clock.jump(-10 * hour);
  clock.advance(hour);
  expect(rung).toBe(1);
});

test("one that is called off is silent", () => {
  const clock = new ManualClock();
  let rung = 0;
  const cancel = alarm(clock, hour, () => (rung += 1));
  clock.advance(2 * limits.waitLookMs);
  cancel();
  clock.advance(hour);
  expect([rung, clock.pending]).toEqual([0, 0]);
});

test("a pause ends with an abort, and leaves no timer", async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const pausing = pause(clock, hour, abort.signal);
  abort.abort();
  await pausing;
  expect(clock.pending).toBe(0);
});
