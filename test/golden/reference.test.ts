import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRepositoryFile, root } from "../../scripts/files.ts";
import { reference, testReference } from "../../scripts/reference.ts";
import type { Schema } from "../../scripts/reference.ts";
import { documentSchema } from "../../src/language/schema.ts";
import { testSchema } from "../../src/testing/schema.ts";

const pages = [
  ["docs/spec/blueprint.md", () => reference(asJson(documentSchema()))],
  ["docs/spec/tests.md", () => testReference(asJson(testSchema()))],
] as const;

function asJson(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

test.each(pages)("the reference of keys in %s is what the tables of the checker give", (file, page) => {
  const text = page();
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(root, file), text);
  expect(readRepositoryFile(file)).toBe(text);
});
