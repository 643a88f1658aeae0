import { expect, test } from "vitest";
import type { TypeSpec } from "../../model/type-spec.ts";
import { readInput } from "./inputs.ts";

const json: TypeSpec = { kind: "json" };
const integer: TypeSpec = { kind: "integer" };

test("null is a default as good as any, and a value where the type allows it", async () => {
  expect(await readInput({ type: json, default: null }, undefined)).toEqual({ value: null });
  expect(await readInput({ type: json, default: { a: 1 } }, null)).toEqual({ value: null });
  expect(await readInput({ type: integer, default: 2 }, null)).toEqual({ value: 2 });
  expect(await readInput({ type: json }, undefined)).toEqual({ problem: "is missing" });
  expect(await readInput({ type: integer }, null)).toEqual({ problem: "is missing" });
});

test("a number that would become another one is no input", async () => {
  for (const [type, text] of [
    [integer, "9007199254740993"],
    [{ kind: "number" }, "1e400"],
    [{ kind: "list", of: integer }, "[1, 12345678901234567890]"],
    [json, '{"id": 9007199254740993}'],
    [{ kind: "schema", schema: { type: "array" } }, "[-1e999]"],
  ] as const) {
    expect(await readInput({ type }, text)).toEqual({
      problem: "holds a number that cannot be kept as it is; write it as a text, in quotes",
    });
  }
  expect(await readInput({ type: { kind: "string" } }, "9007199254740993")).toEqual({ value: "9007199254740993" });
  expect(await readInput({ type: integer }, "9007199254740991")).toEqual({ value: 9007199254740991 });
});

test("a duration has its unit", async () => {
  expect(await readInput({ type: { kind: "duration" } }, "5m")).toEqual({ value: "5m" });
  for (const text of ["5", "soon", "", "400d"])
    expect(await readInput({ type: { kind: "duration" } }, text)).toEqual({ problem: "is not a duration such as 5m" });
});
