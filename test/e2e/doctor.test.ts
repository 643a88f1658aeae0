import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { healthShape } from "../../src/wire/health.ts";
import { filesUnder, Place, root, trammel } from "./support/cli.ts";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Answers what its table says by path, and 404 to all else. */
async function serve(answers: Readonly<Record<string, unknown>>) {
  const asked: Asked[] = [];
  const server = createServer(({ method = "", url = "", headers }, response) => {
    asked.push({ method, url, headers });
    const answer = answers[url];
    const status = answer === undefined ? 404 : typeof answer === "number" ? answer : 200;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked }; // listening on TCP
}

async function checks(place: Place, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await trammel(["doctor", ...args, "--json"], { place, env: { ...none, ...env } });
  const all = healthShape.parse(JSON.parse(stdout)).checks;
  return { code, of: (name: string) => all.find((one) => one.name === name), all };
}

/** Whatever this machine has of its own. */
const none = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "", OLLAMA_HOST: "127.0.0.1:1" };

/** A program of that name on the PATH that speaks the protocol as the script says. */
function install(place: Place, name: string, script: string): string {
  const file = place.file(`bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return [place.path("bin"), process.env["PATH"] ?? ""].join(delimiter);
}

const acp = join(root, "test/fixtures/acp-agent/main.ts");

describe("doctor", () => {
  it("finds an Ollama on this machine and says what it has", async () => {
    using place = new Place();
    const { host } = await serve({
      "/api/version": { version: "0.9.9" },
      "/api/tags": { models: [{ name: "qwen3:8b" }, { name: "gemma3:4b" }] },
    });
    expect((await checks(place, [], { OLLAMA_HOST: host })).of("ollama")).toMatchObject({
      status: "ok",
      detail: `http://${host}/v1, version 0.9.9: qwen3:8b, gemma3:4b`,
    });
    expect((await checks(place, [])).of("ollama")).toMatchObject({ status: "optional" });
  });

  it("sends no key anywhere and starts no agent unless it is asked to", async () => {
    using place = new Place();
    const PATH = install(place, "qwen", `touch ${place.path("started")}; exit 1`);
    const vendor = await serve({});
    place.file(".config/trammel/config.yaml", `agent: {model: openai/gpt-5, baseUrl: "http://${vendor.host}"}\n`);
    const { of } = await checks(place, [], { PATH, OPENAI_API_KEY: "canary-8d1" });
    expect(of("agents")).toMatchObject({ status: "ok", detail: expect.stringContaining("qwen") });
    expect(vendor.asked).toEqual([]);
    expect(filesUnder(place.folder).map(({ name }) => name)).not.toContain("started");
  });

  it.each([
    [
      "a model that is there",
      { "/models": { data: [{ id: "gpt-5" }, { id: "gpt-5-mini" }] } },
      "ok",
      /2 models, gpt-5 among/,
    ],
    ["a model that is not", { "/models": { data: [{ id: "gpt-4.1" }] } }, "missing", /but no gpt-5/],
    ["a key that is refused", { "/models": 401 }, "missing", /refuses the key \(401\)/],
    ["an address that is none", {}, "missing", /answered 404/],
  ] as const)("tries a key by asking for the models: %s", async (_name, answers, status, detail) => {
    using place = new Place();
    const vendor = await serve(answers);
    place.file(".config/trammel/config.yaml", `agent: {model: openai/gpt-5, baseUrl: "http://${vendor.host}"}\n`);
    const { of, code, all } = await checks(place, ["--probe"], { OPENAI_API_KEY: "canary-8d1" });
    expect(of("openai")).toMatchObject({ status, detail: expect.stringMatching(detail) });
    expect(code).toBe(status === "ok" ? 0 : 1);
    expect(vendor.asked.map(({ method, url }) => [method, url])).toEqual([["GET", "/models"]]);
    expect(vendor.asked[0]?.headers["authorization"]).toBe("Bearer canary-8d1");
    expect(JSON.stringify(all)).not.toContain("canary");
  });

  it("tries no key at an address that only the project names", async () => {
    using place = new Place();
    const vendor = await serve({ "/models": { data: [{ id: "gpt-5" }] } });
    place.file("trammel.yaml", `agent: {model: openai/gpt-5, baseUrl: "http://${vendor.host}"}\n`);
    const { of } = await checks(place, ["--probe"], { OPENAI_API_KEY: "canary-8d1" });
    expect(of("openai")).toMatchObject({
      status: "missing",
      mend: expect.stringContaining("OPENAI_API_KEY is not sent"),
    });
    expect(vendor.asked).toEqual([]);
  });

  it("starts the agents that are there, says whether they are ready, and leaves nothing of them", async () => {
    using place = new Place();
    install(place, "qwen", `exec ${process.execPath} ${acp} '[[]]'`);
    install(place, "gemini", `exec ${process.execPath} ${acp} '[[]]' login`);
    const PATH = install(place, "codex-acp", "echo no good >&2; exit 3");
    const { of, code } = await checks(place, ["--probe"], { PATH });
    expect(of("qwen")).toMatchObject({ status: "ok", detail: expect.stringContaining("ready") });
    expect(of("gemini")).toMatchObject({ status: "optional", detail: expect.stringContaining("needs a login") });
    expect(of("codex")).toMatchObject({ status: "optional", detail: expect.stringContaining("does not start") });
    expect(code).toBe(0);
    place.file("trammel.yaml", "agent: {provider: gemini}\n");
    expect((await checks(place, ["--probe"], { PATH })).code).toBe(1);
  });
});

describe("doctor --probe", () => {
  it("asks each server of the configuration for its tools, and says which cannot be had", async () => {
    using place = new Place();
    const there = { command: [process.execPath, join(root, "test/fixtures/mcp-server.ts")] };
    place.file("trammel.yaml", JSON.stringify({ mcp: { notes: there, gone: { command: ["no-such-server"] } } }));
    const { of, code } = await checks(place, ["--probe"]);
    expect(of("mcp.notes")).toMatchObject({ status: "ok", detail: expect.stringMatching(/^answers, with \d+ tools$/) });
    expect(of("keyring")?.detail).toMatch(/^(answers; |cannot be used: )/);
    expect(of("mcp.gone")).toMatchObject({ status: "missing" });
    expect(code).toBe(1);
    expect((await checks(place, [])).all.filter(({ name }) => name.startsWith("mcp."))).toEqual([]);
  });

  it("tries a key that is kept as one in the environment, and names what is kept", async () => {
    using place = new Place();
    const vendor = await serve({ "/models": { data: [{ id: "gpt-5" }] } });
    place.file(".config/trammel/config.yaml", `agent: {model: openai/gpt-5, baseUrl: "http://${vendor.host}"}\n`);
    const kept = await trammel(["secret", "set", "OPENAI_API_KEY"], { place, input: "canary-kept-5f0\n" });
    expect(kept.code).toBe(0);
    const { of, all } = await checks(place, ["--probe"]);
    expect(of("openai")).toMatchObject({ status: "ok" });
    expect(vendor.asked[0]?.headers["authorization"]).toBe("Bearer canary-kept-5f0");
    expect(of("secrets")).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/OPENAI_API_KEY \((keyring|file)\)/),
    });
    expect(JSON.stringify(all)).not.toContain("canary");
  });

  it("says each way of mending on a line under what it mends, and does nothing to a terminal", async () => {
    using place = new Place();
    expect((await trammel(["doctor"], { place })).stdout).toMatch(
      /\n {4}no model is set\n {4}Any of these .*\n {6}agent: .*\n {6}agent: .*\n {6}agent: .*\n[✓–✗] /,
    );
    place.file("trammel.yaml", 'agent: {provider: "a\\e[31m"}\n');
    expect((await trammel(["doctor"], { place })).stdout).toContain('    there is no provider "a\\u001b[31m"; ');
  });
});
