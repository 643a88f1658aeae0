import fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "../model/limits.ts";
import { clip, oneLine } from "./text.ts";

test("a text within the bound is whole", () => {
  expect(clip("aé😀", 7)).toBe("aé😀");
});

test("a longer one keeps head and tail, and says how much is left out", () => {
  expect(clip(`${"a".repeat(50)}${"b".repeat(50)}`, 40)).toBe(
    `${"a".repeat(10)}\n… 60 bytes left out …\n${"b".repeat(30)}`,
  );
});

test("both ends are the text's own, and no character is cut in two", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.nat(40), (text, bytes) => {
      const [head = "", tail = ""] = clip(text, bytes).split(/\n… \d+ bytes left out …\n/);
      expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true]);
      expect(`${head}${tail}`.isWellFormed()).toBe(true);
    }),
  );
});

test("a reason is one line", () => {
  expect(oneLine(" a\n\tb\u001b[31m.\r\n")).toBe("a b [31m");
  expect(oneLine("x".repeat(10_000))).toHaveLength(limits.faultTextCharacters);
});
