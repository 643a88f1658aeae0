import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentWorld, done } from "../../test/fixtures/agent-node.ts";
import { until } from "../../test/runs/harness.ts";
import { createAcpProvider } from "../agents/acp/provider.ts";
import { limits } from "../model/limits.ts";
import type { AgentProvider, AgentRequest } from "../ports/provider.ts";
import { isAlive } from "../runtime/processes/identity.ts";
import { startLive } from "../runtime/processes/live.ts";
import { ManualClock } from "../runtime/time/clock.ts";

const acpMain = fileURLToPath(new URL("../../test/fixtures/acp-agent/main.ts", import.meta.url));
const minute = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-stall-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("an agent that shows no sign of life", () => {
  test("is warned of, then ended as an error, though its process lives on; nothing of it is left", async () => {
    const clock = new ManualClock();
    const hang = JSON.stringify([[{ say: "Let me think." }, { hang: true }]]);
    const provider = createAcpProvider({
      name: "own",
      agent: { argv: [process.execPath, acpMain, hang], variables: [], install: "" },
      environment: process.env,
      start: startLive,
      clock,
    });
    const world = agentWorld(folder, { clock, node: { stallMs: 10 * minute }, provider });
    const { performer, context, reported } = world;
    let over = false;
    const performing = performer.perform(context).finally(() => (over = true));
    const kinds = () => reported.flatMap((one) => (one.kind === "agent" ? [one.event.type] : []));
    await until(() => kinds().includes("tool_call"));
    clock.advance(5 * minute);
    expect(reported.at(-1)).toMatchObject({
      kind: "agent",
      event: { type: "quiet", ms: 5 * minute, leftMs: 5 * minute },
    });
    clock.advance(5 * minute);
    await until(
      () => over,
      () => clock.advance(limits.acpCancelMs),
    );
    expect(await performing).toMatchObject({
      outcome: "error",
      reason: { code: "stalled", text: "the agent showed no sign of life for 600 s and was ended" },
      beforeEffect: true,
    });
    const processes = reported.flatMap((one) => (one.kind === "process" ? [one.process] : []));
    expect(processes.map(isAlive)).toEqual([false]);
    expect(clock.pending).toBe(0);
  });

  test("is one that hangs in a command without output, and not one whose command says something", async () => {
    const lines = Promise.withResolvers<(line: string) => void>();
    const run: AgentProvider["run"] = async (request, _emit, signal) => {
      const spec = { argv: ["make"], cwd: folder, env: {}, outputBytes: 1 };
      await request.processes.run(spec, signal);
      return { ...done, outcome: "cancelled", reason: { code: "cancelled", text: "stopped" } };
    };
    const { performer, context, clock, reported } = agentWorld(folder, {
      node: { stallMs: 10 * minute },
      provider: { run },
      run: (spec, signal) => {
        lines.resolve((line) => spec.onLine?.(line, "stdout"));
        return new Promise((resolve) => {
          const empty = { text: "", bytes: 0 };
          const ended = {
            end: { kind: "cancelled" },
            output: empty,
            stdout: empty,
            stderr: empty,
            survivors: [],
          } as const;
          signal.addEventListener("abort", () => resolve(ended));
        });
      },
    });
    const performing = performer.perform(context);
    const say = await lines.promise;
    for (let time = 0; time < 60; time += 4) {
      clock.advance(4 * minute);
      say("still compiling");
    }
    expect(reported.filter(({ kind }) => kind === "agent")).toEqual([]);
    clock.advance(10 * minute);
    expect(await performing).toMatchObject({ outcome: "error", reason: { code: "stalled" } });
  });

  test("where nothing says for how long, for a generous while", async () => {
    const { performer, context, clock } = agentWorld(folder, { provider: { run: untilAborted } });
    const performing = performer.perform(context);
    await until(() => clock.pending === 2);
    clock.advance(limits.agentStallDefaultMs);
    expect(await performing).toMatchObject({ outcome: "error", reason: { code: "stalled" } });
  });

  test("has its timeout first where that is shorter, as a failure", async () => {
    const { performer, context, clock } = agentWorld(folder, {
      timeoutMs: minute,
      node: { stallMs: 2 * minute },
      provider: { run: untilAborted },
    });
    const performing = performer.perform(context);
    await until(() => clock.pending === 2);
    clock.advance(minute);
    expect(await performing).toMatchObject({ outcome: "failure", reason: { code: "timeout" } });
  });
});

test("an attempt is told what earlier ones of its pass did, beside its prompt and with secrets masked", async () => {
  const asked: AgentRequest[] = [];
  const run: AgentProvider["run"] = (request) => {
    asked.push(request);
    return Promise.resolve(done);
  };
  const { performer, context } = agentWorld(folder, { provider: { run } });
  await performer.perform(context);
  const earlier = [{ type: "tool_call", id: "1", tool: "run", input: { command: "echo canary-7f3" } }] as const;
  await performer.perform({ ...context, earlier });
  expect(asked.map(({ prompt }) => prompt)).toEqual(["Mend the parser", "Mend the parser"]);
  expect(asked[0]?.earlier).toBeUndefined();
  expect(asked[1]?.earlier).toContain('- run {"command":"echo ***"}');
});

const untilAborted: AgentProvider["run"] = (_request, _emit, signal) =>
  new Promise((resolve) => {
    const reason = { code: "cancelled", text: "stopped" } as const;
    signal.addEventListener("abort", () => resolve({ ...done, outcome: "cancelled", reason }));
  });
