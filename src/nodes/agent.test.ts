import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentWorld, done, type World } from "../../test/fixtures/agent-node.ts";
import { limits } from "../model/limits.ts";
import type { AgentProvider, AgentRequest } from "../ports/provider.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-agent-node-"));
});

afterAll(() => rm(folder, { recursive: true }));

const world = (part: World) => agentWorld(folder, part);

/** The request the provider was given. */
async function requested(part: World): Promise<AgentRequest> {
  const seen: AgentRequest[] = [];
  const provider = { run: (request: AgentRequest) => Promise.resolve(done).finally(() => seen.push(request)) };
  const { performer, context } = world({ ...part, provider });
  await performer.perform(context);
  const [request] = seen;
  if (request === undefined) throw new Error("the provider was not asked");
  return request;
}

test("the request holds the filled-in prompt and where it belongs", async () => {
  expect(await requested({})).toMatchObject({
    run: "r1",
    node: "fix",
    pass: 2,
    prompt: "Mend the parser",
    model: null,
    turns: limits.agentTurnsDefault,
    toolScope: null,
    policy: { mode: "allow_all" },
    workspace: folder,
  });
});

test.each([
  ["en-AU", "Australian English"],
  ["pt-BR", "Brazilian Portuguese"],
  ["no-such-thing-at-all", "no-such-thing-at-all"],
])("the prompt says in which language people will read: %s", async (locale, name) => {
  const { prompt } = await requested({ locale });
  expect(prompt).toBe(`Mend the parser\n\nWrite what people will read (comments, documentation, messages) in ${name}.`);
});

test("a node's settings win over the document's, and those over the configuration's", async () => {
  const configured = { model: "openai/a", turns: 1, policy: { mode: "read_only" } } as const;
  const document = { model: "openai/b", turns: 2 };
  expect(await requested({ configured, document, node: { turns: 3, tools: ["read"] } })).toMatchObject({
    model: "openai/b",
    turns: 3,
    policy: { mode: "read_only" },
    toolScope: ["read"],
  });
});

test("a level that names a provider takes no model from below, which was meant for another one", async () => {
  const configured = { provider: "ai", model: "openai/a" };
  expect((await requested({ configured, node: { provider: "own" } })).model).toBeNull();
  expect(
    (await requested({ configured, document: { provider: "own", model: "small" }, node: { turns: 1 } })).model,
  ).toBe("small");
  expect((await requested({ configured: { model: "openai/a" }, document: { model: "openai/b" } })).model).toBe(
    "openai/b",
  );
});

test("commands of an agent get the environment of the node", async () => {
  const env = { PATH: "/bin", NAMED: "1" };
  expect((await requested({ env })).env).toEqual(env);
});

test("a child of a tool is reported as soon as it exists", async () => {
  const child = { pid: 7, startTime: "1", bootId: "b" };
  const { performer, context, reported } = world({
    provider: {
      async run(request) {
        await request.processes.run({ argv: ["x"], cwd: "/", env: {}, outputBytes: 1 }, new AbortController().signal);
        return done;
      },
    },
    run: (spec) => {
      spec.onStart?.(child);
      return Promise.reject(new Error("that is all"));
    },
  });
  // It was asked, whatever became of it: what it used has to be said by somebody.
  expect(await performer.perform(context)).toMatchObject({
    outcome: "error",
    reason: { code: "internal", text: expect.stringContaining("that is all") },
    agent: { provider: "own" },
  });
  expect(reported).toEqual([{ kind: "process", process: child }]);
});

describe("the result", () => {
  test("carries what the agent said, chose and used", async () => {
    const result = { ...done, option: "approve", value: { a: 1 }, beforeEffect: false };
    const { performer, context } = world({ provider: { run: () => Promise.resolve(result) } });
    expect(await performer.perform(context)).toEqual({
      outcome: "success",
      agent: { provider: "own" },
      output: { text: "done", bytes: 4 },
      option: "approve",
      value: { a: 1 },
      usage: done.usage,
      beforeEffect: false,
    });
  });

  test("of a quota says how long to wait", async () => {
    const quota = { ...done, outcome: "error", reason: { code: "quota", text: "429" }, retryAfterMs: 7_000 } as const;
    const { performer, context } = world({ provider: { run: () => Promise.resolve(quota) } });
    expect(await performer.perform(context)).toMatchObject({
      outcome: "error",
      reason: { code: "quota" },
      retryAfterMs: 7_000,
    });
  });

  test("with a long message keeps its tail, and all of it as a blob", async () => {
    const message = `${"é".repeat(limits.inlineValueBytes)}x`;
    const { performer, context, blobs } = world({ provider: { run: () => Promise.resolve({ ...done, message }) } });
    const { output } = await performer.perform(context);
    expect(output?.text.startsWith("é")).toBe(true);
    expect(Buffer.byteLength(output?.text ?? "")).toBeLessThanOrEqual(limits.inlineValueBytes);
    expect(Buffer.from((await blobs.get(output?.blob ?? "")) ?? "").toString()).toBe(message);
  });
});

describe("time", () => {
  const untilAborted: AgentProvider["run"] = (_request, _emit, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ ...done, outcome: "cancelled", beforeEffect: false }));
    });

  test("that is over stops the agent, and the node fails", async () => {
    const { performer, context, clock } = world({ timeoutMs: 60_000, provider: { run: untilAborted } });
    const performing = performer.perform(context);
    while (clock.pending === 0) await new Promise(setImmediate);
    clock.advance(60_000);
    expect(await performing).toMatchObject({ outcome: "failure", reason: { code: "timeout" }, beforeEffect: false });
  });

  test("that is over stands above what the agent answers then", async () => {
    const { performer, context, clock } = world({
      timeoutMs: 60_000,
      provider: {
        run: async (...args) => ({ ...(await untilAborted(...args)), outcome: "success", value: 1, option: "approve" }),
      },
    });
    const performing = performer.perform(context);
    while (clock.pending === 0) await new Promise(setImmediate);
    clock.advance(60_000);
    const result = await performing;
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "timeout" }, usage: done.usage });
    expect(result).not.toHaveProperty("value");
    expect(result).not.toHaveProperty("option");
  });

  test("that is over ends a question that nobody answers", async () => {
    const { performer, context, clock } = world({
      timeoutMs: 60_000,
      answer: "never",
      provider: {
        run: async (request, _emit, signal) => {
          await request.ask?.("run: ls");
          return { ...done, outcome: signal.aborted ? "cancelled" : "success" };
        },
      },
    });
    const performing = performer.perform(context);
    while (clock.pending === 0) await new Promise(setImmediate);
    clock.advance(60_000);
    expect(await performing).toMatchObject({ outcome: "failure", reason: { code: "timeout" } });
  });

  test("a stop is cancelled, not a timeout", async () => {
    const { performer, context, abort, clock } = world({ provider: { run: untilAborted } });
    const performing = performer.perform(context);
    while (clock.pending === 0) await new Promise(setImmediate);
    abort.abort();
    expect(await performing).toMatchObject({ outcome: "cancelled" });
    expect(clock.pending).toBe(0);
  });
});

describe("a person is asked", () => {
  test.each([
    ["approved", "granted"],
    ["declined", "declined"],
    ["nobody", "nobody"],
  ] as const)("%s", async (answer, expected) => {
    const { performer, context, asked } = world({
      answer,
      provider: { run: async (request) => ({ ...done, message: (await request.ask?.("run: ls")) ?? "" }) },
    });
    expect((await performer.perform(context)).output?.text).toBe(expected);
    expect(asked).toEqual(["run: ls"]);
  });

  test("no longer than the agent is there", async () => {
    let answer: Promise<string> | undefined;
    const run: AgentProvider["run"] = (request) => {
      answer = request.ask?.("run: ls");
      return Promise.resolve(done);
    };
    const { performer, context, reported } = world({ answer: "never", provider: { run } });
    expect(await performer.perform(context)).toMatchObject({ outcome: "success" });
    expect(await answer).toBe("nobody");
    expect(reported.at(-1)).toMatchObject({ kind: "gate_answered", by: "nobody", answer: false });
  });
});

test("events are reported as they come", async () => {
  const run: AgentProvider["run"] = (_request, emit) => {
    emit({ type: "text", text: "hm" });
    return Promise.resolve(done);
  };
  const { performer, context, reported } = world({ provider: { run } });
  await performer.perform(context);
  expect(reported).toEqual([{ kind: "agent", event: { type: "text", text: "hm" } }]);
});

describe("before the run", () => {
  test.each([
    ["nothing", {}, null],
    ["an unknown provider", { node: { provider: "nope" } }, 'there is no provider "nope"'],
    ["an unknown tool", { document: { tools: ["reed"] } }, 'there is no tool "reed"; there are: read, write, run'],
    [
      "too much to give",
      { node: { context: { include: Array.from({ length: limits.contextEntries + 1 }, () => "a") } } },
      `context.include has more than ${limits.contextEntries} entries`,
    ],
    [
      "a server's tool that nothing holds",
      { node: { context: { only: "require" } }, tools: ["read", "mcp_files_read"] },
      "`context.only: require` cannot hold the tool `mcp_files_read` of a server; name the other tools in `tools`",
    ],
    [
      "other tools",
      { node: { context: { only: "require" }, tools: ["read"] }, tools: ["read", "mcp_files_read"] },
      null,
    ],
    ["a reading list", { node: { context: { read: ["src/**"] } } }, null],
    ["what the provider misses", { provider: { missing: () => "no key" } }, "no key"],
  ] as const)("%s", (_name, part, expected) => {
    const { performer, node, can, blueprint } = world(part);
    expect(performer.missing(node, can, blueprint)).toBe(expected);
  });

  test.each([
    ["EUR", null, null],
    ["nothing", null, null],
    [
      "USD",
      "openai/b",
      "limits.cost is in EUR, and openai/b is counted in USD; set prices for it in the configuration, or use limits.tokens",
    ],
    [
      null,
      null,
      "limits.cost is in EUR, and what its model costs is not known; set prices for it in the configuration, or use limits.tokens",
    ],
  ])("a limit of cost has to bound something (counted in %s)", (currency, model, expected) => {
    const document = model === null ? {} : { model };
    const { performer, node, can, blueprint } = world({ document, provider: { currencyOf: () => currency } });
    const bounded = { ...blueprint, limits: { cost: { amount: 1, currency: "EUR" } } };
    expect(performer.missing(node, can, bounded)).toBe(expected);
  });

  test("the model it asks about is the one that would be used", () => {
    const { performer, node, can, blueprint } = world({
      document: { model: "openai/b" },
      provider: { missing: (model) => `asked about ${model}` },
    });
    expect(performer.missing(node, can, blueprint)).toContain("asked about openai/b");
  });
});
