import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentRequest, smallTools, type Called } from "../../../test/fixtures/agent-request.ts";
import type { AgentEvent } from "../../model/agent-event.ts";
import { limits } from "../../model/limits.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import { Toolbox, type CallReply } from "./toolbox.ts";

let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), "trammel-toolbox-"));
});

afterAll(() => rm(workspace, { recursive: true }));

interface Made {
  readonly reply: CallReply;
  readonly events: readonly AgentEvent[];
  readonly called: readonly Called[];
  readonly touched: boolean;
}

async function make(
  tool: string,
  input: { readonly [name: string]: string },
  part: Partial<AgentRequest> = {},
): Promise<Made> {
  const events: AgentEvent[] = [];
  const called: Called[] = [];
  const request = agentRequest({ workspace, tools: smallTools(called), ...part });
  const toolbox = new Toolbox(
    request,
    (event) => void events.push(event),
    (text) => text.replaceAll("canary-7f3", "***"),
  );
  const reply = await toolbox.call({ id: "1", tool, input }, new AbortController().signal);
  return { reply, events, called, touched: toolbox.touched };
}

test("a change of a file is an effect and a diff event", async () => {
  await writeFile(join(workspace, "a.txt"), "old");
  const { reply, events, touched } = await make("write", { path: "a.txt", content: "new" });
  expect(reply).toEqual({ ok: true, text: "written" });
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("new");
  expect(events).toContainEqual({ type: "diff", path: "a.txt", before: "old", after: "new" });
  expect(touched).toBe(true);
});

test("reading is no effect, and what cannot be read goes back to the model", async () => {
  const { reply, touched } = await make("read", { path: "missing" });
  expect(reply).toMatchObject({ ok: false, text: expect.stringContaining("ENOENT") });
  expect(touched).toBe(false);
});

test("a secret in a tool's output reaches neither model nor events", async () => {
  await writeFile(join(workspace, "env"), "KEY=canary-7f3");
  const { reply, events } = await make("read", { path: "env" });
  expect(reply.text).toBe("KEY=***");
  expect(JSON.stringify(events)).not.toContain("canary-7f3");
});

test("a long output is bounded", async () => {
  await writeFile(join(workspace, "long"), "x".repeat(1024 * 1024));
  const { reply } = await make("read", { path: "long" });
  expect(Buffer.byteLength(reply.text)).toBeLessThan(limits.toolOutputBytes + 100);
  expect(reply.text).toContain("bytes left out");
});

describe("scope", () => {
  test("a hidden tool is not offered, and refused where the model names it anyway", async () => {
    const { reply, called } = await make("run", { command: "ls" }, { toolScope: ["read"] });
    expect(reply).toEqual({ ok: false, text: 'there is no tool "run" here; there are: read' });
    expect(called).toEqual([]);
    const toolbox = new Toolbox(
      agentRequest({ toolScope: ["read"] }),
      () => undefined,
      (text) => text,
    );
    expect(toolbox.definitions().map(({ name }) => name)).toEqual(["read"]);
  });
});

describe("policy", () => {
  test("a denied call runs nothing, is told to the model and recorded", async () => {
    const { reply, events, called, touched } = await make(
      "run",
      { command: "git push" },
      { policy: { mode: "allow_all", deny: ["git push"] } },
    );
    expect(reply).toEqual({ ok: false, text: 'not permitted: the policy denies "git push"' });
    expect(events[0]).toEqual({ type: "permission", tool: "run", request: "git push", decision: "denied" });
    expect(called).toEqual([]);
    expect(touched).toBe(false);
  });

  test("ask denies where nobody can be asked", async () => {
    const { reply, called } = await make("run", { command: "ls" }, { policy: { mode: "ask" } });
    expect(reply.text).toContain("nobody can be asked");
    expect(called).toEqual([]);
  });

  test.each([
    ["granted", "ran ls", "allowed"],
    ["declined", "not permitted: a person said no", "denied"],
    ["nobody", "not permitted: the policy is ask, and nobody can be asked here", "denied"],
  ] as const)("ask takes a person's answer (%s)", async (answer, text, decision) => {
    const asked: string[] = [];
    const ask = (request: string): Promise<typeof answer> => {
      asked.push(request);
      return Promise.resolve(answer);
    };
    const { reply, events } = await make("run", { command: "ls" }, { policy: { mode: "ask" }, ask });
    expect(asked).toEqual(["run: ls"]);
    expect(reply.text).toBe(text);
    expect(events[0]).toEqual({ type: "permission", tool: "run", request: "ls", decision });
  });
});

test("a tool that throws is a reply, not the end of the run", async () => {
  const broken = smallTools().get("run");
  if (broken === undefined) throw new Error("the fixture has no run");
  const tools = { names: () => ["run"], get: () => ({ ...broken, call: () => Promise.reject(new Error("a bug")) }) };
  const { reply } = await make("run", { command: "ls" }, { tools });
  expect(reply).toEqual({ ok: false, text: "the tool failed: a bug" });
});
