import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRepositoryFile, root } from "../../scripts/files.ts";

const page = "docs/spec/hazards.md";

/** Rows of its tables that name no test, and tests that are named and are not there. */
function problemsOf(markdown: string, exists: (file: string) => boolean, read: (file: string) => string): string[] {
  const rows = markdown.split("\n").filter((line) => line.startsWith("| ") && !/^\| (?:seen elsewhere|---)/.test(line));
  return rows.flatMap((row) => {
    const cells = row.split(" | ");
    const named = [...(cells[2] ?? "").matchAll(/`([^`]+\.(?:ts|yaml))`(?: `([^`]+)`)?/g)];
    if (named.length === 0) return [`no test: ${cells[0]}`];
    return named.flatMap(([, file = "", name]) => {
      if (!exists(file)) return [`${file} is not there`];
      return name === undefined || read(file).includes(`"${name}"`) ? [] : [`${file} has no test "${name}"`];
    });
  });
}

test("every hazard names tests that exist", () => {
  const text = readRepositoryFile(page);
  expect(text.match(/^\| /gm)?.length ?? 0).toBeGreaterThan(60);
  expect(problemsOf(text, (file) => existsSync(join(root, file)), readRepositoryFile)).toEqual([]);
});

test("a hazard without a test, a file that is gone and a test that was renamed are told", () => {
  const head = "| seen elsewhere | here | tests |\n| --- | --- | --- |\n";
  const of = (cell: string): string[] =>
    problemsOf(
      `${head}| a | b | ${cell} |\n`,
      (file) => file === "a.test.ts",
      () => 'test("is so", () => {})',
    );
  expect(of("`a.test.ts` `is so`")).toEqual([]);
  expect(of("")).toEqual(["no test: | a"]);
  expect(of("`gone.test.ts` `is so`")).toEqual(["gone.test.ts is not there"]);
  expect(of("`a.test.ts` `was so`")).toEqual(['a.test.ts has no test "was so"']);
});
