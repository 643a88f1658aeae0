import { describe, expect, test } from "vitest";
import { durationPattern, parseCount, parseDuration, parseMoney, parseSize } from "./quantity.ts";

describe("durations", () => {
  test.each([
    ["250ms", 250],
    ["5s", 5_000],
    ["1.5m", 90_000],
    ["8h", 28_800_000],
    ["3d", 259_200_000],
  ])("%s", (text, value) => expect(parseDuration(text)).toEqual({ value }));

  test.each(["250ms", " 1.5 m ", "8h", "5", "h", "-1s", "5 years", "5constructor", "1s 1s", "5m\n"])(
    "its pattern says of %j what reading it does",
    (text) => expect(new RegExp(durationPattern, "u").test(text)).toBe("value" in parseDuration(text)),
  );

  test("a bare number shows the number with a unit", () => {
    expect(parseDuration("5")).toEqual({
      problem: "has no unit",
      hint: "Add a unit: 5s for seconds, 5m for minutes.",
    });
  });

  test.each(["0s", "0.4ms"])("%s is told the least there is, whether its field has a default or not", (text) => {
    expect(parseDuration(text)).toEqual({ problem: "is not longer than nothing", hint: "Write at least 1ms." });
  });

  test.each(["", "s", "-1s", "0s", "367d", "5 years", "5constructor", "1e3s", "9".repeat(400) + "s"])(
    "%s is refused",
    (text) => expect(parseDuration(text)).toHaveProperty("problem"),
  );
});

test("sizes are powers of two with i and of ten without", () => {
  expect(parseSize("64KiB")).toEqual({ value: 65_536 });
  expect(parseSize("1 MB")).toEqual({ value: 1_000_000 });
  for (const bad of ["64", "KiB", "0B", "1 XB", "1toString"]) expect(parseSize(bad)).toHaveProperty("problem");
});

test("counts may use k and M", () => {
  expect(parseCount("500k")).toEqual({ value: 500_000 });
  expect(parseCount("1.5M")).toEqual({ value: 1_500_000 });
  for (const bad of ["0", "1.5", "many", "-3", "5kk"]) expect(parseCount(bad)).toHaveProperty("problem");
});

test("money has a currency", () => {
  expect(parseMoney("0.50 EUR")).toEqual({ value: { amount: 0.5, currency: "EUR" } });
  for (const bad of ["5", "5 usd", "0 USD", "USD", "5 dollars"]) expect(parseMoney(bad)).toHaveProperty("problem");
});
