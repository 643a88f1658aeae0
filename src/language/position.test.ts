import { expect, test } from "vitest";
import { LineIndex } from "./position.ts";

test("lines and columns count from 1, columns in UTF-16 units", () => {
  const lines = new LineIndex("a\n😀b\r\n\nlast");
  expect(lines.positionAt(0)).toEqual({ line: 1, column: 1 });
  expect(lines.positionAt(1)).toEqual({ line: 1, column: 2 });
  expect(lines.positionAt(4)).toEqual({ line: 2, column: 3 });
  expect(lines.positionAt(7)).toEqual({ line: 3, column: 1 });
  expect(lines.positionAt(12)).toEqual({ line: 4, column: 5 });
  expect(lines.lineText(2)).toBe("😀b");
});

test("an offset outside the text is moved to its nearest end", () => {
  const lines = new LineIndex("ab");
  expect(lines.positionAt(-5)).toEqual({ line: 1, column: 1 });
  expect(lines.positionAt(99)).toEqual({ line: 1, column: 3 });
  expect(new LineIndex("").positionAt(3)).toEqual({ line: 1, column: 1 });
  expect(lines.lineText(2)).toBe("");
});
