import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Step } from "../../../test/fixtures/acp-agent/main.ts";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { createAcpProvider } from "./provider.ts";

const main = fileURLToPath(new URL("../../../test/fixtures/acp-agent/main.ts", import.meta.url));

/** Has an agent do the steps of each prompt. */
function perform(...prompts: readonly (readonly Step[])[]) {
  const provider = createAcpProvider({
    name: "scripted",
    agent: { argv: [process.execPath, main, JSON.stringify(prompts)], variables: [], install: "" },
    environment: process.env,
    start: startLive,
    clock: systemClock,
  });
  return play(provider, agentRequest({ workspace: "/", model: null }));
}

test.each(["text", "end"] as const)("tokens are counted as agents report them (with the %s)", async (kind) => {
  const { result, events } = await perform([
    { say: "Hm." },
    { tokens: 100, with: kind },
    { call: { kind: "read", title: "a.js", ask: false } },
    { tokens: 10, with: kind },
  ]);
  expect(result.usage).toMatchObject(kind === "text" ? { inputTokens: 110, turns: 2 } : { inputTokens: 100, turns: 1 });
  expect(events.findLast(({ type }) => type === "usage")).toEqual({ type: "usage", usage: result.usage });
});

test("an agent that neither does nor says anything has not answered, and is asked once more", async () => {
  const mended = await perform([], [{ say: "Done." }]);
  expect(mended.result).toMatchObject({ outcome: "success", message: "Done." });
  const { result } = await perform([]);
  expect(result).toMatchObject({ outcome: "failure", reason: { code: "output_invalid" } });
});

test("tokens that are reported piece by piece are not counted again at the end", async () => {
  const { result } = await perform([{ say: "Hm." }, { tokens: 100, with: "text" }, { tokens: 100, with: "end" }]);
  expect(result.usage).toMatchObject({ inputTokens: 100, outputTokens: 1 });
});
