import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Step } from "../../test/fixtures/acp-agent/main.ts";
import { agentRequest, play } from "../../test/fixtures/agent-request.ts";
import type { Script } from "../../test/fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../../test/fixtures/model-server/server.ts";
import type { AgentProvider, AgentRequest } from "../ports/provider.ts";
import { systemClock } from "../runtime/time/clock.ts";
import { startLive } from "../runtime/processes/live.ts";
import { createAcpProvider } from "./acp/provider.ts";
import { createAiProvider } from "./ai/provider.ts";
import { guarded } from "./guarded.ts";
import { createReplayProvider, recording } from "./replay/provider.ts";

const acpMain = fileURLToPath(new URL("../../test/fixtures/acp-agent/main.ts", import.meta.url));
const mask = (text: string): string => text;
const servers: ModelServer[] = [];

let folder: string;
let workspace: string;
let request: (part?: Partial<AgentRequest>) => AgentRequest;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-conformance-"));
  workspace = await mkdtemp(join(folder, "workspace-"));
  const env = { PATH: process.env["PATH"] ?? "" };
  request = (part = {}) => agentRequest({ workspace, model: null, env, ...part });
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rm(folder, { recursive: true });
});

/** What an agent is made to do: say something, and after that wait for ever, fail, or end its turn. */
interface Part {
  readonly say: string;
  readonly and: "end" | "wait" | "fail";
}

/** One way to make an agent that does its part, whatever stands behind it. */
type Make = (part: Part) => Promise<{ readonly provider: AgentProvider; readonly model: string | null }>;

const ai: Make = async ({ say, and }) => {
  const script: Script =
    and === "fail" ? [{ status: 500, message: "Oops" }] : [{ say, ...(and === "wait" ? { ends: "hold" } : {}) }];
  const server = await serveModel(script);
  servers.push(server);
  return {
    provider: createAiProvider({ compatible: { baseUrl: server.url } }, mask, systemClock),
    model: "compatible/scripted",
  };
};

const acp: Make = ({ say, and }) => {
  const after: Readonly<Record<Part["and"], Step>> = {
    end: { stop: "end_turn" },
    wait: { hang: true },
    fail: { exit: 3 },
  };
  const steps: readonly Step[] = [{ say }, after[and]];
  const argv = [process.execPath, acpMain, JSON.stringify([steps])] as const;
  return Promise.resolve({
    provider: createAcpProvider({
      name: "scripted",
      agent: { argv, variables: [], install: "" },
      environment: process.env,
      start: startLive,
      clock: systemClock,
    }),
    model: null,
  });
};

const recorded: Make = async (part) => {
  const { provider, model } = await ai(part);
  return {
    provider: recording(provider, { folder: await mkdtemp(join(folder, "cassettes-")), except: [], mask }),
    model,
  };
};

/** Plays what was recorded a moment ago; there is nothing to wait for. */
const replayed: Make = async (part) => {
  const cassettes = await mkdtemp(join(folder, "cassettes-"));
  if (part.and !== "end") return { provider: createReplayProvider(cassettes, mask), model: null };
  const { provider, model } = await ai(part);
  await play(recording(provider, { folder: cassettes, except: [], mask }), request({ model }));
  return { provider: createReplayProvider(cassettes, mask), model: null };
};

describe.each([
  ["ai", ai],
  ["acp", acp],
  ["recording", recorded],
  ["replay", replayed],
] as const)("%s", (_name, make) => {
  async function perform(part: Part, signal?: AbortSignal) {
    const { provider, model } = await make(part);
    return play(guarded(provider, mask), request({ model }), signal);
  }

  test("what is said is the message, and the stream ends once, with the result", async () => {
    const { result, events } = await perform({ say: "All done.", and: "end" });
    expect(result).toMatchObject({ outcome: "success", message: "All done.", beforeEffect: true });
    expect(events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("")).toBe("All done.");
    expect(events.filter((event) => event.type === "stop")).toEqual([{ type: "stop", why: "end_turn" }]);
    expect(events.at(-1)?.type).toBe("stop");
  });

  test("a fault is an error with a reason, never a success or a rejection", async () => {
    const { result, events } = await perform({ say: "I am", and: "fail" });
    expect(result).toMatchObject({ outcome: "error", beforeEffect: true });
    expect(result.reason?.text).not.toBe("");
    expect(events.at(-1)).toEqual({ type: "stop", why: "error" });
  });

  test("aborted before it starts it does nothing", async () => {
    const { result, events } = await perform({ say: "All done.", and: "end" }, AbortSignal.abort());
    expect(result).toMatchObject({ outcome: "cancelled", reason: { code: "cancelled" }, beforeEffect: true });
    expect(events).toEqual([{ type: "stop", why: "cancelled" }]);
    expect(await readdir(workspace)).toEqual([]);
  });
});

describe.each([
  ["ai", ai],
  ["acp", acp],
  ["recording", recorded],
] as const)("%s at work", (_name, make) => {
  test("is stopped by an abort", async () => {
    const { provider, model } = await make({ say: `Wait.\n${"x".repeat(1_000)}`, and: "wait" });
    const abort = new AbortController();
    const running = guarded(provider, mask).run(request({ model }), () => abort.abort(), abort.signal);
    expect(await running).toMatchObject({ outcome: "cancelled", reason: { code: "cancelled" } });
  });
});
