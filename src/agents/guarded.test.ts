import { describe, expect, test } from "vitest";
import { agentRequest, play } from "../../test/fixtures/agent-request.ts";
import { limits } from "../model/limits.ts";
import type { AgentProvider, AgentResult } from "../ports/provider.ts";
import { guarded } from "./guarded.ts";

const done: AgentResult = {
  outcome: "success",
  message: "done",
  usage: { inputTokens: 0, outputTokens: 0, turns: 1 },
  beforeEffect: true,
};

function guard(run: AgentProvider["run"]): AgentProvider {
  return guarded({ name: "own", missing: () => null, run }, (text) => text.replaceAll("canary-7f3", "***"));
}

test("a secret is masked in everything that comes out", async () => {
  const { result, events } = await play(
    guard((_request, emit) => {
      emit({ type: "text", text: "canary-7f3" });
      emit({ type: "tool_call", id: "1", tool: "run", input: { command: "echo canary-7f3", list: ["canary-7f3"] } });
      emit({ type: "tool_result", id: "1", tool: "run", ok: true, output: "canary-7f3" });
      emit({ type: "diff", path: "a", before: null, after: "canary-7f3" });
      emit({ type: "permission", tool: "run", request: "canary-7f3", decision: "denied" });
      const reason = { code: "provider", text: "bad key canary-7f3" } as const;
      return Promise.resolve({ ...done, outcome: "error", message: "canary-7f3", value: { a: "canary-7f3" }, reason });
    }),
    agentRequest(),
  );
  expect(JSON.stringify([result, events])).not.toContain("canary-7f3");
  expect(result).toMatchObject({ message: "***", value: { a: "***" }, reason: { text: "bad key ***" } });
  expect(events).toHaveLength(6);
});

test("a throw is an error of ours, and the stream ends", async () => {
  const { result, events } = await play(
    guard(() => Promise.reject(new Error("a bug"))),
    agentRequest(),
  );
  expect(result).toMatchObject({
    outcome: "error",
    reason: { code: "internal", text: "the agent's provider failed: a bug" },
    beforeEffect: true,
  });
  expect(events).toEqual([{ type: "stop", why: "error" }]);
});

test("so is a throw before there is a promise", async () => {
  const { result } = await play(
    guard(() => {
      throw new Error("a bug");
    }),
    agentRequest(),
  );
  expect(result).toMatchObject({ outcome: "error", reason: { code: "internal" } });
});

describe("the end of the stream", () => {
  test("comes once, and nothing after it", async () => {
    const { events } = await play(
      guard((_request, emit) => {
        emit({ type: "stop", why: "refusal" });
        emit({ type: "text", text: "and another thing" });
        return Promise.resolve(done);
      }),
      agentRequest(),
    );
    expect(events).toEqual([{ type: "stop", why: "refusal" }]);
  });

  test("is added where the provider left it out", async () => {
    expect(
      (
        await play(
          guard(() => Promise.resolve(done)),
          agentRequest(),
        )
      ).events,
    ).toEqual([{ type: "stop", why: "end_turn" }]);
  });
});

test("sizes are bounded", async () => {
  const long = "x".repeat(2 * limits.agentMessageBytes);
  const { result, events } = await play(
    guard((_request, emit) => {
      emit({ type: "text", text: long });
      emit({ type: "tool_call", id: "1", tool: "write", input: { content: long } });
      return Promise.resolve({ ...done, message: long });
    }),
    agentRequest(),
  );
  expect(JSON.stringify(events).length).toBeLessThan(3 * limits.agentEventBytes);
  expect(result.message.length).toBeLessThan(limits.agentMessageBytes + 100);
});

test("an agent that says very much is heard in ever shorter pieces", async () => {
  const output = "x".repeat(limits.agentEventBytes);
  const { events } = await play(
    guard((_request, emit) => {
      for (let n = 0; n < 2_000; n += 1) emit({ type: "tool_result", id: "1", tool: "run", ok: true, output });
      return Promise.resolve(done);
    }),
    agentRequest(),
  );
  expect(events).toHaveLength(2_001);
  expect(JSON.stringify(events).length).toBeLessThan(limits.agentStreamBytes + 2_000 * 2 * limits.agentLateEventBytes);
});

test("an agent that never stops talking is heard to a bound, its changes always", async () => {
  const { events } = await play(
    guard((_request, emit) => {
      for (let n = 0; n < limits.agentEvents + 10; n += 1) emit({ type: "text", text: "x" });
      emit({ type: "diff", path: "a", before: null, after: "b" });
      return Promise.resolve(done);
    }),
    agentRequest(),
  );
  expect(events).toHaveLength(limits.agentEvents + 2);
  expect(events.at(-2)?.type).toBe("diff");
});

test("one that never stops counting, or changing files, fills no journal, and its count is still seen to grow", async () => {
  const usage = (tokens: number) =>
    ({ type: "usage", usage: { inputTokens: tokens, outputTokens: 0, turns: 1 } }) as const;
  const { events } = await play(
    guard((_request, emit) => {
      for (let n = 0; n < limits.agentEvents; n += 1) emit({ type: "text", text: "x" });
      for (let n = 1; n <= limits.agentEvents; n += 1) emit(usage(n));
      for (let n = 0; n < 2 * limits.agentEvents; n += 1) emit({ type: "diff", path: "a", before: null, after: "b" });
      return Promise.resolve(done);
    }),
    agentRequest(),
  );
  expect(events.length).toBeLessThanOrEqual(2 * limits.agentEvents + 1);
  const told = events.flatMap((event) => (event.type === "usage" ? [event.usage.inputTokens] : []));
  expect(told.length).toBeLessThan(3_000);
  expect(told.at(-1)).toBeGreaterThan(limits.agentEvents * 0.98);
});

test("past the bound a count that stays is not told again, and a cost that grows alone is", async () => {
  const usage = (cost: number) =>
    ({ type: "usage", usage: { inputTokens: 0, outputTokens: 0, turns: 1, cost, currency: "USD" } }) as const;
  const { events } = await play(
    guard((_request, emit) => {
      for (let n = 0; n < limits.agentEvents; n += 1) emit({ type: "text", text: "x" });
      for (const cost of [0, 0, 0, 1, 1, 2]) emit(usage(cost));
      return Promise.resolve(done);
    }),
    agentRequest(),
  );
  expect(events.flatMap((event) => (event.type === "usage" ? [event.usage.cost] : []))).toEqual([1, 2]);
});

test.each([
  { inputTokens: -5, outputTokens: 1, turns: 1 },
  { inputTokens: Number.NaN, outputTokens: 1, turns: 1 },
])("what is no count is not said: $inputTokens", async (usage) => {
  const { result, events } = await play(
    guard((_request, emit) => {
      emit({ type: "usage", usage });
      return Promise.resolve({ ...done, usage });
    }),
    agentRequest(),
  );
  expect([result.usage, events.map(({ type }) => type)]).toEqual([undefined, ["stop"]]);
});
