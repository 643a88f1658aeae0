import { afterEach, describe, expect, test } from "vitest";
import { agentRequest, play, smallTools, type Called } from "../../../test/fixtures/agent-request.ts";
import type { Script } from "../../../test/fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../../../test/fixtures/model-server/server.ts";
import { limits } from "../../model/limits.ts";
import type { ReasonCode } from "../../model/outcome.ts";
import type { AgentResult } from "../../ports/provider.ts";
import { ManualClock } from "../../runtime/time/clock.ts";
import { createAiProvider } from "./provider.ts";
import { vendors, type Vendor } from "./settings.ts";

const open: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

interface Fault {
  readonly name: string;
  readonly script: Script;
  readonly outcome: AgentResult["outcome"];
  readonly code: ReasonCode;
  readonly says?: string;
  readonly retryAfterMs?: number;
  /** How often the model is asked; once when absent. */
  readonly asked?: number;
  /** What went back to the model with its last question. */
  readonly told?: string;
  /** Commands that were carried out; none when absent. */
  readonly ran?: readonly string[];
  /** The protocols that can say it; all when absent. */
  readonly only?: readonly Vendor[];
}

const call = (command: string) => ({ tool: "run", input: { command } });

/** What can go wrong with a model, and what must come of it. None is a success. */
const faults: readonly Fault[] = [
  // Answers that refuse.
  {
    name: "a wrong key",
    script: [{ status: 401, message: "Invalid API key" }],
    outcome: "error",
    code: "auth",
    says: "answered 401 Invalid API key; trammel doctor --probe",
  },
  { name: "no right", script: [{ status: 403, message: "Not for you" }], outcome: "error", code: "auth" },
  {
    name: "an unknown model",
    script: [{ status: 404, message: "No such model" }],
    outcome: "error",
    code: "provider",
    says: "No such model; see whether the name of the model",
  },
  {
    name: "a used-up quota",
    script: [{ status: 429, message: "Slow down", headers: { "retry-after": "7" } }],
    outcome: "error",
    code: "quota",
    retryAfterMs: 7_000,
  },
  {
    name: "a used-up quota that says since when",
    script: [
      {
        status: 429,
        message: "Slow down",
        headers: { "retry-after": "Mon, 30 Nov 2026 18:00:30 GMT", date: "Mon, 30 Nov 2026 18:00:00 GMT" },
      },
    ],
    outcome: "error",
    code: "quota",
    retryAfterMs: 30_000,
  },
  {
    name: "a used-up quota that says how long in its body",
    script: [{ status: 429, message: "Slow down", code: "RESOURCE_EXHAUSTED", retryDelay: "34.07s" }],
    outcome: "error",
    code: "quota",
    retryAfterMs: 34_070,
    only: ["google"],
  },
  {
    name: "a used-up quota that counts its buckets",
    script: [
      {
        status: 429,
        message: "Slow down",
        headers: {
          "x-ratelimit-remaining-requests": "12",
          "x-ratelimit-reset-requests": "9h",
          "x-ratelimit-remaining-tokens": "0",
          "x-ratelimit-reset-tokens": "6m0.5s",
        },
      },
    ],
    outcome: "error",
    code: "quota",
    retryAfterMs: 360_500,
  },
  {
    name: "a used-up quota that does not say how long",
    script: [{ status: 429, message: "Slow down" }],
    outcome: "error",
    code: "quota",
    retryAfterMs: limits.quotaWaitDefaultMs,
  },
  {
    name: "an account without money",
    script: [
      { status: 429, message: "You exceeded your current quota, check your billing", code: "insufficient_quota" },
    ],
    outcome: "error",
    code: "quota",
  },
  { name: "a fault of theirs", script: [{ status: 500, message: "Oops" }], outcome: "error", code: "overloaded" },
  {
    name: "an overload",
    script: [{ status: 529, message: "Overloaded", headers: { "retry-after-ms": "1500" } }],
    outcome: "error",
    code: "overloaded",
    retryAfterMs: 1_500,
  },
  {
    name: "too long a prompt",
    script: [{ status: 400, message: "This model's maximum context length is 8 tokens" }],
    outcome: "error",
    code: "context_overflow",
  },
  // Streams that break.
  { name: "a cut stream", script: [{ say: "I am about to", ends: "cut" }], outcome: "error", code: "connection" },
  { name: "a stream without an end", script: [{ say: "I am", ends: "silent" }], outcome: "error", code: "connection" },
  { name: "a cut tool call", script: [{ call: [call("x")], ends: "cut" }], outcome: "error", code: "connection" },
  { name: "an overload in the stream", script: [{ say: "I", ends: "fault" }], outcome: "error", code: "overloaded" },
  {
    name: "a context that is full while it speaks",
    script: [{ say: "I wr", finish: "context" }],
    outcome: "error",
    code: "context_overflow",
    only: ["anthropic"],
  },
  // Answers that are none.
  { name: "a refusal", script: [{ say: "I will not.", finish: "refusal" }], outcome: "failure", code: "refusal" },
  {
    name: "an answer cut short",
    script: [{ say: "I wr", finish: "length" }],
    outcome: "failure",
    code: "output_limit",
  },
  {
    name: "an empty answer",
    script: [{ say: "" }],
    outcome: "failure",
    code: "output_invalid",
    says: "it is empty",
    asked: 2,
    told: "Your answer cannot be used: it is empty.",
  },
  {
    name: "an empty answer after work",
    script: [{ call: [call("first")] }, {}],
    outcome: "failure",
    code: "output_invalid",
    asked: 3,
    ran: ["first"],
  },
  {
    name: "arguments that are no JSON",
    script: [{ call: [{ tool: "run", raw: '{"command": "fir' }] }, { say: "x", finish: "length" }],
    outcome: "failure",
    code: "output_limit",
    asked: 2,
    told: "could not be read",
  },
  {
    name: "arguments that do not fit",
    script: [{ call: [{ tool: "run", input: { comand: "x" } }] }, { say: "x", finish: "length" }],
    outcome: "failure",
    code: "output_limit",
    asked: 2,
    told: "must have required property 'command'",
  },
  {
    name: "an unknown tool",
    script: [{ call: [{ tool: "rm_rf", input: {} }] }, { say: "x", finish: "length" }],
    outcome: "failure",
    code: "output_limit",
    asked: 2,
    told: "there is no tool",
  },
  {
    name: "one bad call of several at once",
    script: [{ call: [call("first"), { tool: "nope", input: {} }, call("third")] }, { say: "x", finish: "length" }],
    outcome: "failure",
    code: "output_limit",
    asked: 2,
    told: "there is no tool",
    ran: ["first", "third"],
  },
  {
    name: "a model that never stops calling tools",
    script: [{ call: [call("again")] }],
    outcome: "failure",
    code: "turn_limit",
    asked: 3,
    ran: ["again", "again", "again"],
  },
];

describe.each(vendors)("as %s", (vendor) => {
  const rows = faults.filter(({ only }) => only?.includes(vendor) ?? true).map((fault) => [fault.name, fault] as const);

  test.each(rows)("%s", async (_name, fault) => {
    const server = await serveModel(fault.script);
    open.push(server);
    const clock = new ManualClock();
    const access = { [vendor]: { baseUrl: server.url, apiKey: "key-of-the-test" } };
    const provider = createAiProvider(access, (text) => text, clock);
    const called: Called[] = [];
    const request = agentRequest({ model: `${vendor}/scripted`, turns: 3, tools: smallTools(called) });
    const { result, events } = await play(provider, request);
    const { outcome, code, retryAfterMs, asked = 1, ran = [], says = "", told = "" } = fault;
    expect(result).toMatchObject({ outcome, reason: { code, text: expect.stringContaining(says) } });
    expect(result.retryAfterMs).toBe(retryAfterMs);
    expect(result.beforeEffect).toBe(ran.length === 0);
    expect(called.map(({ args }) => args["command"])).toEqual(ran);
    expect(events.filter(({ type }) => type === "stop")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "stop" });
    expect(server.requests).toHaveLength(asked);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(told);
    expect(clock.pending).toBe(0);
  });
});

describe("in the middle of the work", () => {
  /** Works for a turn, is refused once, and is done after that. */
  async function refusedOnce(tool: "read" | "run", retryAfterS: number) {
    const input = tool === "read" ? { path: "a" } : { command: "first" };
    const refused = { status: 429, message: "Slow down", headers: { "retry-after": String(retryAfterS) } };
    const server = await serveModel([{ call: [{ tool, input }] }, refused, { say: "Done." }]);
    open.push(server);
    const clock = new ManualClock();
    const provider = createAiProvider({ compatible: { baseUrl: server.url } }, (text) => text, clock);
    const abort = new AbortController();
    const paused = Promise.withResolvers<number>();
    const running = provider.run(
      agentRequest(),
      (event) => (event.type === "paused" ? paused.resolve(event.ms) : undefined),
      abort.signal,
    );
    return { server, clock, abort, running, paused: paused.promise };
  }

  test("a short pause is kept, and the conversation goes on where it was", async () => {
    const { server, clock, running, paused } = await refusedOnce("run", 60);
    expect(await paused).toBe(60_000);
    clock.advance(60_000);
    expect(await running).toMatchObject({ outcome: "success", message: "Done.", usage: { turns: 2 } });
    expect(server.requests).toHaveLength(3);
    expect(JSON.stringify(server.requests[2]?.body)).toContain("ran first");
    expect(clock.pending).toBe(0);
  });

  test("a long one is left to the run while nothing was touched", async () => {
    const { running } = await refusedOnce("read", limits.quotaPauseMs / 1000 + 1);
    expect(await running).toMatchObject({
      outcome: "error",
      retryAfterMs: limits.quotaPauseMs + 1000,
      beforeEffect: true,
    });
  });

  test("and kept where what was done could not be done again", async () => {
    const { clock, running, paused } = await refusedOnce("run", 3_600);
    expect(await paused).toBe(3_600_000);
    clock.jump(3_600_000);
    clock.advance(limits.waitLookMs);
    expect(await running).toMatchObject({ outcome: "success" });
  });

  test("one that is longer than a run waits ends it", async () => {
    const { running } = await refusedOnce("run", limits.quotaWaitMaxMs / 1000 + 1);
    expect(await running).toMatchObject({ outcome: "error", reason: { code: "quota" }, beforeEffect: false });
  });

  test("a stop ends a pause", async () => {
    const { abort, running, paused, clock } = await refusedOnce("run", 60);
    await paused;
    abort.abort();
    expect(await running).toMatchObject({ outcome: "cancelled" });
    expect(clock.pending).toBe(0);
  });
});
