import { expect, test } from "vitest";
import type { EventBody } from "../../model/events.ts";
import { UsageMeter } from "./usage-meter.ts";

const usage = { inputTokens: 10, outputTokens: 2, turns: 1 };
const result = { outcome: "error", usage } as const;

function inputTokens(...bodies: readonly EventBody[]): number | undefined {
  const meter = new UsageMeter();
  for (const body of bodies) meter.note(body);
  return meter.total()?.inputTokens;
}

test("an attempt whose retry a halt comes before is counted once, and each further one is", () => {
  const first = { node: "a", pass: 1, attempt: 1, result } as const;
  const retrying: EventBody = { type: "node.retrying", ...first, delayMs: 5 };
  expect(inputTokens(retrying, { type: "node.ended", ...first })).toBe(10);
  expect(inputTokens(retrying, { type: "node.ended", ...first, attempt: 2 })).toBe(20);
  expect(inputTokens(retrying, { type: "node.ended", ...first, pass: 2 })).toBe(20);
});
