import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NodeBench } from "../../../test/support/node-bench.ts";
import type { ScriptNode } from "../../model/node.ts";
import type { NodeResult, ProgressMark } from "../../model/outcome.ts";
import { withProgress } from "./progress.ts";

let bench: NodeBench;
beforeEach(() => {
  bench = new NodeBench();
});
afterEach(() => bench.close());

function failed(output: string): NodeResult {
  const reason = { code: "exit", text: "exit code 1" } as const;
  return { outcome: "failure", reason, exit: 1, output: { text: output, bytes: output.length } };
}

async function mark(
  progress: string,
  result = failed("boom"),
  node: Partial<ScriptNode> = {},
): Promise<ProgressMark | undefined> {
  const check: ScriptNode = { id: "t", type: "script", run: "false", progress, ...node };
  return (await withProgress(bench.context(check), result)).progress;
}

test.each([
  ["the number on the last line", "echo 100; echo '12 tests left'", 12],
  ["the last number of it", "echo 'failed 3 of 20'", 20],
  ["a fraction, a negative", "echo -0.5", -0.5],
])("the measure is %s", async (_, command, measure) => {
  expect(await mark(command)).toMatchObject({ measure });
});

test.each([
  ["prints no number", "echo none"],
  ["prints nothing", "true"],
  ["fails", "echo 3; exit 1"],
])("a command that %s gives none", async (_, command) => {
  expect(await mark(command)).not.toHaveProperty("measure");
});

test("it runs where the check runs, with the check's environment", async () => {
  writeFileSync(join(bench.folder, "left"), "7\n");
  expect(await mark("cat left")).toMatchObject({ measure: 7 });
  expect(await mark('test "$TRAMMEL_NODE" = t && echo 1')).toMatchObject({ measure: 1 });
});

test("only a failure is measured, or with expect: failure a success", async () => {
  const success: NodeResult = { outcome: "success" };
  expect(await mark("echo 1", success)).toBeUndefined();
  expect(await mark("echo 1", { outcome: "error" })).toBeUndefined();
  expect(await mark("echo 1", success, { expect: "failure" })).toMatchObject({ measure: 1 });
  expect(await mark("echo 1", failed("x"), { expect: "failure" })).toBeUndefined();
});

test("the signature stays while only numbers, addresses and folders change", async () => {
  const first = await mark(
    "true",
    failed("ran 0.31s\n\u001b[31m/tmp/a1/x.ts:12 expected 3 to be 4 at 0xdeadbeef\u001b[0m\n"),
  );
  const second = await mark("true", failed("ran 12s\n/tmp/b22/x.ts:90 expected 5 to be 6 at 0xfeedc0de\n"));
  expect(second).toEqual(first);
  expect(first?.signature).toMatch(/^…\/x\.ts:# expected # to be # at # \([0-9a-f]{8}\)$/);
});

test("and differs with what went wrong, above the last line too", async () => {
  const a = await mark("true", failed("no module x\nFAILED"));
  const b = await mark("true", failed("no module y\nFAILED"));
  expect(a?.signature).not.toBe(b?.signature);
});
