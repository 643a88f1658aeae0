import { expect, test } from "vitest";
import { replace } from "./edit.ts";

const text = "one\n  two\nthree\n  two\n";

test("an exact, single piece is replaced, and its line told", () => {
  expect(replace(text, "three", "3", "one")).toEqual({ text: "one\n  two\n3\n  two\n", lines: [3] });
  expect(replace(text, "one\n  two", "x", "one")).toEqual({ text: "x\nthree\n  two\n", lines: [1] });
});

test("what stands more than once needs more context, or all", () => {
  expect(replace(text, "two", "2", "one")).toEqual({
    problem: "old_text occurs 2 times (lines 2, 4); add lines around it until it is unique, or set all",
  });
  expect(replace(text, "two", "2", "all")).toEqual({ text: "one\n  2\nthree\n  2\n", lines: [2, 4] });
});

test("what is not there says what is near", () => {
  expect(replace(text, "two\nthree", "x", "one")).toMatchObject({ lines: [2] });
  expect(replace(text, "one\ntwo", "x", "one")).toEqual({
    problem: "old_text was not found; line 1 differs in white space only: copy it as it stands",
  });
  expect(replace(text, "one\n  two\nfour", "x", "one")).toEqual({
    problem: "old_text was not found; it begins as line 1 does, but differs at line 3",
  });
  expect(replace(text, "nowhere", "x", "one")).toEqual({
    problem: "old_text was not found; read the file and copy the text as it stands",
  });
});

test("nothing is no place, and a change that changes nothing is none", () => {
  expect(replace(text, "", "x", "one")).toMatchObject({ problem: expect.stringContaining("use write") });
  expect(replace(text, "one", "one", "one")).toMatchObject({ problem: "old_text and new_text are the same" });
});

test("a replacement is text, whatever signs are in it", () => {
  expect(replace("a b", "a", "$& $1 $$ $`", "one")).toEqual({ text: "$& $1 $$ $` b", lines: [1] });
});

test("line ends of the file stay", () => {
  expect(replace("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "one")).toEqual({ text: "x\r\ny\r\nc\r\n", lines: [1] });
});

test("a hint for a large file costs no more than it is worth", () => {
  const large = "a\n".repeat(200_000);
  const began = process.cpuUsage();
  expect(replace(large, `${"a\n".repeat(100_000)}b`, "x", "one")).toEqual({ problem: "old_text was not found" });
  expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
});
