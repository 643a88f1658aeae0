import { expect, test } from "vitest";
import { blueprintOf } from "../../test/properties/graphs.ts";
import { compile } from "../graph/plan.ts";
import type { RunStarted } from "../model/events.ts";
import { limits } from "../model/limits.ts";
import { advance } from "./advance.ts";
import { initial } from "./state.ts";

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

/** The delay before the second attempt of a node that was out of quota. */
function delayAfter(retryAfterMs: number | undefined): unknown {
  const state = initial(compile(blueprintOf(["a"], [["a", null, "END"]])), { maxRetries: 1 });
  const { events } = advance(state, [started, { type: "passes.synced", passes: {} }], 0);
  const claim = events.find((event) => event.type === "node.started");
  if (claim === undefined) throw new Error("nothing started");
  const result = {
    outcome: "error",
    reason: { code: "quota", text: "429" },
    beforeEffect: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  } as const;
  const { node, pass, attempt } = claim;
  const step = advance(state, [{ type: "node.ended", node, pass, attempt, result }], 0);
  return step.events.flatMap((event) => (event.type === "node.retrying" ? [event.delayMs] : []));
}

test("a retry comes no sooner than the provider asked to wait", () => {
  expect(delayAfter(60_000)).toEqual([60_000]);
});

test("and never sooner than the back-off", () => {
  expect(delayAfter(1)).toEqual([limits.retryFirstDelayMs]);
  expect(delayAfter(undefined)).toEqual([limits.retryFirstDelayMs]);
});
