import { expect, test } from "vitest";
import { readInputs } from "./inputs.ts";

test("an input that is given twice is refused by its places, without its values", async () => {
  const read = await readInputs(undefined, ["a=hush", "b=2", "a=secret"], "/");
  if (!("problem" in read)) throw new Error("it is read");
  expect(read.problem.message).toBe("the input a is given twice, by --input number 1 and number 3");
  expect(JSON.stringify(read)).not.toMatch(/hush|secret/);
});

test("a value may hold = and be empty", async () => {
  expect(await readInputs(undefined, ["a=b=c", "b="], "/")).toEqual({ values: { a: "b=c", b: "" } });
  expect(await readInputs(undefined, ["=x"], "/")).toMatchObject({
    problem: { message: "--input =x is not name=value" },
  });
});
