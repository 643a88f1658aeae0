import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Step } from "../../../test/fixtures/acp-agent/main.ts";
import { agentRequest, play, type Played } from "../../../test/fixtures/agent-request.ts";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import { identify, isAlive } from "../../runtime/processes/identity.ts";
import { systemClock } from "../../runtime/time/clock.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { createAcpProvider } from "./provider.ts";

const main = fileURLToPath(new URL("../../../test/fixtures/acp-agent/main.ts", import.meta.url));

let folder: string;
let workspace: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "trammel-acp-")));
  workspace = join(folder, "workspace");
  await mkdir(workspace);
  await writeFile(join(folder, "outside.txt"), "secret");
  await writeFile(join(workspace, "inside.txt"), "one\ntwo\n");
  await symlink(folder, join(workspace, "up"));
});

afterAll(() => rm(folder, { recursive: true }));

function scripted(prompts: readonly (readonly Step[])[], environment = process.env, ...more: readonly string[]) {
  const argv = [process.execPath, main, JSON.stringify(prompts), ...more] as const;
  return createAcpProvider({
    name: "scripted",
    agent: { argv, variables: ["OWN_KEY"], install: "npm install it" },
    environment,
    start: startLive,
    clock: systemClock,
  });
}

function request(part: Partial<AgentRequest> = {}): AgentRequest {
  return agentRequest({ workspace, model: null, env: { PATH: process.env["PATH"] ?? "" }, ...part });
}

function perform(steps: readonly Step[], part: Partial<AgentRequest> = {}): Promise<Played> {
  return play(scripted([steps]), request(part));
}

test("the end of its turn is a success, its last message the answer", async () => {
  const { result, events } = await perform([
    { think: "Hm." },
    { say: "Let me see. " },
    { call: { kind: "read", title: "a.js", ask: false } },
    { say: "All " },
    { say: "done, é😀." },
  ]);
  expect(result).toMatchObject({
    outcome: "success",
    message: "All done, é😀.",
    beforeEffect: true,
  });
  expect(result.usage).toBeUndefined();
  expect(events.map((event) => event.type)).toEqual(["thinking", "text", "tool_call", "tool_result", "text"]);
});

test("a change is shown with its path in the workspace, and is an effect", async () => {
  const file = join(workspace, "new.txt");
  const { result, events } = await perform([{ call: { kind: "edit", title: "edit", write: file, text: "x" } }]);
  expect(result).toMatchObject({ outcome: "success", beforeEffect: false });
  expect(events).toContainEqual({ type: "diff", path: "new.txt", before: null, after: "x" });
  expect(events).toContainEqual({ type: "permission", tool: "edit", request: "edit", decision: "allowed" });
});

describe("policy", () => {
  const push = { kind: "execute", title: "Push", command: "git push" } as const;

  test("answers what the agent asks for", async () => {
    const policy = { mode: "allow_all", deny: ["git push"] } as const;
    const { result, events } = await perform([{ call: push }, { say: "I could not." }], { policy });
    expect(result).toMatchObject({ outcome: "success", message: "I could not.", beforeEffect: true });
    expect(events).toContainEqual({ type: "permission", tool: "run", request: "git push", decision: "denied" });
  });

  test("is no success of an agent that gives up without a word", async () => {
    const { result } = await perform([{ say: "I push. " }, { call: push }], { policy: { mode: "read_only" } });
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "refusal" }, beforeEffect: true });
    expect(result.reason?.text).toContain("when it was told no (run: git push)");
  });

  test("ends an agent that does not ask", async () => {
    const policy = { mode: "read_only" } as const;
    const { result, events } = await perform([{ call: { ...push, ask: false } }, { say: "Done." }], { policy });
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "refusal" }, beforeEffect: false });
    expect(result.reason?.text).toContain("run: git push");
    expect(events).toContainEqual({ type: "permission", tool: "run", request: "git push", decision: "denied" });
  });

  test("ends an agent that does another thing than it asked for", async () => {
    const policy = { mode: "allow_all", deny: ["git push"] } as const;
    const { result } = await perform([{ swap: { asked: "git status", run: "git push" } }], { policy });
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "refusal" } });
    expect(result.reason?.text).toContain("git push");
  });

  test.each([
    ["granted", "allowed"],
    ["declined", "denied"],
    ["nobody", "denied"],
  ] as const)("ask takes a person's answer (%s)", async (answer, decision) => {
    const { events } = await perform([{ call: push }], { policy: { mode: "ask" }, ask: () => Promise.resolve(answer) });
    expect(events).toContainEqual({ type: "permission", tool: "run", request: "git push", decision });
  });
});

describe("files by way of us", () => {
  test("are read and written in the workspace", async () => {
    const { result, events } = await perform([
      { overwrite: join(workspace, "by-us.txt"), text: "new" },
      { read: join(workspace, "by-us.txt") },
    ]);
    expect(result).toMatchObject({ outcome: "success", message: "new", beforeEffect: false });
    expect(events).toContainEqual({ type: "diff", path: "by-us.txt", before: null, after: "new" });
  });

  test.each(["outside.txt", "workspace/../outside.txt", "workspace/up/outside.txt", "workspace/.git/config"])(
    "not %s",
    async (path) => {
      const { result } = await perform([{ read: `${folder}/${path}` }]);
      expect(result).toMatchObject({
        outcome: "error",
        reason: { text: expect.stringContaining("outside the workspace") },
      });
      expect(result.message).not.toContain("secret");
    },
  );

  test("nor written through a link to what is not there yet", async () => {
    await symlink(join(folder, "made"), join(workspace, "dangling"));
    const { result } = await perform([{ overwrite: join(workspace, "dangling"), text: "new" }]);
    expect(result).toMatchObject({
      outcome: "error",
      reason: { text: expect.stringContaining("outside the workspace") },
    });
    await expect(readFile(join(folder, "made"))).rejects.toThrow("ENOENT");
  });

  test("not for an agent in a box, whose paths are not ours", async () => {
    const argv = [process.execPath, main, JSON.stringify([[{ read: join(workspace, "inside.txt") }]])] as const;
    const boxed = createAcpProvider({
      name: "boxed",
      agent: { argv, variables: [], install: "" },
      environment: process.env,
      start: startLive,
      clock: systemClock,
      boxed: true,
    });
    expect((await play(boxed, request())).result).toMatchObject({
      outcome: "error",
      reason: { text: expect.stringContaining("outside the workspace") },
    });
  });

  test("not where the policy says no", async () => {
    const steps: readonly Step[] = [{ overwrite: join(workspace, "denied.txt"), text: "new" }];
    const { result } = await perform(steps, { policy: { mode: "read_only" } });
    expect(result).toMatchObject({ outcome: "error", beforeEffect: true });
    await expect(readFile(join(workspace, "denied.txt"))).rejects.toThrow("ENOENT");
  });
});

describe("ends", () => {
  test.each([
    ["refusal", "failure", "refusal"],
    ["max_tokens", "failure", "output_limit"],
    ["max_turn_requests", "failure", "turn_limit"],
    ["cancelled", "cancelled", "cancelled"],
  ] as const)("%s", async (stop, outcome, code) => {
    expect((await perform([{ say: "Well." }, { stop }])).result).toMatchObject({ outcome, reason: { code } });
  });

  test.each([
    ["a login", -32_000, "Authentication required", "auth"],
    ["a quota", -32_603, "429 rate limit", "quota"],
    ["an overload", -32_603, "529 Overloaded", "overloaded"],
    ["anything else", -32_603, "Oops", "provider"],
  ] as const)("an error that is %s", async (_name, code, message, expected) => {
    expect((await perform([{ fail: { code, message } }])).result).toMatchObject({
      outcome: "error",
      reason: { code: expected },
    });
  });

  test("an agent that dies says what it last wrote", async () => {
    const { result } = await perform([{ say: "I am" }, { exit: 3, stderr: "panic: no config" }]);
    expect(result).toMatchObject({ outcome: "error", reason: { code: "connection" }, beforeEffect: true });
    expect(result.reason?.text).toContain("panic: no config");
  });

  test("a session that needs a login", async () => {
    const { result } = await play(scripted([[]], process.env, "login"), request());
    expect(result).toMatchObject({ outcome: "error", reason: { code: "auth" } });
  });

  test("what it asks for beyond the turn limit is a no, by whichever way", async () => {
    const [asked, written] = [join(workspace, "asked.txt"), join(workspace, "written.txt")];
    const { result } = await perform(
      [
        { call: { kind: "read", title: "a", ask: false } },
        { call: { kind: "edit", title: "b", write: asked, text: "x" } },
        { overwrite: written, text: "x" },
      ],
      { turns: 1 },
    );
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "turn_limit" } });
    expect([existsSync(asked), existsSync(written)]).toEqual([false, false]);
  });

  test("endless calls end at the turn limit", async () => {
    const steps = Array.from({ length: 50 }, (): Step => ({ call: { kind: "read", title: "a", ask: false } }));
    const { result } = await perform(steps, { turns: 3 });
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "turn_limit" } });
  });

  test("an agent that hangs is stopped, and nothing it started lives on", async () => {
    const started: ProcessIdentity[] = [];
    const abort = new AbortController();
    const hangs = Promise.withResolvers<ProcessIdentity | null>();
    const run = scripted([[{ hang: true }]]).run(
      request({ onProcess: (child) => void started.push(child) }),
      (event) => {
        // Its title is the pid of what it started.
        if (event.type === "tool_call") hangs.resolve(identify(Number((event.input as { title: string }).title)));
      },
      abort.signal,
    );
    const grandchild = await hangs.promise;
    abort.abort();
    expect(await run).toMatchObject({ outcome: "cancelled" });
    expect(started).toHaveLength(1);
    expect([...started, grandchild].map((child) => child !== null && isAlive(child))).toEqual([false, false]);
    expect(grandchild).not.toBeNull();
  });
});

describe("answers", () => {
  test("are one of the options, mended once", async () => {
    const options = ["approve", "reject"];
    const mended = await play(scripted([[{ say: "I like it." }], [{ say: "approve" }]]), request({ options }));
    expect(mended.result).toMatchObject({ outcome: "success", option: "approve" });
    const { result } = await play(scripted([[{ say: "I like it." }]]), request({ options }));
    expect(result).toMatchObject({ outcome: "failure", reason: { code: "output_invalid" } });
  });
});

describe("the model", () => {
  test("is chosen where the agent offers it", async () => {
    expect((await perform([{ say: "ok" }], { model: "vendor/small" })).result.outcome).toBe("success");
  });

  test("is never another one", async () => {
    const { result } = await perform([{ say: "ok" }], { model: "large" });
    expect(result).toMatchObject({ outcome: "error", reason: { text: expect.stringContaining("it has: small") } });
  });
});

test("its environment is that of the node and the variables it is known to need", async () => {
  const environment = { ...process.env, OWN_KEY: "own", OTHER_TOKEN: "canary-7f3" };
  const steps: readonly Step[] = [{ env: "OWN_KEY" }, { env: "OTHER_TOKEN" }, { env: "NODE_VALUE" }];
  const { result } = await play(
    scripted([steps], environment),
    request({ env: { PATH: process.env["PATH"] ?? "", NODE_VALUE: "1" } }),
  );
  expect(result.message).toBe("OWN_KEY=ownOTHER_TOKEN=unsetNODE_VALUE=1");
});

describe("before the run", () => {
  test("an agent that is not there is said with how to get it", () => {
    const absent = createAcpProvider({
      name: "claude",
      agent: { argv: ["no-such-agent"], variables: [], install: "npm install it" },
      environment: { PATH: "/bin" },
      start: startLive,
      clock: systemClock,
    });
    expect(absent.missing(null)).toBe("no-such-agent is not on the PATH; npm install it");
    expect(scripted([[]]).missing(null)).toBeNull();
  });

  test("tools that it cannot be held to are refused", () => {
    expect(scripted([[]]).missing(null, { tools: ["read"] })).toContain("`tools` cannot hold");
  });
});
