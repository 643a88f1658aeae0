import { expect, test } from "vitest";
import { originOf } from "./taint.ts";

function origin(pattern: string): string {
  const schema = { type: "object", properties: { x: { type: "string", pattern } } };
  return originOf({ id: "a", type: "script", run: "x", output: { as: "schema", schema } }, ["x"]);
}

test.each(["^[a-z|]+$", "^(?:a|b)$", String.raw`^a\|b$`, "^$"])("%s holds the whole text", (pattern) => {
  expect(origin(pattern)).toBe("authored");
});

test.each(["[a-z]+", "^a", "a$", "^a|b$", String.raw`^a\$`, String.raw`\^a$`, "^(?:a)|(?:b)$", "^[a$]"])(
  "%s lets anything else through",
  (pattern) => {
    expect(origin(pattern)).toBe("process");
  },
);
