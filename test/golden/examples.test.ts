import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryFiles, root } from "../../scripts/files.ts";
import { check } from "../../src/check/check.ts";
import { toText } from "../../src/check/format.ts";

const examples = repositoryFiles("examples/*.yaml", "examples/**/*.yaml").filter(
  (file) => !file.endsWith(".test.yaml"),
);

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(5);
});

test.each(examples)("%s has nothing to mend", (file) => {
  const text = readFileSync(join(root, file), "utf8");
  expect(toText(check(text).diagnostics, file, text)).toBe("");
});
