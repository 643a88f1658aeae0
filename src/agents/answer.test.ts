import { describe, expect, test } from "vitest";
import { answerSchema, checkAnswer, isStructured, readAnswer } from "./answer.ts";

const options = ["approve", "reject"];
const schema = {
  as: "schema",
  schema: { type: "object", properties: { why: { type: "string" } }, required: ["why"] },
} as const;

describe("options in the last message", () => {
  test.each(["approve", "It is good.\n\napprove\n", "Fine.\n**Approve**", "Fine.\n> `approve`."])(
    "%j is approve",
    async (message) => {
      expect(await readAnswer(message, { options })).toEqual({ option: "approve" });
    },
  );

  test.each(["", "approve or reject", "approve\nbecause it is good", "I would not approve", "approved"])(
    "%j is none",
    async (message) => {
      expect(await readAnswer(message, { options })).toEqual({
        problem: expect.stringContaining("must be exactly one of approve, reject"),
      });
    },
  );
});

describe("JSON in the last message", () => {
  test.each([
    '{"why": "x"}',
    'Here it is:\n```json\n{"why": "x"}\n```\n',
    '```\n{"no": 1}\n```\nbetter:\n```\n{"why": "x"}\n```',
  ])("%j", async (message) => {
    expect(await readAnswer(message, { output: schema })).toEqual({ value: { why: "x" } });
  });

  test("what does not fit is a problem", async () => {
    expect(await readAnswer('{"why": 1}', { output: schema })).toEqual({
      problem: expect.stringContaining("why must be string"),
    });
    expect(await readAnswer("well", { output: { as: "json" } })).toEqual({
      problem: expect.stringContaining("expected JSON"),
    });
  });

  test("an option may follow it", async () => {
    expect(await readAnswer('{"why": "x"}\nreject', { output: schema, options })).toEqual({
      option: "reject",
      value: { why: "x" },
    });
  });
});

test("free text is not structured", () => {
  expect(isStructured({})).toBe(false);
  expect(isStructured({ output: { as: "text" } })).toBe(false);
  expect(isStructured({ output: { as: "lines" } })).toBe(true);
  expect(isStructured({ options })).toBe(true);
});

describe("the answer as arguments of a tool", () => {
  const both = answerSchema({ options, output: schema });

  test("is checked", async () => {
    expect(await checkAnswer({ option: "reject", value: { why: "x" } }, both ?? {})).toEqual({
      option: "reject",
      value: { why: "x" },
    });
    expect(await checkAnswer({ option: "maybe", value: { why: "x" } }, both ?? {})).toEqual({
      problem: expect.stringContaining("option must be equal to one of"),
    });
    expect(await checkAnswer({ option: "reject" }, both ?? {})).toEqual({
      problem: expect.stringContaining("'value'"),
    });
  });

  test("is not offered where a tool cannot hold it", () => {
    expect(answerSchema({})).toBeNull();
    expect(answerSchema({ output: { as: "lines" } })).toBeNull();
    expect(answerSchema({ output: { as: "schema", schema: { $ref: "#/$defs/a", $defs: { a: {} } } } })).toBeNull();
  });
});
