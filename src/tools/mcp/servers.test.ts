import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createMcpHandler, McpServer as McpProtocolServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessIdentity } from "../../model/process-identity.ts";
import type { StartProcess } from "../../ports/processes.ts";
import type { ToolContext, ToolResult } from "../../ports/tool.ts";
import { fileBlobs } from "../../runtime/blobs/files.ts";
import { isAlive } from "../../runtime/processes/identity.ts";
import { startLive } from "../../runtime/processes/live.ts";
import { createRedactor } from "../../runtime/redaction/redactor.ts";
import { connectServers, type McpServer, type McpTools } from "./servers.ts";

const main = fileURLToPath(new URL("../../../test/fixtures/mcp-server.ts", import.meta.url));
const fixture: McpServer = { command: [process.execPath, main], variables: ["GIVEN"] };

let folder: string;
let started: ProcessIdentity[];
let open: McpTools[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trammel-mcp-"));
  started = [];
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  await rm(folder, { recursive: true });
});

const start: StartProcess = async (spec) => {
  const child = await startLive(spec);
  if ("process" in child) started.push(child.process);
  return child;
};

async function connect(servers: Readonly<Record<string, McpServer>>) {
  const environment = { ...process.env, GIVEN: "canary-7f3", ANTHROPIC_API_KEY: "canary-9c2" };
  const parts = { servers, environment, cwd: folder, start, blobs: fileBlobs(folder), redactor: createRedactor() };
  const connected = await connectServers(parts);
  if ("tools" in connected) open.push(connected);
  return connected;
}

async function call(
  tool: string,
  args: { readonly [name: string]: string } = {},
  signal = new AbortController().signal,
): Promise<ToolResult> {
  const connected = await connect({ notes: fixture });
  if ("problems" in connected) throw new Error(connected.problems.join());
  const found = connected.tools.find(({ name }) => name === tool);
  if (found === undefined) throw new Error(`there is no ${tool}`);
  return found.call(args, { timeoutMs: 10_000, signal } as unknown as ToolContext); // nothing else is looked at
}

test("the tools of a server are offered under its name, with what they may do at most", async () => {
  const connected = await connect({ notes: fixture });
  expect("tools" in connected && connected.tools.map(({ name, access }) => [name, access])).toEqual([
    ["mcp_notes_greet", "read"],
    ["mcp_notes_fail", "command"],
    ["mcp_notes_die", "command"],
    ["mcp_notes_wait", "command"],
  ]);
});

test("a call answers what the server says; named variables reach it and are masked, keys do not reach it", async () => {
  expect(await call("mcp_notes_greet", { name: "Ann" })).toMatchObject({
    outcome: "success",
    output: { text: "Hello Ann; ***, no key" },
  });
});

test("a long answer is given from its beginning, and what is left out of it is said", async () => {
  const name = (characters: number): string => `Ann${"x".repeat(characters)}`;
  const { output } = await call("mcp_notes_greet", { name: name(20_000) });
  expect(output.text).toBe(`Hello ${name(20_000)}; ***, no key`);
  const cut = await call("mcp_notes_greet", { name: name(100_000) });
  expect(cut.output.text).toMatch(/^Hello Annx+\n\[… \d+ characters left out …\]\nx+; \*\*\*, no key$/);
});

test("an error of the tool is a failure, what the server refuses too", async () => {
  expect(await call("mcp_notes_fail")).toMatchObject({ outcome: "failure", output: { text: "no luck" } });
  expect(await call("mcp_notes_greet", { nam: "x" })).toMatchObject({ outcome: "failure" });
});

test("a server that dies in a call is an error", async () => {
  expect(await call("mcp_notes_die")).toMatchObject({ outcome: "error" });
});

test("a call that is stopped is cancelled", async () => {
  expect(await call("mcp_notes_wait", {}, AbortSignal.timeout(200))).toMatchObject({ outcome: "cancelled" });
});

describe("over HTTP", () => {
  /** Answers only who brings the token. */
  async function listen(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const handler = createMcpHandler(() => {
      const server = new McpProtocolServer({ name: "fixture", version: "1" });
      server.registerTool("ping", { description: "Answers." }, () => ({ content: [{ type: "text", text: "pong" }] }));
      return server;
    });
    const http = createServer((incoming, outgoing) => {
      void (async () => {
        if (incoming.headers.authorization !== "Bearer canary-7f3") return void outgoing.writeHead(401).end();
        const { method = "GET", url = "/" } = incoming;
        const headers = Object.entries(incoming.headers).map(
          ([key, value]) => [key, String(value)] as [string, string],
        );
        const body = method === "POST" ? { body: await textOf(incoming) } : {};
        const answer = await handler.fetch(new Request(`http://127.0.0.1${url}`, { method, headers, ...body }));
        outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      })();
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo; // listening on TCP
    return {
      url: `http://127.0.0.1:${port}/mcp`,
      async close() {
        await handler.close();
        http.closeAllConnections();
        await new Promise((resolve) => http.close(resolve));
      },
    };
  }

  test("a server is used with its token, and not without", async () => {
    const remote = await listen();
    try {
      const connected = await connect({ far: { url: remote.url, key: "GIVEN" } });
      if ("problems" in connected) throw new Error(connected.problems.join());
      const context = { timeoutMs: 10_000, signal: new AbortController().signal } as unknown as ToolContext;
      expect(await connected.tools[0]?.call({}, context)).toMatchObject({
        outcome: "success",
        output: { text: "pong" },
      });
      expect(await connect({ far: { url: remote.url } })).toEqual({
        problems: [expect.stringContaining("mcp.far: it cannot be reached")],
      });
    } finally {
      await Promise.all(open.splice(0).map((one) => one.close()));
      await remote.close();
    }
  });
});

test.each(["application/json", "text/event-stream"])("an answer over HTTP without end is left (%s)", async (type) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": type });
    const more = (): void => {
      while (!response.destroyed && response.write(mebibyte));
    };
    response.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo; // listening on TCP
    const connected = await connect({ far: { url: `http://127.0.0.1:${port}/mcp` } });
    const why = "mcp.far: it cannot be reached: the answer is larger than an answer may be";
    expect(connected).toEqual({ problems: [expect.stringContaining(why)] });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const mebibyte = Buffer.alloc(1024 * 1024, "a");

test("servers are gone once they are closed", async () => {
  const connected = await connect({ notes: fixture });
  if ("close" in connected) await connected.close();
  expect(started.map(isAlive)).toEqual([false]);
});

describe("problems", () => {
  test.each([
    ["a program that is not there", { command: ["no-such-server"] }, "mcp.bad: "],
    ["a program that is no server", { command: ["true"] }, "mcp.bad: it cannot be reached"],
    ["an address where nobody listens", { url: "http://127.0.0.1:9/mcp" }, "mcp.bad: it cannot be reached"],
    ["neither", {}, "mcp.bad: it needs either a command or a url"],
    ["both", { command: ["x"], url: "http://127.0.0.1:9/mcp" }, "mcp.bad: it needs either a command or a url"],
  ])("%s, and no server is left running", async (_name, bad: McpServer, problem) => {
    const connected = await connect({ notes: fixture, bad });
    expect(connected).toEqual({ problems: [expect.stringContaining(problem)] });
    expect(started.map(isAlive).filter(Boolean)).toEqual([]);
  });
});
