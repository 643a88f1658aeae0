import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRepositoryFile, root } from "../../scripts/files.ts";
import { reference } from "../../scripts/reference.ts";
import type { Schema } from "../../scripts/reference.ts";
import { documentSchema } from "../../src/language/schema.ts";

const file = "docs/spec/blueprint.md";

test("the reference of keys is what the tables of the checker give", () => {
  const text = reference(JSON.parse(JSON.stringify(documentSchema())) as Schema);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(root, file), text);
  expect(readRepositoryFile(file)).toBe(text);
});
