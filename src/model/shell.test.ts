import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./shell.ts";

test("a plain name stays as it is", () => {
  expect(shellWord("call/ship-it_2")).toBe("call/ship-it_2");
});

test.each(["each[0]/ask", "", "it's", "a b", "$(id)", "*", "~"])("a shell reads %j back", (text) => {
  expect(execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`]).toString()).toBe(text);
});

test("a pattern is quoted, since a shell may find nothing of that name and refuse", () => {
  expect(shellWord("each[0]/ask")).toBe("'each[0]/ask'");
});
