import { describe, expect, test } from "vitest";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import { serveModel } from "../../../test/fixtures/model-server/server.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { createAiProvider } from "./provider.ts";
import { parseModel } from "./settings.ts";

describe("a model", () => {
  test.each([
    ["anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5"],
    ["compatible/meta-llama/Llama-3", "compatible", "meta-llama/Llama-3"],
  ])("%s", (model, vendor, name) => {
    expect(parseModel(model)).toEqual({ vendor, name });
  });

  test.each(["gpt-5", "mistral/large", "openai/", "/x", ""])("not %j", (model) => {
    expect(parseModel(model)).toEqual({
      problem: expect.stringContaining("must be vendor/name with a vendor of anthropic, openai, google, compatible"),
    });
  });
});

describe("what is missing", () => {
  const provider = createAiProvider(
    { openai: { apiKey: "sk-test" }, anthropic: { apiKey: "" } },
    (text) => text,
    systemClock,
  );

  test("nothing, with a key of the vendor", () => {
    expect(provider.missing("openai/gpt-5")).toBeNull();
  });

  test.each([
    [null, "no model is set"],
    ["anthropic/x", 'model "anthropic/x" has no key'],
    ["google/x", 'model "google/x" has no key'],
    ["compatible/x", 'model "compatible/x" has no address'],
  ])("%s: %s, and the three ways out", (model, what) => {
    const missing = provider.missing(model) ?? "";
    expect(missing).toContain(what);
    for (const way of ["vendor's key", "agent on the PATH", "OpenAI-compatible server"]) expect(missing).toContain(way);
  });
});

test("an absent key is told with the variable that would hold it", () => {
  const missing = (keyNames: readonly string[]) =>
    createAiProvider({ google: { keyNames } }, (text) => text, systemClock).missing("google/x");
  expect(missing(["A_KEY"])).toMatch(/^model "google\/x" has no key: A_KEY is not set$/m);
  expect(missing(["A_KEY", "B_KEY"])).toMatch(/^model "google\/x" has no key: A_KEY or B_KEY is not set$/m);
});

describe("what a model costs", () => {
  const price = (currency: string) => ({ input: { amount: 3, currency: "USD" }, output: { amount: 15, currency } });

  test("is counted where its price is known, call by call", async () => {
    const call = { tool: "run", input: { command: "x" } };
    const server = await serveModel([{ call: [call] }, { say: "Done." }]);
    const ai = { compatible: { baseUrl: server.url } };
    const priced = createAiProvider(ai, (text) => text, systemClock, { "compatible/scripted": price("USD") });
    const { result, events } = await play(priced, agentRequest());
    await server.close();
    const costs = events.flatMap((event) => (event.type === "usage" ? [event.usage.cost] : []));
    expect(costs).toEqual([0.000_45, 0.000_9]);
    expect(result.usage).toEqual({ inputTokens: 200, outputTokens: 20, turns: 2, cost: 0.000_9, currency: "USD" });
    expect(priced.currencyOf?.("compatible/scripted")).toBe("USD");
  });

  test("is not known without a price, or with one in two currencies", () => {
    const priced = createAiProvider({}, (text) => text, systemClock, { "openai/a": price("EUR") });
    expect([priced.currencyOf?.("openai/a"), priced.currencyOf?.("openai/b"), priced.currencyOf?.(null)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

test("a key or an address that lies in the environment is never used", async () => {
  process.env["ANTHROPIC_API_KEY"] = "found-by-accident";
  process.env["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9/v1";
  try {
    const provider = createAiProvider({}, (text) => text, systemClock);
    expect(provider.missing("anthropic/x")).toContain("has no key");
    const { result } = await play(provider, agentRequest({ model: "anthropic/x" }));
    expect(result).toMatchObject({
      outcome: "error",
      reason: { code: "provider", text: expect.stringContaining("has no key") },
    });
  } finally {
    delete process.env["ANTHROPIC_API_KEY"];
    delete process.env["ANTHROPIC_BASE_URL"];
  }
});
