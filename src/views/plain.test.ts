import { expect, test } from "vitest";
import type { NodeRetrying } from "../model/events.ts";
import { sentence } from "./plain.ts";

test.each([
  [4000, "again in 4.0s to 5.0s"],
  [600_000, "again in 10m00s to 10m05s"],
  [0, "again in 0.0s"],
])("a retry after %i ms tells how much longer it may be waited", (delayMs, told) => {
  const result = { outcome: "error", reason: { code: "internal", text: "no" } } as const;
  const body: NodeRetrying = { type: "node.retrying", node: "a", pass: 1, attempt: 1, result, delayMs };
  expect(sentence(body)).toBe(`a error: no; ${told}`);
});
