import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import { toJson } from "../../src/check/format.ts";
import { codes } from "../../src/language/codes.ts";
import { setting } from "./setting.ts";

const folder = import.meta.dirname;
/** Set to write what is found instead of comparing; review the difference before committing it. */
const updating = process.env["UPDATE_GOLDEN"] === "1";

function documents(kind: "err" | "ok"): readonly string[] {
  return readdirSync(join(folder, kind)).filter((file) => file.endsWith(".yaml"));
}

function found(kind: "err" | "ok", file: string): readonly string[] {
  const text = readFileSync(join(folder, kind, file), "utf8");
  return toJson(check(text, setting).diagnostics, file, text).map(
    ({ line, column, severity, code, message }) => `${line}:${column} ${severity} ${code} ${message}`,
  );
}

/** `flow-syntax.arrow.yaml` is about `flow-syntax`. */
function codeOf(file: string): string {
  return file.split(".")[0] ?? "";
}

describe("documents with problems", () => {
  test.each(documents("err"))("%s", (file) => {
    const expected = join(folder, "err", file.replace(/\.yaml$/, ".txt"));
    const lines = found("err", file);
    if (updating) writeFileSync(expected, `${lines.join("\n")}\n`);
    expect(lines).toEqual(readFileSync(expected, "utf8").trimEnd().split("\n"));
    expect(lines.some((line) => line.split(" ")[2] === codeOf(file))).toBe(true);
  });
});

describe("documents that look alike and have none", () => {
  test.each(documents("ok"))("%s", (file) => {
    expect(found("ok", file)).toEqual([]);
  });
});

test("every code has a document with the problem and one without", () => {
  // A document beyond the bounds is made where it is tested, in src/check/bounds.test.ts.
  const wanted = Object.keys(codes).filter((code) => code !== "document-too-large");
  expect([...new Set(documents("err").map(codeOf))].sort()).toEqual([...wanted].sort());
  expect([...new Set(documents("ok").map(codeOf))].sort()).toEqual([...wanted].sort());
});
