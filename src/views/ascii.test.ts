import { expect, test } from "vitest";
import { ascii, isAscii } from "./ascii.ts";
import { classGlyphs, stateGlyphs } from "./words.ts";

test.each([
  ["states", Object.values(stateGlyphs)],
  ["classes", Object.values(classGlyphs)],
])("the signs of %s are told apart in ASCII, and as wide", (_, glyphs) => {
  const plain = glyphs.map(ascii);
  expect(plain.join("")).toMatch(/^[!-~]+$/);
  expect(plain.map(({ length }) => length)).toEqual(glyphs.map(() => 1));
  expect(new Set(plain).size).toBe(new Set(glyphs).size);
});

test("what others wrote stays", () => {
  expect(ascii("✓ größe → 3…")).toBe("+ größe > 3~");
});

test.each([
  [{}, false],
  [{ LANG: "en_US.UTF-8" }, false],
  [{ LANG: "C.utf8", LC_ALL: "" }, false],
  [{ LANG: "en_US.UTF-8", LC_CTYPE: "de_DE.ISO-8859-1" }, true],
  [{ LANG: "C" }, true],
  [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, true],
  [{ LC_ALL: "C.UTF-8", LC_CTYPE: "C" }, false],
])("a terminal of %j shows ASCII at most: %s", (env, expected) => {
  expect(isAscii(env)).toBe(expected);
});
