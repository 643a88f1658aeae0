import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { agentRequest, play, smallTools, type Called } from "../../../test/fixtures/agent-request.ts";
import type { Script, ToolUse } from "../../../test/fixtures/model-server/script.ts";
import { serveModel } from "../../../test/fixtures/model-server/server.ts";
import { limits } from "../../model/limits.ts";
import { ManualClock } from "../../runtime/time/clock.ts";
import { guarded } from "../guarded.ts";
import { createAiProvider } from "./provider.ts";
import { vendors } from "./settings.ts";

const workspace = mkdtempSync(join(tmpdir(), "trammel-hostile-"));
afterAll(() => rmSync(workspace, { recursive: true }));

describe.each(vendors)("a model that means ill, as %s", (vendor) => {
  async function speak(script: Script) {
    const server = await serveModel(script);
    onTestFinished(() => server.close());
    const access = { [vendor]: { baseUrl: server.url, apiKey: "key-of-the-test" } };
    const provider = guarded(
      createAiProvider(access, (text) => text, new ManualClock()),
      (text) => text,
    );
    const called: Called[] = [];
    const request = agentRequest({ model: `${vendor}/scripted`, tools: smallTools(called), workspace, turns: 3 });
    return { ...(await play(provider, request)), called, server };
  }

  test("has at most so many calls of one turn carried out, and an answer to each", async () => {
    const calls = Array.from({ length: 500 }, (_, n): ToolUse => ({ tool: "run", input: { command: `c${n}` } }));
    const { result, called, server } = await speak([{ call: calls }, { say: "Done." }]);
    expect(called).toHaveLength(limits.toolCallsPerTurn);
    expect(result).toMatchObject({ outcome: "success", message: "Done." });
    expect(JSON.stringify(server.requests[1]?.body).split("not carried out").length - 1).toBe(
      calls.length - limits.toolCallsPerTurn,
    );
  });

  test("calls nothing after it gave up, and nothing after its answer was cut", async () => {
    const late: ToolUse = { tool: "run", input: { command: "late" } };
    const gaveUp = await speak([{ call: [{ tool: "give_up", input: { reason: "no" } }, late] }]);
    expect(gaveUp).toMatchObject({ result: { outcome: "failure", reason: { code: "give_up" } }, called: [] });
    const cut = await speak([{ call: [late], finish: "length" }]);
    expect(cut).toMatchObject({ result: { outcome: "failure", reason: { code: "output_limit" } }, called: [] });
  });

  test.each([
    ["keys that are those of every object", '{"__proto__": {"command": "x"}, "constructor": "x"}'],
    ["a list", '{"command": ["rm", "-rf"]}'],
    ["nothing", "{}"],
    ["a name of ours beside its own", '{"command": "x", "cwd": "/"}'],
    ["half of it", '{"command": "x'],
  ])("is told what cannot be taken, of which nothing is carried out (%s)", async (_, raw) => {
    const { called, server } = await speak([{ call: [{ tool: "run", raw }] }, { say: "Done." }]);
    expect(called).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(/do not fit|could not be read/);
  });

  test("says nothing that is not well formed, and no text that is larger than one may be", async () => {
    const { result, events } = await speak([{ say: `${"\ud800"}a${"x".repeat(limits.agentEventBytes * 2)}` }]);
    expect(result.message.isWellFormed()).toBe(true);
    const sizes = events.flatMap((event) => (event.type === "text" ? [Buffer.byteLength(event.text)] : []));
    expect(Math.max(...sizes)).toBeLessThan(limits.agentEventBytes * 1.1);
  });

  test.each(["9".repeat(400), "-1", "1e9", "soon", ""])("waits no absurd time (%j)", async (asked) => {
    const { result } = await speak([{ status: 429, message: "Slow down", headers: { "retry-after": asked } }]);
    expect(result).toMatchObject({ outcome: "error", reason: { code: "quota" } });
    expect(result.retryAfterMs).toBe(limits.quotaWaitDefaultMs);
  });
});
