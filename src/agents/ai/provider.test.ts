import { afterEach, describe, expect, test } from "vitest";
import { agentRequest, play, smallTools, type Called, type Played } from "../../../test/fixtures/agent-request.ts";
import type { Script } from "../../../test/fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../../../test/fixtures/model-server/server.ts";
import type { Json } from "../../model/json.ts";
import { limits } from "../../model/limits.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { createAiProvider } from "./provider.ts";
import { vendors, type Vendor } from "./settings.ts";

const open: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

interface Spoken extends Played {
  readonly server: ModelServer;
}

/** Plays a script to the provider, over HTTP, as one vendor. */
async function speak(
  vendor: Vendor,
  script: Script,
  part: Partial<AgentRequest> = {},
  signal?: AbortSignal,
): Promise<Spoken> {
  const server = await serveModel(script);
  open.push(server);
  const provider = createAiProvider(
    { [vendor]: { baseUrl: server.url, apiKey: "key-of-the-test" } },
    (text) => text,
    systemClock,
  );
  return { ...(await play(provider, agentRequest({ model: `${vendor}/scripted`, ...part }), signal)), server };
}

describe.each(vendors)("as %s", (vendor) => {
  test("the end of its turn is a success, streamed, with usage", async () => {
    const { result, events, server } = await speak(vendor, [{ think: "Hm.", say: "All done, é😀." }]);
    expect(result).toMatchObject({ outcome: "success", message: "All done, é😀.", beforeEffect: true });
    expect(result.usage).toEqual({ inputTokens: 100, outputTokens: 10, turns: 1 });
    const said = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(said.join("")).toBe("All done, é😀.");
    expect(events.at(-1)).toEqual({ type: "stop", why: "end_turn" });
    expect(JSON.stringify(server.requests[0]?.body)).toContain("Do the work.");
  });

  test("a call whose arguments stand too deep in one another goes back to the model", async () => {
    const called: Called[] = [];
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`);
    const input = { command: "true", deep: deep as { readonly a: Json } };
    const script: Script = [{ call: [{ tool: "run", input }] }, { say: "Done." }];
    const { result, server } = await speak(vendor, script, { tools: smallTools(called) });
    expect(result).toMatchObject({ outcome: "success", message: "Done." });
    expect(called).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("nested deeper than 100 levels");
  });

  test("calls of one turn are carried out in order, and go back to the model", async () => {
    const called: Called[] = [];
    const call = [
      { tool: "run", input: { command: "first" } },
      { tool: "run", input: { command: "false" } },
    ];
    const { result, events, server } = await speak(vendor, [{ say: "Let me see.", call }, { say: "Done." }], {
      tools: smallTools(called),
    });
    expect(result).toMatchObject({ outcome: "success", message: "Done.", beforeEffect: false });
    expect(result.usage).toEqual({ inputTokens: 200, outputTokens: 20, turns: 2 });
    expect(called.map(({ args }) => args["command"])).toEqual(["first", "false"]);
    expect(events.flatMap((event) => (event.type === "tool_result" ? [[event.ok, event.output]] : []))).toEqual([
      [true, "ran first"],
      [false, "exit 1\nit failed"],
    ]);
    const second = JSON.stringify(server.requests[1]?.body);
    expect(second).toContain("ran first");
    expect(second).toContain("it failed");
  });

  test("what a provider does not count is estimated from the text, on the high side, and said to be", async () => {
    const prompt = "word ".repeat(3_000);
    const { result } = await speak(vendor, [{ say: "All done, and well.", uncounted: true }], { prompt });
    expect(result.usage).toMatchObject({ turns: 1, estimated: true });
    expect(result.usage?.inputTokens).toBeGreaterThan(4_000);
    expect(result.usage?.outputTokens).toBeGreaterThanOrEqual(5);
  });

  test.each([
    [-1_000_000, 5],
    [5, -1_000_000],
  ])("a count below zero (%i, %i) is none: no budget is given back", async (input, output) => {
    const { result } = await speak(vendor, [{ say: "All done, and well.", counts: { input, output } }]);
    expect(result.usage?.inputTokens ?? -1).toBeGreaterThanOrEqual(0);
    expect(result.usage?.outputTokens ?? -1).toBeGreaterThanOrEqual(5);
  });

  test("an answer without end is cut", async () => {
    const endless = "x".repeat(limits.agentMessageBytes + 1);
    const { result, server } = await speak(vendor, [{ say: endless, ends: "hold" }]);
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "output_limit" } });
    await server.released;
  });

  test("an abort while it waits for the model is cancelled", async () => {
    const server = await serveModel([{ say: "Wait", ends: "hold" }]);
    open.push(server);
    const provider = createAiProvider(
      { [vendor]: { baseUrl: server.url, apiKey: "key-of-the-test" } },
      (text) => text,
      systemClock,
    );
    const abort = new AbortController();
    const playing = play(provider, agentRequest({ model: `${vendor}/scripted` }), abort.signal);
    await server.seen(1);
    abort.abort();
    expect((await playing).result).toMatchObject({ outcome: "cancelled", reason: { code: "cancelled" } });
  });

  test("giving up is a failure with the reason", async () => {
    const { result } = await speak(vendor, [{ call: [{ tool: "give_up", input: { reason: "There is no test." } }] }]);
    expect(result).toMatchObject({
      outcome: "failure",
      reason: { code: "give_up", text: "the agent gave up: There is no test" },
    });
  });

  test("an answer is one of the options, mended once", async () => {
    const options = ["approve", "reject"];
    const script: Script = [
      { call: [{ tool: "answer", input: { option: "maybe" } }] },
      { call: [{ tool: "answer", input: { option: "reject" } }] },
    ];
    expect((await speak(vendor, script, { options })).result).toMatchObject({ outcome: "success", option: "reject" });
    const { result } = await speak(vendor, [{ say: "I like it." }, { say: "Really." }], { options });
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "output_invalid" }, usage: { turns: 2 } });
  });

  test("a value fits its schema", async () => {
    const output = {
      as: "schema",
      schema: { type: "object", properties: { why: { type: "string" } }, required: ["why"] },
    } as const;
    const { result } = await speak(vendor, [{ call: [{ tool: "answer", input: { value: { why: "x" } } }] }], {
      output,
    });
    expect(result).toMatchObject({ outcome: "success", value: { why: "x" } });
  });
});

test("a server that is not there is an error of the connection", async () => {
  const server = await serveModel([{ say: "x" }]);
  await server.close();
  const provider = createAiProvider({ compatible: { baseUrl: server.url } }, (text) => text, systemClock);
  const { result } = await play(provider, agentRequest());
  expect(result).toMatchObject({ outcome: "error", reason: { code: "connection" } });
  expect(result.reason?.text).toContain("ECONNREFUSED");
});

test("a run that is aborted before it starts asks nothing", async () => {
  const { result, server } = await speak("compatible", [{ say: "x" }], {}, AbortSignal.abort());
  expect(result.outcome).toBe("cancelled");
  expect(server.requests).toEqual([]);
});
