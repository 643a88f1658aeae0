import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { installedFolder } from "../../scripts/setup-agents.ts";
import { type Finished, lastLine, Place, start, trammel } from "../e2e/support/cli.ts";
import { modelFor } from "./ground.ts";

const installed = installedFolder("mcp-servers");
const servers = join(installed, "node_modules", "@modelcontextprotocol");
const files = join(servers, "server-filesystem", "dist", "index.js");
const everything = join(servers, "server-everything", "dist", "index.js");

/**
 * Real servers over standard streams: files of the place, and one of
 * everything that has the place in its arguments too.
 */
function overStreams(place: Place): object {
  return {
    files: { command: [process.execPath, files, place.folder] },
    every: { command: [process.execPath, everything, "stdio", place.folder] },
  };
}

/** Processes whose command line names the place, without our own command line. */
function serversOf(place: Place): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const text = argumentsOf(name);
    return text.includes(servers) && text.includes(place.folder) ? [Number(name)] : [];
  });
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** A server that others have started, at an address. */
async function overHttp(): Promise<{ readonly url: string; readonly child: ChildProcess; readonly log: () => string }> {
  const probe = createServer();
  await new Promise<void>((listening) => probe.listen(0, "127.0.0.1", listening));
  const { port } = probe.address() as AddressInfo; // listening on TCP
  await new Promise((closed) => probe.close(closed));
  const child = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (log += text));
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stderr }))
    if (line.includes(`listening on port ${port}`)) break;
  child.stderr.resume();
  return { url: `http://127.0.0.1:${port}/mcp`, child, log: () => log };
}

function write(place: Place, mcp: object, nodes: string, agent: object = {}): void {
  place.file("trammel.yaml", JSON.stringify({ mcp, agent }));
  place.file("b.yaml", `name: b\n${nodes}`);
}

function run(place: Place): Promise<Finished> {
  return trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
}

const sum = "nodes:\n  a: {type: tool, tool: mcp_every_get-sum, args: {a: 2, b: 3}}\n";
const long = (more: string): string =>
  `nodes:\n  a: {type: tool, tool: mcp_every_trigger-long-running-operation, args: {duration: 600, steps: 1}${more}}\n`;

describe.runIf(existsSync(installed))("real servers of the Model Context Protocol", () => {
  test("serve a tool node and an agent, each what its node lets it have, and are gone with the run", async () => {
    using place = new Place();
    const path = place.path("notes.txt");
    const model = await modelFor(
      [
        {
          call: [
            { tool: "mcp_files_write_file", input: { path, content: "from the agent\n" } },
            { tool: "mcp_every_get-sum", input: { a: 20, b: 22 } },
            { tool: "mcp_files_move_file", input: { source: path, destination: place.path("moved.txt") } },
          ],
        },
        { say: "Written." },
      ],
      onTestFinished,
    );
    write(
      place,
      overStreams(place),
      `nodes:
  first: {type: tool, tool: mcp_every_get-sum, args: {a: 2, b: 3}}
  agent: {type: agent, prompt: Do it, tools: [mcp_files_write_file, mcp_every_get-sum]}
  last: {type: tool, tool: mcp_files_read_text_file, args: {path: ${JSON.stringify(path)}}}
edges:
  - {from: first, to: agent}
  - {from: agent, to: last}
`,
      { model: "compatible/scripted", baseUrl: model.url },
    );
    const ran = await run(place);
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(ran.stdout).toContain("The sum of 2 and 3 is 5.");
    expect(ran.stdout).toContain("from the agent");
    const offered = JSON.stringify(model.requests[0]?.body);
    expect(offered).toContain("mcp_files_write_file");
    expect(offered).not.toContain("mcp_files_move_file");
    const told = JSON.stringify(model.requests[1]?.body);
    expect(told).toContain("The sum of 20 and 22 is 42.");
    expect(told).toContain("there is no tool");
    expect(existsSync(place.path("moved.txt"))).toBe(false);
    expect(serversOf(place)).toEqual([]);
  });

  test("what a tool reports as an error is a failure, which is routed", async () => {
    using place = new Place();
    write(
      place,
      overStreams(place),
      `nodes:
  read: {type: tool, tool: mcp_files_read_text_file, args: {path: /etc/hostname}}
  mend: {type: script, run: echo mended}
edges:
  - {from: read, when: failure, to: mend}
`,
    );
    const ran = await run(place);
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(ran.stdout).toMatch(/"outcome":"failure".*Access denied/);
    expect(ran.stdout).toContain("mended");
  });

  test("one that dies in the middle of a call is an error, and nothing of it is left", async () => {
    using place = new Place();
    write(place, overStreams(place), long(""));
    const running = start(["run", "x", "-b", "b.yaml", "--json"], { place });
    await running.until(/node\.started/);
    // The other server has no tool that the run can reach.
    await expect.poll(() => serversOf(place).length).toBe(1);
    for (const pid of serversOf(place)) process.kill(pid, "SIGKILL");
    const ran = await running.end;
    expect(lastLine(ran)).toMatchObject({ status: "failed" });
    expect(ran.stdout).toMatch(/"outcome":"error".*"code":"tool_error"/);
    expect(serversOf(place)).toEqual([]);
  });

  test("one that does not answer in time fails its node", async () => {
    using place = new Place();
    write(place, overStreams(place), long(", timeout: 1s"));
    const ran = await run(place);
    expect(lastLine(ran)).toMatchObject({ status: "failed" });
    expect(ran.stdout).toContain('"code":"timeout","text":"the server has not answered within 1 s"');
    expect(serversOf(place)).toEqual([]);
  });

  test("a run that is stopped in the middle of a call leaves none behind", async () => {
    using place = new Place();
    write(place, overStreams(place), long(""));
    const running = start(["run", "x", "-b", "b.yaml", "--json"], { place });
    await running.until(/node\.started/);
    running.child.kill("SIGINT");
    expect(lastLine(await running.end)).toMatchObject({ status: "stopped" });
    expect(serversOf(place)).toEqual([]);
  });

  test("at an address they serve a tool node; one that dies there is an error, one that hangs a timeout", async () => {
    using place = new Place();
    const { url, child, log } = await overHttp();
    write(place, { every: { url } }, sum);
    expect((await run(place)).stdout).toContain("The sum of 2 and 3 is 5.");
    await expect.poll(log).toContain("Received session termination request");
    write(place, { every: { url } }, long(", timeout: 1s"));
    const late = await run(place);
    expect(late.stdout).toContain('"code":"timeout"');
    write(place, { every: { url } }, long(""));
    const running = start(["run", "x", "-b", "b.yaml", "--json"], { place });
    await running.until(/node\.started/);
    child.kill("SIGKILL");
    const ran = await running.end;
    expect(lastLine(ran)).toMatchObject({ status: "failed" });
    expect(ran.stdout).toMatch(/"outcome":"error".*"code":"tool_error"/);
    expect((await run(place)).stderr).toContain("mcp.every: it cannot be reached");
  });
});
