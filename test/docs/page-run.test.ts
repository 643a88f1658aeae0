import { expect, test } from "vitest";
import { readPage } from "../../scripts/markdown.ts";
import { matchesShown, runPage } from "./page-run.ts";

const follow = (markdown: string) => runPage(readPage(markdown).blocks);

test("files are written, commands run in order in one folder, and what they print is kept", () => {
  const [first, second] = follow(
    "```txt a/b.txt\nhello\n```\n\n```sh\ncat a/b.txt; echo more > c; echo err >&2\n```\n\n```text\nhello\n```\n\n```sh exit=3\ncat c; exit 3\n```",
  );
  expect(first).toMatchObject({ line: 5, expectedExit: 0, exit: 0, output: "hello\nerr\n", shown: "hello" });
  expect(second).toMatchObject({ expectedExit: 3, exit: 3, output: "more\n", shown: null });
});

test("a failing command ends its block with its own exit code", () => {
  expect(follow("```sh\nfalse\necho never\n```")).toMatchObject([{ expectedExit: 0, exit: 1, output: "" }]);
});

test("a signal is an exit code as in a shell", () => {
  expect(follow("```sh exit=137\nkill -9 $$\n```")).toMatchObject([{ expectedExit: 137, exit: 137 }]);
});

test.each([
  ["one\ntwo\n", "one\ntwo", true],
  ["one\nthree\n", "one\ntwo", false],
  ["one\ntwo\nthree\n", "one\ntwo", false],
  ["run 7f3a ended in 1.2 s\n", "run … ended in … s", true],
  ["a\nb\nc\n", "a\n…\nc", true],
  ["a\nc\n", "a\n…\nc", true],
  ["a\nb\n", "a\n…\nc", false],
  ["(x) [y] *\n", "(x) [y] *", true],
  ["", "something", false],
])("%j against %j is %s", (output, shown, matches) => {
  expect(matchesShown(output, shown)).toBe(matches);
});
