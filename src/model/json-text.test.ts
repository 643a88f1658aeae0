import fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "./limits.ts";
import { readJson, unkeptNumber } from "./json-text.ts";

test("a number that would become another one is a problem, wherever it stands", () => {
  for (const [text, number] of [
    ["1e400", "1e400"],
    ['{"a": [1, {"b": -1E+999}]}', "-1E+999"],
    ['{"id": 9007199254740993}', "9007199254740993"],
    ["[12345678901234567890]", "12345678901234567890"],
    [`[${"9".repeat(400)}]`, "9".repeat(40)],
  ] as const) {
    expect(readJson(text)).toEqual({ problem: expect.stringContaining(`holds the number ${number}`) });
  }
});

test("a number that stays what it is is kept, and so is what only looks like one", () => {
  for (const text of [
    "9007199254740991",
    "9007199254740992",
    "6.02e23",
    "1e21",
    "0.12345678901234567890",
    "5e-324",
    '"12345678901234567890"',
    '{"12345678901234567890": "1e400"}',
  ]) {
    expect(readJson(text)).toEqual({ value: JSON.parse(text) });
  }
});

test("whatever JSON can say is read as JSON reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(readJson(text)).toEqual({ value: JSON.parse(text) });
    }),
  );
});

test("a whole number stays the same or is found", () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 70n), 2n ** 70n), (number) => {
      const found = unkeptNumber(`[${number}]`);
      const isSame = BigInt(Number(number)) === number || String(Number(number)) === String(number);
      expect(found).toBe(isSame ? null : String(number));
    }),
  );
});

test("a mark of UTF-8 is no part of it", () => {
  expect(readJson('\uFEFF{"a": 1}')).toEqual({ value: { a: 1 } });
  expect(readJson("\uFEFF1e400")).toHaveProperty("problem");
});

test("what is no JSON or too deep is said in one line", () => {
  expect(readJson("{\n  a")).toEqual({
    problem: expect.stringMatching(/^is no JSON: .+$/),
    unread: expect.stringMatching(/^.+$/),
  });
  const deep = (levels: number) => readJson("[".repeat(levels) + "]".repeat(levels));
  expect(deep(limits.jsonDepth)).toHaveProperty("value");
  expect(deep(limits.jsonDepth + 1)).toEqual({ problem: expect.stringContaining("nested deeper") });
});
