import { expect, test } from "vitest";
import { overlapOf } from "./overlap.ts";

test("a person is refused or waits; what nobody watches does what its blueprint says, and waits by default", () => {
  const skipping = { concurrency: { overlap: "skip" } } as const;
  expect(overlapOf(skipping, { watched: true, asked: false })).toBe("refuse");
  expect(overlapOf(skipping, { watched: false, asked: true })).toBe("queue");
  expect(overlapOf(skipping, { watched: false, asked: false })).toBe("skip");
  for (const concurrency of [{}, { overlap: "queue" }, { overlap: "allow" }] as const)
    expect(overlapOf({ concurrency }, { watched: false, asked: false })).toBe("queue");
});
