import { expect, test } from "vitest";
import { against, alone, interleave, median } from "../../bench/measure.ts";
import type { Row } from "../../bench/measure.ts";
import { formatLine, holds, resultOf } from "../../bench/table.ts";

const row = (reach: Row["reach"], ratio = true): Row => ({
  id: "x",
  what: "thing",
  floorName: "floor",
  reach,
  ratio,
  measure: () => Promise.reject(new Error("unused")),
});

test("the median does not depend on order and takes the middle of an even count", () => {
  expect(median([9, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test("rounds alternate who goes first, drop the warm-up and judge the ratio within a round", async () => {
  const order: string[] = [];
  const values = { subject: [900, 20, 60, 40], floor: [900, 10, 20, 20] };
  const side = (name: "subject" | "floor") => () => {
    order.push(name);
    return values[name].shift() ?? 0;
  };
  expect(await interleave(3, side("subject"), side("floor"))).toEqual({ subject: 40, floor: 20, ratio: 2 });
  expect(order).toEqual(["floor", "subject", "subject", "floor", "floor", "subject", "subject", "floor"]);
});

test("a figure beyond its reach is told as missed", () => {
  const slow = against("ms", { subject: 30, floor: 10, ratio: 3 });
  expect(holds(row({ atMost: 2.9 }), slow)).toBe(false);
  expect(holds(row({ atMost: 3 }), slow)).toBe(true);
  expect(holds(row({ atLeast: 3.1 }), slow)).toBe(false);
  expect(formatLine({ row: row({ atMost: 2 }), measured: slow })).toBe(
    "   3.00 ×  ≤ 2       MISSED  thing: 30.0 ms   floor: 10.0",
  );
  expect(formatLine({ row: row({ atMost: 60 }, false), measured: alone("µs", [41, 40, 42], "n") })).toBe(
    "     41.0  ≤ 60      holds   thing: 41.0 µs   (n)",
  );
});

test("a row that could not be measured holds nothing", () => {
  const failed = { row: row({ atMost: 2 }), measured: { failed: "no disk" } };
  expect(formatLine(failed)).toBe("        –  ≤ 2       failed  thing: no disk");
  expect(resultOf(failed)).toMatchObject({ id: "x", holds: null, failed: "no disk" });
});
