import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
});

test.each(["hush", "=hush"])("what is no input is named by its place, as it may be a value: %s", async (given) => {
  const read = await readInputs(undefined, ["a=b", given], "/");
  expect(read).toMatchObject({ problem: { message: "--input number 2 is not name=value" } });
  expect(JSON.stringify(read)).not.toContain("hush");
});

test("a file of inputs holds no number that would become another one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "inputs-"));
  const read = (text: string) => {
    writeFileSync(join(folder, "in.yaml"), text);
    return readInputs("in.yaml", [], folder);
  };
  try {
    expect(await read("a: {b: [9007199254740991, 0x10, 1.5, 6.02e23]}\n")).toHaveProperty("values");
    for (const number of ["9007199254740993", "1e400", ".inf", ".nan"])
      expect(await read(`a: {b: [${number}]}\n`)).toMatchObject({
        problem: { message: expect.stringContaining("in.yaml:1 holds a number that cannot be kept") },
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
