import { expect, test } from "vitest";
import type { AgentEvent } from "../model/agent-event.ts";
import { limits } from "../model/limits.ts";
import { toldOf } from "./agent-earlier.ts";

test("tells the calls, one patch a file and the last words of an earlier attempt", async () => {
  const told = await toldOf([
    { type: "text", text: "Let me see. " },
    { type: "tool_call", id: "1", tool: "run", input: { command: "npm test" } },
    { type: "tool_result", id: "1", tool: "run", ok: false, output: "exit 1\n2 tests fail" },
    { type: "diff", path: "sum.js", before: "a - b\n", after: "a * b\n" },
    { type: "diff", path: "sum.js", before: "a * b\n", after: "a + b\n" },
    { type: "text", text: "Now it adds." },
  ]);
  expect(told).toMatch(/^An earlier attempt of this was broken off\./);
  expect(told).toContain('What it did:\n- run {"command":"npm test"}\n  failed: exit 1 2 tests fail');
  expect(told).toContain("--- sum.js\n+++ sum.js\n@@ -1,1 +1,1 @@\n-a - b\n+a + b\n");
  expect(told).not.toContain("a * b");
  expect(told).toContain("What it said last:\nLet me see. Now it adds.");
});

test("tells of a file that was made and then changed as one that was not there", async () => {
  const told = await toldOf([
    { type: "diff", path: "new.js", before: null, after: "one\n" },
    { type: "diff", path: "new.js", before: "one\n", after: "two\n" },
  ]);
  expect(told).toContain("--- /dev/null\n+++ new.js\n");
  expect(told).not.toContain("-one");
});

test("tells nothing of one that did nothing", async () => {
  expect(await toldOf([{ type: "tool_result", id: "1", tool: "run", ok: true, output: "fine" }])).toBeNull();
});

test("is bounded, whatever there is to tell", async () => {
  const diffs = Array.from({ length: limits.trailEvents }, (_, at): AgentEvent => {
    const lines = Array.from({ length: 200 }, (_none, line) => `${at} ${line}\n`).join("");
    return { type: "diff", path: `f${at}`, before: null, after: lines };
  });
  const told = await toldOf(diffs);
  expect(Buffer.byteLength(told ?? "")).toBeLessThanOrEqual(limits.trailBytes + 200);
});
