import { expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { compileSchema } from "./schema.ts";

const verdict = {
  type: "object",
  properties: { verdict: { enum: ["approve", "reject"] }, lines: { type: "array", items: { type: "integer" } } },
  required: ["verdict"],
  additionalProperties: false,
};

async function problem(
  schema: Parameters<typeof compileSchema>[0],
  value: Parameters<Exclude<Awaited<ReturnType<typeof compileSchema>>, { invalid: string }>>[0],
) {
  const validate = await compileSchema(schema);
  if (typeof validate !== "function") throw new Error(validate.invalid);
  return validate(value);
}

test("a value that fits has no problem", async () => {
  expect(await problem(verdict, { verdict: "approve", lines: [1, 2] })).toBeNull();
});

test("a problem names the place and what was expected", async () => {
  expect(await problem(verdict, { verdict: "maybe" })).toBe(
    'verdict must be equal to one of the allowed values: "approve", "reject"',
  );
  expect(await problem(verdict, { verdict: "approve", lines: [1, "x"] })).toBe("lines.1 must be integer");
  expect(await problem(verdict, { verdict: "approve", why: 1 })).toBe(
    'the value must NOT have additional properties: "why"',
  );
  expect(await problem(verdict, {})).toBe("the value must have required property 'verdict'");
});

test("what every object answers to is no property of a value that does not have it", async () => {
  for (const name of ["constructor", "toString", "__proto__"]) {
    const schema = { type: "object", required: [name] } as const;
    expect(await problem(schema, {})).toBe(`the value must have required property '${name}'`);
    expect(await problem(schema, JSON.parse(`{"${name}": 1}`))).toBeNull();
  }
});

test("keywords that apply to any type reject as well", async () => {
  expect(await problem({ contains: { type: "number" } }, ["x"])).toContain("must contain");
  expect(await problem({ required: ["a"] }, {})).toContain("required property 'a'");
  expect(await problem({ not: { type: "string" } }, "x")).toBe("the value must NOT be valid");
});

test("2020-12 is used where the schema names it", async () => {
  const pair = { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "integer" }] };
  expect(await problem(pair, ["x"])).toBe("0 must be integer");
});

test("a schema that cannot be compiled is a sentence", async () => {
  expect(await compileSchema({ type: "nonsense" })).toEqual({ invalid: expect.stringContaining("schema is invalid") });
  expect(await compileSchema({ $ref: "#/nowhere" })).toEqual({ invalid: expect.stringContaining("nowhere") });
});

test("a pattern is matched in linear time, and its text stays the same", async () => {
  const name = { type: "string", pattern: "^(?:a+)+$" };
  const schema = {
    type: "object",
    properties: { name, other: { type: "string", pattern: "^b$" } },
    patternProperties: { "^x": { type: "integer" } },
  };
  expect(await problem(schema, { name: `${"a".repeat(100_000)}b` })).toBe('name must match pattern "^(?:a+)+$"');
  expect(await problem(schema, { name: "aa", other: "b", x1: 1 })).toBeNull();
  expect(await problem(schema, { x1: "1" })).toBe("x1 must be integer");
});

test("a pattern that needs backtracking cannot be used; one of somebody else's rejects nothing", async () => {
  const ahead = { type: "string", pattern: "^(?!-).+$" };
  expect(await compileSchema(ahead)).toEqual({ invalid: expect.stringContaining("looks ahead or behind") });
  const validate = await compileSchema({ type: "array", items: [ahead, { pattern: "^b$" }] }, { foreign: true });
  if (typeof validate !== "function") throw new Error(validate.invalid);
  expect(validate(["-x", "b"])).toBeNull();
  expect(validate(["-x", "c"])).toBe('1 must match pattern "^b$"');
});

test.each([
  ["not", { not: { pattern: "(?:rm -rf){40}|x{500}" } }],
  ["a property", { type: "object", properties: { a: { type: "string", pattern: "(?:rm -rf){40}|x{500}" } } }],
])("a text that is too long for a pattern does not fit (%s)", async (_, schema) => {
  const text = "a".repeat(limits.patternSteps / 500);
  expect(await problem(schema, "not" in schema ? text : { a: text })).toContain(
    "too long to be held against the pattern",
  );
  expect(await problem(schema, "not" in schema ? "a" : { a: "x".repeat(500) })).toBeNull();
});

test("a name that is too long for a pattern of names does not fit", async () => {
  const schema = { patternProperties: { "^x{500}": { type: "integer" } } };
  expect(await problem(schema, { [`${"x".repeat(limits.patternSteps / 500)}`]: "text" })).toContain("too long");
});

test("to the schema of a server a text that is too long for a pattern fits", async () => {
  const validate = await compileSchema({ type: "string", pattern: "^x{500}$" }, { foreign: true });
  expect(typeof validate === "function" && validate("a".repeat(limits.patternSteps / 500))).toBeNull();
});
