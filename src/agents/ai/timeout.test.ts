import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentWorld } from "../../../test/fixtures/agent-node.ts";
import { agentRequest } from "../../../test/fixtures/agent-request.ts";
import { serveModel } from "../../../test/fixtures/model-server/server.ts";
import type { AgentEvent } from "../../model/agent-event.ts";
import { limits } from "../../model/limits.ts";
import { ManualClock, systemClock } from "../../runtime/time/clock.ts";
import { createAiProvider } from "./provider.ts";
import { vendors } from "./settings.ts";

test.each(vendors)(
  "a stream of %s that goes on too long meets the timeout of its node, as a failure",
  async (vendor) => {
    const folder = await mkdtemp(join(tmpdir(), "trammel-faults-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const server = await serveModel([{ say: "I am still at it.\n", ends: "hold" }]);
    onTestFinished(() => server.close());
    const clock = new ManualClock();
    const provider = createAiProvider(
      { [vendor]: { baseUrl: server.url, apiKey: "key-of-the-test" } },
      (text) => text,
      clock,
    );
    const node = { model: `${vendor}/scripted` };
    const { performer, context } = agentWorld(folder, { clock, provider, node, timeoutMs: 60_000 });
    const performing = performer.perform(context);
    await server.seen(1);
    clock.advance(60_000);
    expect(await performing).toMatchObject({ outcome: "failure", reason: { code: "timeout" }, beforeEffect: true });
    await server.released;
    expect(clock.pending).toBe(0);
  },
);

test.each(vendors)("what a turn of %s that is broken off has taken counts, though nobody has told", async (vendor) => {
  const said = "I am still at it.\n".repeat(limits.textEventCharacters / 16);
  const server = await serveModel([{ say: said, ends: "hold" }]);
  onTestFinished(() => server.close());
  const settings = { [vendor]: { baseUrl: server.url, apiKey: "key-of-the-test" } };
  const provider = createAiProvider(settings, (text) => text, systemClock);
  const stop = new AbortController();
  const prompt = "Do it. ".repeat(100);
  const emit = ({ type }: AgentEvent): void => (type === "text" ? stop.abort() : undefined);
  const { outcome, usage } = await provider.run(
    agentRequest({ model: `${vendor}/scripted`, prompt }),
    emit,
    stop.signal,
  );
  expect([outcome, usage?.turns, usage?.estimated]).toEqual(["cancelled", 1, true]);
  expect(usage?.inputTokens).toBeGreaterThan(prompt.length / limits.charactersPerToken);
  expect(usage?.outputTokens).toBeGreaterThanOrEqual(limits.textEventCharacters / limits.charactersPerToken);
});
