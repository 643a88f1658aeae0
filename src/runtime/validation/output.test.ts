import { describe, expect, test } from "vitest";
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

test("a number that is masked, or a part of it, is a text", async () => {
  const masked = '{"pin": ***, "of": [1, 7***2], "\\"***": "a, ***", "on": true}\n';
  const value = { pin: "***", of: [1, "7***2"], '"***': "a, ***", on: true };
  expect(await parseOutput(masked, { as: "json" })).toEqual({ value });
  const schema = { type: "object", properties: { pin: { type: "integer" } } } as const;
  expect(await parseOutput('{"pin":***}', { as: "schema", schema })).toEqual({
    problem: expect.stringContaining("does not fit the schema"),
  });
  for (const no of ["no *** JSON", "token-***", '{"a": x***}', "[***z]"])
    expect(await parseOutput(no, { as: "json" })).toEqual({ problem: expect.stringContaining("expected JSON") });
});

test("a text with many quotes and masks is read in a time that grows with it", async () => {
  const began = process.cpuUsage();
  await parseOutput('{***"\\"'.repeat(100_000), { as: "json" });
  expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
});

test("a masked number beside a very long text is a text, too", async () => {
  const long = "a".repeat(16 * 1024 * 1024);
  expect(await parseOutput(`{"long": "${long}", "pin": ***}`, { as: "json" })).toEqual({ value: { long, pin: "***" } });
});

test("a number that would become another one is a problem, and text where text is asked for", async () => {
  const problem = expect.stringContaining("the JSON holds the number 9007199254740993, which cannot be kept");
  expect(await parseOutput('{"id": 9007199254740993}', { as: "json" })).toEqual({ problem });
  const text = { as: "schema", schema: { type: "string" } } as const;
  expect(await parseOutput("9007199254740993\n", text)).toEqual({ value: "9007199254740993" });
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

describe("where a schema takes texts alone", () => {
  const choice = { as: "schema", schema: { type: "string", enum: ["approve", "reject", "1"] } } as const;

  test.each([
    ["approve\n", "approve"],
    ["approve\r\n\n", "approve"],
    ['"approve"\n', "approve"],
    ["1\n", "1"],
  ])("%j says %j", async (text, value) => {
    expect(await parseOutput(text, choice)).toEqual({ value });
    expect(await parseOutput(text, { as: "schema", schema: { enum: ["approve", "1"] } })).toEqual({ value });
  });

  test("what is none of them is named", async () => {
    const problem = (said: string) =>
      `the output does not fit the schema: the value must be equal to one of the allowed values: "approve", "reject", "1", and is ${said}`;
    expect(await parseOutput("maybe\n", choice)).toEqual({ problem: problem('"maybe"') });
    expect(await parseOutput(" approve\n", choice)).toEqual({ problem: problem('" approve"') });
    expect(await parseOutput("2", choice)).toEqual({ problem: problem('"2"') });
    expect(await parseOutput("\n", choice)).toEqual({ problem: "expected JSON, got nothing" });
  });

  test("a text of several lines is one, with its pattern held to", async () => {
    const lines = { as: "schema", schema: { type: "string", pattern: "^[a-z\\n]+$" } } as const;
    expect(await parseOutput("a\nb\n", lines)).toEqual({ value: "a\nb" });
    expect(await parseOutput("A\n", lines)).toEqual({ problem: expect.stringContaining("must match pattern") });
  });

  test("a schema that takes more wants JSON", async () => {
    const either = { as: "schema", schema: { enum: ["a", 1] } } as const;
    expect(await parseOutput("a", either)).toEqual({ problem: expect.stringContaining("expected JSON: ") });
  });
});
