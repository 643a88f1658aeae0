import { expect, test } from "vitest";
import { matcherOf, selectorOf } from "./globs.ts";

test.each([
  ["*.lock", ["a.lock", "deep/b.lock"], ["a.lockx", "lock"]],
  ["package.json", ["package.json", "web/package.json"], ["package.jsonc"]],
  ["./src/**", ["src/a.ts", "src/deep/.b"], ["srcx/a.ts", "web/src/a.ts"]],
  ["test/", ["test/a.js", "web/test/deep/a.js"], ["tests/a.js"]],
  [".github/workflows", [".github/workflows/ci.yml"], [".github/other.yml"]],
  ["src/**", ["src/a\nb", "src/a\nb/c"], ["a\nsrc/b"]],
  ["*.env", ["a\nb/c.env", "a\nb.env"], ["a.env\n"]],
  ["**/*.env", ["a\nb/c.env"], ["c.env\n"]],
  ["src/*.test.{js,ts}", ["src/a.test.js", "src/a.test.ts"], ["src/deep/a.test.ts"]],
])("%s", (glob, inside, outside) => {
  const { matches } = matcherOf([glob]);
  expect(inside.filter((path) => !matches(path))).toEqual([]);
  expect(outside.filter((path) => matches(path))).toEqual([]);
});

test("a folder may hold what is named by its place, not what is named by its name alone", () => {
  const { mayHold } = matcherOf(["config/secret/*.env", "*.lock"]);
  expect(["config", "config/secret", "config/secret/deep"].filter((folder) => !mayHold(folder))).toEqual([]);
  expect(["dist", "configs", "config/public"].filter((folder) => mayHold(folder))).toEqual([]);
});

test.each<[readonly string[], readonly string[]]>([
  [["src/**"], ["src/a.ts", "src/a.test.ts"]],
  [["src/**", "!*.test.ts"], ["src/a.ts"]],
  [["!*.test.ts"], ["src/a.ts", "docs/a.md"]],
  [["!src"], ["docs/a.md"]],
  [[], []],
])("of a selection by %j are left %j", (globs, left) => {
  const isChosen = selectorOf(globs);
  expect(["src/a.ts", "src/a.test.ts", "docs/a.md"].filter(isChosen)).toEqual(left);
});
