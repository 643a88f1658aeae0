import { expect, test } from "vitest";
import { parseOutput } from "./output.ts";

test("text is the text", async () => {
  expect(await parseOutput(" a\n", { as: "text" })).toEqual({ value: " a\n" });
});

test("lines have no line ends, and a last empty one is none", async () => {
  expect(await parseOutput("a\r\n\nb\n", { as: "lines" })).toEqual({ value: ["a", "", "b"] });
  expect(await parseOutput("", { as: "lines" })).toEqual({ value: [] });
});

test("json is one whole value", async () => {
  expect(await parseOutput('{"a": 1}\n', { as: "json" })).toEqual({ value: { a: 1 } });
  expect(await parseOutput("null", { as: "json" })).toEqual({ value: null });
  expect(await parseOutput('{"a": 1} and more', { as: "json" })).toEqual({
    problem: expect.stringContaining("expected JSON"),
  });
  expect(await parseOutput(" \n", { as: "json" })).toEqual({ problem: "expected JSON, got nothing" });
});

test("a schema is held to", async () => {
  const format = { as: "schema", schema: { type: "object", required: ["a"] } } as const;
  expect(await parseOutput('{"a": 1}', format)).toEqual({ value: { a: 1 } });
  expect(await parseOutput("{}", format)).toEqual({
    problem: "the JSON does not fit the schema: the value must have required property 'a'",
  });
  expect(await parseOutput("{}", { as: "schema", schema: { type: "nonsense" } })).toEqual({
    problem: expect.stringContaining("cannot be used"),
  });
});
