import { expect, test } from "vitest";
import { ManualClock } from "../runtime/time/clock.ts";
import { StallWatch } from "./stall.ts";

const minute = 60_000;

/** A watch over ten minutes, and what it has said. */
function watched() {
  const clock = new ManualClock();
  const said: string[] = [];
  const watch = new StallWatch({
    clock,
    afterMs: 10 * minute,
    warn: (quietMs, leftMs) => said.push(`quiet ${quietMs / minute}, ${leftMs / minute} left`),
    stalled: () => said.push("stalled"),
  });
  return { clock, said, watch };
}

test("warns at half of the time, and ends when all of it has passed, each once", () => {
  const { clock, said } = watched();
  clock.advance(5 * minute - 1);
  expect(said).toEqual([]);
  clock.advance(1);
  expect(said).toEqual(["quiet 5, 5 left"]);
  clock.advance(5 * minute);
  expect(said).toEqual(["quiet 5, 5 left", "stalled"]);
  clock.advance(60 * minute);
  expect(said).toHaveLength(2);
  expect(clock.pending).toBe(0);
});

test("a sign of life begins it anew, after a warning too", () => {
  const { clock, said, watch } = watched();
  for (let time = 0; time < 60; time += 4) {
    clock.advance(4 * minute);
    watch.alive();
  }
  expect(said).toEqual([]);
  clock.advance(7 * minute);
  watch.alive();
  clock.advance(9 * minute);
  expect(said).toEqual(["quiet 5, 5 left", "quiet 5, 5 left"]);
  clock.advance(minute);
  expect(said.at(-1)).toBe("stalled");
});

test("one that is made to pause is expected after it", () => {
  const { clock, said, watch } = watched();
  watch.rest(60 * minute);
  clock.advance(64 * minute);
  expect(said).toEqual([]);
  clock.advance(6 * minute);
  expect(said).toEqual(["quiet 5, 5 left", "stalled"]);
});

test("one that waits for a person is not expected at all", async () => {
  const { clock, said, watch } = watched();
  const answer = Promise.withResolvers<string>();
  const asking = watch.during(answer.promise);
  clock.advance(600 * minute);
  expect(said).toEqual([]);
  answer.resolve("yes");
  expect(await asking).toBe("yes");
  clock.advance(10 * minute);
  expect(said).toEqual(["quiet 5, 5 left", "stalled"]);
});

test("is over when it is stopped", () => {
  const { clock, said, watch } = watched();
  watch.stop();
  clock.advance(60 * minute);
  expect([said, clock.pending]).toEqual([[], 0]);
});
