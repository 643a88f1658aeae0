import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coloured, escaped, inert, lastLine } from "./inert.ts";

describe("inert", () => {
  it.each([
    ["colour", "\u001b[31mred\u001b[0m", "red"],
    ["a title", "\u001b]0;owned\u0007text", "text"],
    ["a hyperlink", "\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["an unfinished title", "a\u001b]0;owned", "a"],
    ["a carriage return", "a\rb\r\nc", "a\nb\nc"],
    ["reordering", "a\u202eb\u2066c", "abc"],
    ["C1 controls", "a\u009b31mb\u0085c", "abc"],
    ["a bell and NUL", "a\u0007\u0000b", "ab"],
  ])("removes %s", (_, text, expected) => {
    expect(inert(text)).toBe(expected);
  });

  it("leaves no control but tab and newline in any text, and is idempotent", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u001b", "[", "]", "0;", "\u0007", "\u009b", "m", "\\"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = inert(pieces.join(""));
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(inert(text)).toBe(text);
      }),
    );
  });
});

it("shows on one line what a terminal would obey, and else says the text as it is", () => {
  expect(escaped('a "b\\"\n\tc\u001b[2J\u0085\u202ed\u2028')).toBe('a "b\\"\\n\\tc\\u001b[2J\\u0085\\u202ed\\u2028');
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(escaped(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
      expect(escaped(escaped(text))).toBe(escaped(text));
    }),
  );
});

it("leaves colours alone of what a terminal obeys", () => {
  const text = "\u001b[31mred\u001b[0m \u001b]0;owned\u0007\u001b[2Jrest\r\nof\u009b2J it\u001b";
  expect(coloured(text)).toBe("\u001b[31mred\u001b[0m rest\nof it");
  expect(coloured(coloured(text))).toBe(coloured(text));
});

describe("lastLine", () => {
  it("is the last line that says something", () => {
    expect(lastLine("one\n two \n\n")).toBe("two");
    expect(lastLine("10%\r20%\r")).toBe("20%");
    expect(lastLine("\n \n")).toBe("");
  });
});
