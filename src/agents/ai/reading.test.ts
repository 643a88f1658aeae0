import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentRequest } from "../../../test/fixtures/agent-request.ts";
import { ToolBench } from "../../../test/support/tool-bench.ts";
import type { AgentEvent } from "../../model/agent-event.ts";
import type { AgentSettings } from "../../model/agent-settings.ts";
import type { Json } from "../../model/json.ts";
import { scopeOf } from "../../runtime/reading/scope.ts";
import { TurnReads } from "../../runtime/reading/turn-reads.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { createAiProvider } from "./provider.ts";
import { Toolbox, type CallReply } from "./toolbox.ts";

let folder: string;
let root: string;
const bench = new ToolBench({ show: 'cat "$@"' });

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "trammel-reading-")));
  root = join(folder, "work");
  await mkdir(join(root, "src"), { recursive: true });
  for (const path of ["work/src/a.txt", "work/notes.txt", "outside.txt"]) await writeFile(join(folder, path), path);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  bench.close();
});

interface Called {
  readonly reply: CallReply;
  readonly told: readonly AgentEvent[];
}

/** A call under `context: {read: [src/**]}`, or another part of a request, with the real tools. */
async function call(tool: string, input: Json, part: Parameters<typeof agentRequest>[0] = {}): Promise<Called> {
  const told: AgentEvent[] = [];
  const report = (event: AgentEvent): void => void told.push(event);
  const reads = new TurnReads({ root, scope: scopeOf(["src/**"], root, {}), boxed: false, report });
  const env = { PATH: process.env["PATH"] ?? "" };
  const request = agentRequest({ workspace: root, tools: bench.tools, processes: bench.runner(), env, reads, ...part });
  const toolbox = new Toolbox(
    request,
    () => undefined,
    (text) => text,
  );
  const reply = await toolbox.call({ id: "1", tool, input }, new AbortController().signal);
  await reads.settled();
  return { reply, told };
}

describe("what a call may read", () => {
  test.each<[string, Json]>([
    ["run", { command: "cat notes.txt" }],
    ["run", { command: "cd src && cat ../notes.txt" }],
    ["run", { command: "head -1 < notes.txt > copy.txt" }],
    ["run", { command: "grep -r notes ." }],
    ["run", { command: "cp -r . elsewhere" }],
    ["show", { args: ["notes.txt"] }],
    ["show", { args: ["--", "../outside.txt"] }],
    ["cargo_test", { args: ["--manifest-path=../outside.txt"] }],
    ["read", { path: "notes.txt" }],
  ])("by %s %j is refused, and told", async (tool, input) => {
    const { reply, told } = await call(tool, input);
    expect(reply).toMatchObject({ ok: false, text: expect.stringContaining("is not among what may be read here") });
    expect(told).toMatchObject([{ type: "read", how: "refused", digest: null }]);
  });

  test.each<[string, Json]>([
    ["run", { command: "cat src/a.txt" }],
    ["show", { args: ["src/a.txt"] }],
    ["read", { path: "src/a.txt" }],
  ])("by %s %j is read", async (tool, input) => {
    expect((await call(tool, input)).reply).toEqual({ ok: true, text: "work/src/a.txt" });
  });

  test("by a command is told with its digest", async () => {
    const { told } = await call("run", { command: "cat src/a.txt | head -1" });
    expect(told).toMatchObject([{ path: "src/a.txt", how: "read", digest: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  });

  test("under an allow list lies in the workspace, whatever the context says", async () => {
    const policy = { mode: "read_only", allow: ["cat"] } as const;
    const everything = new TurnReads({ root, scope: null, boxed: false, report: () => undefined });
    const under = (command: string) => call("run", { command }, { policy, reads: everything });
    expect((await under("cat notes.txt")).reply.ok).toBe(true);
    expect((await under("cat ../outside.txt")).reply.text).toContain("is outside of the workspace");
  });
});

describe("a context that must hold", () => {
  const missing = (settings: AgentSettings): string | null =>
    createAiProvider({ compatible: { baseUrl: "http://localhost:1/v1" } }, (text) => text, systemClock).missing(
      "compatible/x",
      { context: { only: "require" }, ...settings },
    );

  test.each<[string, AgentSettings, string | null]>([
    ["all tools", {}, "`context.only: require` cannot hold the tool `run`"],
    ["tools that are held", { tools: ["read", "edit", "list", "search"] }, null],
    ["commands of the author", { tools: ["read", "run"], policy: { mode: "read_only", allow: ["npm test"] } }, null],
    ["no command at all", { policy: { mode: "read_only" } }, null],
    [
      "commands that a person lets through",
      { policy: { mode: "ask" } },
      "`context.only: require` cannot hold the tool `run`",
    ],
  ])("with %s", (_name, settings, why) => {
    expect(missing(settings)?.slice(0, why?.length) ?? null).toBe(why);
  });
});
