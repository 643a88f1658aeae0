import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Step } from "../../../test/fixtures/acp-agent/main.ts";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import { limits } from "../../model/limits.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { guarded } from "../guarded.ts";
import { createAcpProvider } from "./provider.ts";

const main = fileURLToPath(new URL("../../../test/fixtures/acp-agent/main.ts", import.meta.url));

afterEach(() => vi.restoreAllMocks());

function perform(...steps: readonly Step[]) {
  const provider = createAcpProvider({
    name: "scripted",
    agent: { argv: [process.execPath, main, JSON.stringify([steps])], variables: [], install: "" },
    environment: process.env,
    start: startLive,
    clock: systemClock,
  });
  return play(
    guarded(provider, (text) => text),
    agentRequest({ workspace: "/", model: null }),
  );
}

const chunk = (usage: unknown): Step => ({
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." }, _meta: { usage } },
});
const costs = (amount: unknown): Step => ({
  update: { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency: "USD" } },
});

describe("what an agent says it used", () => {
  const much = { inputTokens: 1_000, outputTokens: 100 };

  test.each([
    ["below zero", { inputTokens: -1_000_000, outputTokens: 5 }],
    ["below zero, of the other kind", { inputTokens: 5, outputTokens: -1_000_000 }],
    ["no number", { inputTokens: "1", outputTokens: null }],
  ])("never gives back what it used (%s)", async (_, washing) => {
    const { result } = await perform(chunk(much), chunk(washing));
    expect(result).toMatchObject({ outcome: "success", usage: much });
  });

  test("is not said where it is below zero and nothing else was", async () => {
    const { result, events } = await perform(chunk({ inputTokens: -1, outputTokens: -1 }));
    expect(result.usage).toBeUndefined();
    expect(events.some(({ type }) => type === "usage")).toBe(false);
  });

  test("stays a number that can be counted on with", async () => {
    const huge = { inputTokens: 1e300, outputTokens: 0.5 };
    const { result } = await perform(chunk(huge), chunk(huge));
    expect(result.usage).toMatchObject({ inputTokens: limits.reportedTokens, outputTokens: 2 });
  });

  test("never costs less than it did", async () => {
    const { result } = await perform(costs(2), costs(-5), costs(1), costs("0"), chunk(much));
    expect(result.usage).toMatchObject({ cost: 2, currency: "USD" });
  });
});

describe("the end of a prompt", () => {
  test.each([[{ stopReason: "done" }], [{}], [null], ["end_turn"], [{ stopReason: { end_turn: true } }]])(
    "that the protocol does not know is an error (%j)",
    async (answer) => {
      const { result, events } = await perform({ say: "All done." }, { answer });
      expect(result).toMatchObject({ outcome: "error", reason: { code: "provider" } });
      expect(result.reason?.text).toContain("ended its turn in a way that is none");
      expect(events.at(-1)).toEqual({ type: "stop", why: "error" });
    },
  );
});

test("what is no report is passed by", async () => {
  // The SDK tells of each.
  vi.spyOn(console, "error").mockReturnValue();
  const { result } = await perform(
    { update: { sessionUpdate: "agent_message_chunk" } },
    { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: 7 } } },
    { update: { sessionUpdate: "tool_call", title: "no id" } },
    { update: { sessionUpdate: "tool_call_update", toolCallId: 7, kind: "sudo", status: "perhaps", locations: "x" } },
    { update: { sessionUpdate: "tool_call_update", toolCallId: "x", kind: "read", content: [{ type: "diff" }, null] } },
    { update: null },
    { update: { sessionUpdate: "unheard_of" } },
    { say: "Done." },
  );
  expect(result).toMatchObject({ outcome: "success", message: "Done." });
});

test("half characters come whole into what is kept", async () => {
  const { result, events } = await perform({ say: "a\ud83d" }, { say: "\ude00 b\ud800" });
  for (const text of [result.message, ...events.flatMap((event) => (event.type === "text" ? [event.text] : []))])
    expect(text.isWellFormed()).toBe(true);
});

test("an answer to nothing that was asked is shown nowhere", async () => {
  const printed = vi.spyOn(console, "error").mockReturnValue();
  const { result } = await perform(
    { raw: { jsonrpc: "2.0", id: "\u001b]0;title\u0007", result: {} } },
    { raw: { jsonrpc: "2.0", id: 1, result: {} } },
    { raw: { jsonrpc: "2.0" } },
    { raw: 5 },
    { raw: null },
    { raw: "method" },
    { raw: [] },
    { say: "Done." },
  );
  expect(result).toMatchObject({ outcome: "success", message: "Done." });
  expect(printed.mock.calls).toEqual([]);
});
