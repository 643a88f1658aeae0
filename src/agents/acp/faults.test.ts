import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { expect, test } from "vitest";
import { classify } from "./faults.ts";

const wall = Date.parse("2025-11-30T18:00:00Z");

test.each([
  ["Claude AI usage limit reached|1764532800", "quota", 7_200_000],
  ["You've hit your usage limit. Try again in 2 hours 13 minutes.", "quota", 7_980_000],
  ["You've hit your usage limit. Try again in 1 day, 3 hours and 5 minutes.", "quota", 97_500_000],
  ["429 Too Many Requests: please retry after 12.5s", "quota", 12_500],
  ["Rate limit exceeded, resets in 45m", "quota", 2_700_000],
  ["Quota exceeded for the day", "quota", undefined],
  ["API Error: 529 overloaded, try again in 5 minutes", "overloaded", undefined],
  ["401 unauthorized", "auth", undefined],
  ["prompt is too long", "context_overflow", undefined],
  ["something else", "provider", undefined],
])("an agent that answers %s", (message, code, retryAfterMs) => {
  const fault = classify(new RequestError(-32_603, message), "", wall);
  expect([fault.reason.code, fault.retryAfterMs]).toEqual([code, retryAfterMs]);
});
