import { expect, test } from "vitest";
import type { ProcessEnd, ProcessResult } from "../ports/processes.ts";
import { resultOf } from "./process-result.ts";

const nothing = { text: "", bytes: 0 };

function ended(end: ProcessEnd, survivors: ProcessResult["survivors"] = []): ProcessResult {
  return { end, output: nothing, stdout: nothing, stderr: nothing, survivors };
}

const survivor = { pid: 4711, startTime: "1", bootId: "b" };

test("survivors are named, after a success too", () => {
  expect(resultOf(ended({ kind: "exit", code: 0 }, [survivor]), null)).toMatchObject({
    outcome: "success",
    reason: { code: "exit", text: "exit code 0; could not be ended: process 4711" },
    survivors: [4711],
  });
  expect(resultOf(ended({ kind: "timeout" }, [survivor, { ...survivor, pid: 4712 }]), 60_000).reason?.text).toBe(
    "took longer than 1m; could not be ended: process 4711, 4712",
  );
  expect(resultOf(ended({ kind: "exit", code: 0 }), null).reason).toBeUndefined();
});

test.each([
  [90_000, "90s"],
  [2 * 3_600_000, "2h"],
  [1_500, "1500ms"],
  [86_400_000, "1d"],
])("a timeout of %i ms reads %s", (ms, text) => {
  expect(resultOf(ended({ kind: "timeout" }), ms).reason?.text).toBe(`took longer than ${text}`);
});

test("output that could not be kept is an error, not known to be without effect", () => {
  const result = resultOf(ended({ kind: "spill", message: "no space left" }), null);
  expect(result).toMatchObject({ outcome: "error", reason: { code: "spill", text: "no space left" } });
  expect(result.beforeEffect).toBeUndefined();
});

test("a stream is told beside the output only where it differs", () => {
  const a = { text: "a", bytes: 1 };
  const b = { text: "b", bytes: 1 };
  const streams = (texts: Pick<ProcessResult, "output" | "stdout" | "stderr">): unknown => {
    const { stdout, stderr } = resultOf({ ...ended({ kind: "exit", code: 0 }), ...texts }, null);
    return { stdout, stderr };
  };
  expect(streams({ output: a, stdout: a, stderr: nothing })).toEqual({});
  expect(streams({ output: b, stdout: nothing, stderr: b })).toEqual({ stdout: nothing });
  expect(streams({ output: { text: "ab", bytes: 2 }, stdout: a, stderr: b })).toEqual({ stdout: a, stderr: b });
});
