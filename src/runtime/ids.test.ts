import { describe, expect, test } from "vitest";
import { countedIds, systemIds } from "./ids.ts";

const makers = [
  { name: "system", make: () => systemIds({ wall: () => 1_764_500_000_000 }) },
  { name: "counted", make: countedIds },
];

describe.each(makers)("$name ids", ({ make }) => {
  test("10,000 of one moment are different, sort by creation and keep one length", () => {
    const ids = make();
    const made = Array.from({ length: 10_000 }, () => ids.run());
    expect(new Set(made).size).toBe(made.length);
    expect([...made].sort()).toEqual(made);
    expect(new Set(made.map((id) => id.length))).toEqual(new Set([15]));
  });

  test("are lower case letters and digits without i, l, o and u after the first three", () => {
    expect(make().run().slice(3)).toMatch(/^[0-9a-hjkmnp-tv-z]+$/);
  });

  test("random stays in [0, 1)", () => {
    const ids = make();
    for (let i = 0; i < 1_000; i += 1) {
      const value = ids.random();
      expect(value >= 0 && value < 1).toBe(true);
    }
  });
});

test("ids go on in order when the system clock is set back", () => {
  let now = 1_764_500_000_000;
  const ids = systemIds({ wall: () => now });
  const first = ids.run();
  now -= 3_600_000;
  expect(ids.run() > first).toBe(true);
});
