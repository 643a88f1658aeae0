import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { identify, isAlive } from "../../src/runtime/processes/identity.ts";
import type { Step } from "../fixtures/acp-agent/main.ts";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { filesUnder, lastLine, Place, root, start, trammel } from "./support/cli.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("tools of servers", () => {
  const server = { command: [process.execPath, join(root, "test/fixtures/mcp-server.ts")] };

  it("are used by agents and tool nodes alike, under the policy", async () => {
    using place = new Place();
    const call = [
      { tool: "mcp_notes_greet", input: { name: "Ann" } },
      { tool: "mcp_notes_fail", input: {} },
    ];
    const model = await serveModel([{ call }, { say: "Greeted." }]);
    servers.push(model);
    const agent = { model: "compatible/scripted", baseUrl: model.url, policy: "read_only" };
    place.file("trammel.yaml", JSON.stringify({ agent, mcp: { notes: server } }));
    const nodes = `{a: {type: agent, prompt: Do it}, b: {type: tool, tool: mcp_notes_greet, args: {name: Bob}}}`;
    place.file("b.yaml", `name: b\nentry: a\nnodes: ${nodes}\nedges: [{from: a, to: b}, {from: b, to: END}]\n`);
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    const second = JSON.stringify(model.requests[1]?.body);
    expect(second).toContain("Hello Ann; none, no key");
    expect(second).toContain("not permitted: the policy is read_only");
    expect(ran.stdout).toContain("Hello Bob; none, no key");
  });

  it("get a secret that is kept under a name they are given, and it shows nowhere", async () => {
    using place = new Place();
    const kept = await trammel(["secret", "set", "GIVEN"], { place, input: "canary-of-the-server-6c4\n" });
    expect(kept.code).toBe(0);
    place.file("trammel.yaml", JSON.stringify({ mcp: { notes: { ...server, variables: ["GIVEN"] } } }));
    place.file("b.yaml", "name: b\nnodes: {a: {type: tool, tool: mcp_notes_greet, args: {name: Bob}}}\n");
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(ran.stdout).toContain("Hello Bob; ***, no key");
  });

  it("that cannot be had stop the run before it starts", async () => {
    using place = new Place();
    place.file("trammel.yaml", JSON.stringify({ mcp: { notes: { command: ["no-such-server"] } } }));
    place.file("b.yaml", "name: b\nnodes: {a: {type: tool, tool: mcp_notes_greet, args: {name: Bob}}}\n");
    const ran = await trammel(["run", "x", "-b", "b.yaml"], { place });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("mcp.notes: ");
    expect(ran.stderr).toContain("trammel doctor --probe tries each server");
    expect(ran.stderr).not.toContain("internal error");
  });

  it("that the nodes of the run cannot reach are not started", async () => {
    using place = new Place();
    place.file(
      "trammel.yaml",
      JSON.stringify({ mcp: { notes: { command: ["sh", "-c", "touch started; sleep 60"] } } }),
    );
    place.file("b.yaml", "name: b\nnodes: {a: {type: tool, tool: list}}\n");
    expect(await trammel(["run", "x", "-b", "b.yaml"], { place })).toMatchObject({ code: 0 });
    expect(existsSync(place.path("started"))).toBe(false);
  });
});

describe("an agent of its own make", () => {
  it("gets the key that the configuration names, and it shows nowhere", async () => {
    using place = new Place();
    const steps: readonly (readonly Step[])[] = [[{ env: "OWN_KEY" }, { env: "ANTHROPIC_API_KEY" }]];
    const command = [process.execPath, join(root, "test/fixtures/acp-agent/main.ts"), JSON.stringify(steps)];
    place.file("trammel.yaml", JSON.stringify({ agent: { provider: "acp", command, key: "OWN_KEY" } }));
    place.file("b.yaml", "name: b\nentry: a\nnodes: {a: {type: agent, prompt: Do it}}\nedges: [{from: a, to: END}]\n");
    const env = { OWN_KEY: "canary-of-the-agent-3d8", ANTHROPIC_API_KEY: "canary-of-another-1f0" };
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place, env });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(ran.stdout).toContain("OWN_KEY=***ANTHROPIC_API_KEY=unset");
    const kept = [...filesUnder(place.home), { name: "output", text: ran.stdout + ran.stderr }];
    expect(kept.filter(({ text }) => text.includes("canary-of-the-agent")).map(({ name }) => name)).toEqual([]);
  });
});

describe("an agent whose engine was killed", () => {
  it("is found and ended by the next one, with all it started", async () => {
    using place = new Place();
    const command = [
      process.execPath,
      join(root, "test/fixtures/acp-agent/main.ts"),
      JSON.stringify([[{ hang: true }]]),
    ];
    place.file("trammel.yaml", JSON.stringify({ agent: { provider: "acp", command } }));
    place.file("b.yaml", "name: b\nentry: a\nnodes: {a: {type: agent, prompt: Do it}}\nedges: [{from: a, to: END}]\n");
    const running = start(["run", "x", "-b", "b.yaml", "--json"], { place });
    // The title of its one tool call is the pid of what it started.
    await running.until(/"title":"\d+"/);
    const { owner, run } = JSON.parse(running.stdout.split("\n")[0] ?? "") as { owner: { pid: number }; run: string };
    const child = identify(Number(/"title":"(\d+)"/.exec(running.stdout)?.[1]));
    process.kill(owner.pid, "SIGKILL");
    await running.end;
    const resumed = await trammel(["resume", run, "--json"], { place });
    expect(lastLine(resumed)).toMatchObject({ status: "needs_attention" });
    expect(child === null || isAlive(child)).toBe(false);
    expect(child).not.toBeNull();
  });
});

describe("an agent", () => {
  it("whose engine dies while it asks for leave leaves a run that is interrupted, not one that waits", async () => {
    using place = new Place();
    const call = [{ tool: "run", input: { command: "echo ran" } }];
    const model = await serveModel([{ call }, { say: "Done." }]);
    servers.push(model);
    const agent = { model: "compatible/scripted", baseUrl: model.url, policy: "ask" };
    place.file("trammel.yaml", JSON.stringify({ agent }));
    place.file("ask.yaml", "name: ask\nnodes: {a: {type: agent, prompt: Do it}}\n");
    const running = start(["run", "x", "-b", "ask.yaml", "--detach", "--json"], { place });
    await running.until(/"gate.opened"/);
    const [, run = ""] = /"run":"(\w+)"/.exec(running.stdout) ?? [];
    expect((await trammel(["runs"], { place })).stdout).toMatch(/ running /);
    expect((await trammel(["inbox"], { place })).stdout).toContain(`trammel answer ${run} a yes|no`);
    running.child.kill("SIGKILL");
    await running.end;
    expect((await trammel(["runs"], { place })).stdout).toMatch(/ interrupted /);
    expect((await trammel(["inbox"], { place })).stdout).toBe(
      `${run}  ask: interrupted\n  Go on with it: trammel resume ${run}; or end it: trammel stop ${run}\n`,
    );
    expect((await trammel(["answer", run, "a", "yes"], { place })).stderr).toContain(`trammel resume ${run} goes on`);
    place.file("other.yaml", "name: other\nnodes: {a: {type: script, run: echo other, writes: [x]}}\n");
    expect((await trammel(["run", "-b", "other.yaml"], { place })).code).toBe(0);
  });
});
