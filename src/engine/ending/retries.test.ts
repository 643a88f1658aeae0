import { expect, test } from "vitest";
import { blueprintOf } from "../../../test/properties/graphs.ts";
import { compile } from "../../graph/plan.ts";
import type { RunStarted } from "../../model/events.ts";
import { limits } from "../../model/limits.ts";
import type { NodeResult } from "../../model/outcome.ts";
import { advance } from "../advance.ts";
import { initial } from "../state.ts";

const started: RunStarted = {
  type: "run.started",
  taskId: "t",
  task: "",
  blueprint: "test",
  contentHash: "",
  bindingHash: "",
  inputs: {},
  cwd: "/",
  owner: { pid: 1, startTime: "1", bootId: "1" },
};

/** The delays before further attempts of a node that ends so each time. */
function delaysAfter(part: Partial<NodeResult>, options: { maxRetries?: number }): readonly number[] {
  const state = initial(compile(blueprintOf(["a"], [["a", null, "END"]])));
  const result: NodeResult = { outcome: "error", reason: { code: "quota", text: "429" }, beforeEffect: true, ...part };
  const delays: number[] = [];
  let { events } = advance(
    state,
    [
      { ...started, ...options },
      { type: "passes.synced", passes: {} },
    ],
    0,
  );
  for (;;) {
    const claim = events.find((event) => event.type === "node.started");
    if (claim === undefined) return delays;
    const { node, pass, attempt } = claim;
    const { events: ended } = advance(state, [{ type: "node.ended", node, pass, attempt, result }], 0);
    const retrying = ended.find((event) => event.type === "node.retrying");
    if (retrying === undefined) return delays;
    delays.push(retrying.delayMs);
    ({ events } = advance(state, [{ type: "retry.due", node, pass, attempt }], 0));
  }
}

test("nothing is tried again beside a process that could not be ended", () => {
  expect(delaysAfter({}, { maxRetries: 1 })).toHaveLength(1);
  expect(delaysAfter({ survivors: [4711] }, { maxRetries: 1 })).toEqual([]);
});

test("a retry comes no sooner than the provider asked to wait, and never sooner than the back-off", () => {
  expect(delaysAfter({ retryAfterMs: 60_000 }, { maxRetries: 1 })).toEqual([60_000]);
  expect(delaysAfter({ retryAfterMs: 1 }, { maxRetries: 1 })).toEqual([limits.retryFirstDelayMs]);
  expect(delaysAfter({}, { maxRetries: 1 })).toEqual([limits.retryFirstDelayMs]);
});

test("a quota is waited for without a retry of the node, to a bound", () => {
  expect(delaysAfter({ retryAfterMs: 60_000 }, {})).toEqual(Array.from({ length: limits.quotaWaits }, () => 60_000));
});

test.each([
  ["the provider does not say how long", {}, {}],
  ["it is too long", { retryAfterMs: limits.quotaWaitMaxMs + 1 }, {}],
  ["the command line forbids retries", { retryAfterMs: 1 }, { maxRetries: 0 }],
  ["something was touched", { retryAfterMs: 1, beforeEffect: false }, {}],
  ["a person is missed", { reason: { code: "no_terminal", text: "eve may not answer" } as const }, { maxRetries: 3 }],
  ["input is over", { reason: { code: "end_of_input", text: "input ended" } as const }, { maxRetries: 3 }],
  ["it is another error", { retryAfterMs: 1, reason: { code: "overloaded", text: "529" } as const }, {}],
])("but not where %s", (_name, part, options) => {
  expect(delaysAfter(part, options)).toEqual([]);
});
