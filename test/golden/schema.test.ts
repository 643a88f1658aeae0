import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { repositoryFiles } from "../../scripts/files.ts";
import { documentSchema } from "../../src/language/schema.ts";

const root = join(import.meta.dirname, "../..");
const committed = join(root, "schema/blueprint.schema.json");
const validate = new Ajv({ allErrors: false, strictTypes: false, allowUnionTypes: true }).compile(documentSchema());

function documents(folder: "ok" | "err"): readonly string[] {
  return readdirSync(join(import.meta.dirname, folder)).filter((file) => file.endsWith(".yaml"));
}

function isValid(folder: "ok" | "err", file: string): boolean {
  return validate(parse(readFileSync(join(import.meta.dirname, folder, file), "utf8"), { logLevel: "silent" }));
}

test("the committed schema is the one the tables give", () => {
  const text = `${JSON.stringify(documentSchema(), null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(committed, text);
  expect(readFileSync(committed, "utf8")).toBe(text);
});

test("every key has a description", () => {
  const bare: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === "properties") {
        for (const [name, field] of Object.entries(child as Record<string, { description?: string }>)) {
          if (field.description === undefined && !path.endsWith(".if")) bare.push(`${path}.${name}`);
        }
      }
      visit(child, `${path}.${key}`);
    }
  };
  visit(documentSchema(), "");
  expect(bare).toEqual([]);
});

describe("what checks without an error is valid by the schema", () => {
  // A list of fields that the schema cannot know is allowed by a comment.
  test.each(documents("ok").filter((file) => file !== "unknown-field.yaml"))("%s", (file) => {
    expect([isValid("ok", file), validate.errors]).toEqual([true, null]);
  });
});

test.each(repositoryFiles("examples/*.yaml", "examples/**/*.yaml"))("%s is valid by the schema", (file) => {
  expect([validate(parse(readFileSync(join(root, file), "utf8"))), validate.errors]).toEqual([true, null]);
});

describe("what has a wrong field, type or value is not", () => {
  const kinds = ["unknown-field", "missing-field", "wrong-type", "invalid-value", "invalid-quantity", "unknown-type"];
  test.each(documents("err").filter((file) => kinds.includes(file.split(".")[0] ?? "")))("%s", (file) => {
    expect(isValid("err", file)).toBe(false);
  });
});
