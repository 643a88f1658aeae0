import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Step } from "../../../test/fixtures/acp-agent/main.ts";
import { agentRequest, play } from "../../../test/fixtures/agent-request.ts";
import { limits } from "../../model/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { probeAcp } from "./probe.ts";
import { createAcpProvider } from "./provider.ts";

const main = fileURLToPath(new URL("../../../test/fixtures/acp-agent/main.ts", import.meta.url));

/** Nothing is waited for, as on a machine that is busy with other things for as long. */
const hurried: Clock = { ...systemClock, after: (_, callback) => systemClock.after(0, callback) };
/** Only the end of what was said is not waited for. */
const busy: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms === limits.pipeDrainMs ? 0 : ms, callback),
};

function perform(argv: readonly [string, ...string[]], clock: Clock, part: Partial<AgentRequest> = {}) {
  const agent = { argv, variables: [], install: "" };
  const provider = createAcpProvider({ name: "a", agent, environment: process.env, start: startLive, clock });
  return play(provider, agentRequest({ workspace: "/", model: null, ...part }));
}

function agentOf(...steps: readonly Step[]): readonly [string, ...string[]] {
  return [process.execPath, main, JSON.stringify([steps])];
}

const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

describe.each([["in time", systemClock] as const, ["on a busy machine", busy] as const])("%s", (_, clock) => {
  test("an agent that leaves when it has answered has answered", async () => {
    const output = { as: "schema", schema } as const;
    const { result } = await perform(agentOf({ say: '{"n": 1}' }, { leave: 1 }), clock, { output });
    expect(result).toMatchObject({ outcome: "success", value: { n: 1 } });
  });

  test("one that leaves with its error has said why", async () => {
    const steps = [{ leave: 1 }, { fail: { code: -32_603, message: "429 rate limit" } }] as const;
    expect((await perform(agentOf(...steps), clock)).result).toMatchObject({
      outcome: "error",
      reason: { code: "quota", text: expect.stringContaining("rate limit") },
    });
  });

  test("one that dies says how", async () => {
    const { result } = await perform(agentOf({ say: "I am" }, { exit: 3, stderr: "panic: no config" }), clock);
    expect(result.reason).toEqual({
      code: "connection",
      text: "the agent ended (exit 3) before its work did: panic: no config",
    });
  });

  test("one that is of no use is that, also when it leaves", async () => {
    const greeting = JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 99 } });
    const { result } = await perform(["sh", "-c", `read line; echo '${greeting}'`], clock);
    expect(result.reason?.text).toContain("the agent speaks version 99 of the protocol");
  });
});

describe("an agent that is never ready", () => {
  const silent = ["sleep", "60"] as const;

  test("is waited for no longer than it may take", async () => {
    const { result } = await perform(silent, hurried);
    expect(result).toMatchObject({ outcome: "error", beforeEffect: true });
    expect(result.reason?.text).toContain("was not ready after 60 s");
  });

  test("does not hold up what looks for it", async () => {
    const found = await probeAcp({ argv: silent, variables: [] }, process.env, "/", {
      start: startLive,
      clock: hurried,
    });
    expect(found).toEqual({ fault: "it has not answered within 20 s" });
  });
});

describe("of what it asks for at once", () => {
  const [first, second] = ["make a", "make b"] as const;

  /** The answer to one of them comes when the other one has been given. */
  function answered(late: string, declined: string): AgentRequest["ask"] {
    const other = Promise.withResolvers<void>();
    return async (question) => {
      if (question.endsWith(late)) await other.promise;
      else setImmediate(other.resolve);
      return question.endsWith(declined) ? "declined" : "granted";
    };
  }

  test.each([first, second])("the last is what it gave up at, whichever is answered late (%s)", async (late) => {
    const of = async (declined: string) => {
      const ask = answered(late, declined);
      const { result } = await perform(agentOf({ together: [first, second] }), systemClock, {
        policy: { mode: "ask" },
        ...(ask === undefined ? {} : { ask }),
      });
      return result;
    };
    expect(await of(first)).toMatchObject({ outcome: "success" });
    expect(await of(second)).toMatchObject({
      outcome: "failure",
      reason: { code: "refusal", text: expect.stringContaining("run: make b") },
    });
  });
});
