import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { Place, root, start, trammel } from "./support/cli.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const work = "name: work\nnodes:\n  a: {type: agent, prompt: Do it}\n";
const nothing = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "", OLLAMA_HOST: "127.0.0.1:1" };

/** An Ollama on this machine whose one model says what it is told to. */
async function ollama(): Promise<{ readonly host: string; readonly model: ModelServer }> {
  const model = await serveModel([{ say: "All done." }]);
  closing.push(() => model.close());
  const server = createServer((request, response) => {
    if (request.url === "/api/version") return void response.end('{"version": "0.9.9"}');
    if (request.url === "/api/tags") return void response.end('{"models": [{"name": "qwen3:8b"}]}');
    const headers = { "content-type": "application/json" };
    void fetch(new URL(request.url ?? "", model.url), {
      method: "POST",
      headers,
      body: request,
      duplex: "half",
    }).then(async (answer) =>
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text()),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  closing.push(() => server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, model }; // listening on TCP
}

function userConfig(place: Place): string {
  return place.path(".config/trammel/config.yaml");
}

describe("the first run with an agent", () => {
  it("asks at a terminal which of what is there to use, writes it down, says so, and goes on; the next asks nothing", async () => {
    using place = new Place();
    const { host, model } = await ollama();
    place.file("work.yaml", work);
    const env = { ...nothing, OLLAMA_HOST: host, OPENAI_API_KEY: "canary-first-2b7" };
    const running = start(["run", "x", "-b", "work.yaml"], { place, terminal: true, env });
    await running.until(/No agent is set up/);
    await running.until(/1 {2}qwen3:8b {2}a model of the Ollama on this machine\s+2 {2}openai/);
    await running.until(/One of 1–3/);
    expect(existsSync(userConfig(place))).toBe(false);
    running.type("1\r");
    const ran = await running.end;
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(`wrote into ${userConfig(place)}`);
    expect(ran.stdout).toContain("model: compatible/qwen3:8b");
    expect(ran.stdout).toContain("All done.");
    const written = readFileSync(userConfig(place), "utf8");
    expect(written).toContain(`agent:\n  model: compatible/qwen3:8b\n  baseUrl: http://${host}/v1\n`);
    expect(written).not.toContain("canary");
    expect(statSync(userConfig(place)).mode & 0o777).toBe(0o600);
    const again = await trammel(["run", "x", "-b", "work.yaml"], { place, env });
    expect(again).toMatchObject({ code: 0, stdout: "All done.\n" });
    expect(model.requests).toHaveLength(2);
  });

  it.each([
    ["limits: {steps: 9} # few\n", "limits: { steps: 9 } # few\nagent:\n  provider: qwen\n"],
    // What its owner lets an agent do is not widened by choosing one.
    [
      "agent:\n  turns: 9 # few\n  policy: { mode: ask }\n",
      "agent:\n  turns: 9 # few\n  policy: { mode: ask }\n  provider: qwen\n",
    ],
  ])("keeps what else stands in the person's own file: %j", async (before, after) => {
    using place = new Place();
    const bin = place.file(
      "bin/qwen",
      `#!/bin/sh\nexec ${process.execPath} ${join(root, "test/fixtures/acp-agent/main.ts")} '[[{"say": "Done."}]]'\n`,
    );
    chmodSync(bin, 0o755);
    place.file(".config/trammel/config.yaml", `# mine\n${before}`);
    place.file("work.yaml", work);
    const env = { ...nothing, PATH: [place.path("bin"), process.env["PATH"] ?? ""].join(delimiter) };
    const running = start(["run", "x", "-b", "work.yaml"], { place, terminal: true, env });
    await running.until(/One of 1–\d/);
    running.type("qwen\r");
    expect((await running.end).code).toBe(0);
    expect(readFileSync(userConfig(place), "utf8")).toBe(`# mine\n${after}`);
  });

  it("runs nothing and writes nothing where a person wants none of it", async () => {
    using place = new Place();
    const { host } = await ollama();
    place.file("work.yaml", work);
    const running = start(["run", "x", "-b", "work.yaml"], {
      place,
      terminal: true,
      env: { ...nothing, OLLAMA_HOST: host },
    });
    await running.until(/One of 1–2/);
    running.type("none\r");
    const ran = await running.end;
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain("no agent was chosen");
    expect(existsSync(userConfig(place))).toBe(false);
  });

  it.each([
    ["not at a terminal", false, ["run", "x", "-b", "work.yaml"]],
    ["parked at a terminal", true, ["run", "x", "-b", "work.yaml", "--detach"]],
  ] as const)("asks nobody %s, and names the ways", async (_name, terminal, args) => {
    using place = new Place();
    const { host } = await ollama();
    place.file("work.yaml", work);
    const ran = await start(args, { place, terminal, env: { ...nothing, OLLAMA_HOST: host } }).end;
    expect(ran.code).toBe(2);
    const said = (ran.stdout + ran.stderr).replaceAll(/\s+/g, " ");
    for (const way of ["vendor's key", "agent on the PATH", "OpenAI-compatible server"]) expect(said).toContain(way);
    expect(existsSync(userConfig(place))).toBe(false);
  });
});
