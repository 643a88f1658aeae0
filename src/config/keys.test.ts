import { describe, expect, it } from "vitest";
import { type Config, emptyConfig, merge } from "./config.ts";
import { keptFromServers, vendorAccess } from "./keys.ts";

const away = "https://away.test/v1";
const env = { OPENAI_API_KEY: "sk-own", GEMINI_API_KEY: "g-own", MINE: "m-own" };

function configOf(part: Partial<Config>): Config {
  return { ...emptyConfig, ...part };
}

describe("a key in the environment", () => {
  const cases: readonly [string, Partial<Config>, Partial<Config>, string | undefined][] = [
    ["goes to its vendor", {}, { agent: { model: "openai/x" } }, "sk-own"],
    ["goes where its owner sends it", { agent: { model: "openai/x", baseUrl: away } }, {}, "sk-own"],
    ["is not sent where a project points", {}, { agent: { model: "openai/x", baseUrl: away } }, undefined],
    ["nor by another variable", {}, { agent: { model: "compatible/x", baseUrl: away, key: "MINE" } }, undefined],
    [
      "nor to this machine, where the project may listen",
      {},
      { agent: { model: "openai/x", baseUrl: "http://127.0.0.1:9/v1" } },
      undefined,
    ],
    [
      "goes where its owner lets a project send it, by scheme, host and port",
      { keys: { OPENAI_API_KEY: ["https://away.test"] } },
      { agent: { model: "openai/x", baseUrl: away } },
      "sk-own",
    ],
    [
      "and no other port",
      { keys: { OPENAI_API_KEY: ["https://away.test:8443"] } },
      { agent: { model: "openai/x", baseUrl: away } },
      undefined,
    ],
    [
      "goes where its owner sends it, though the project names the same address",
      { agent: { model: "openai/x", baseUrl: "https://away.test/v2" } },
      { agent: { model: "openai/y", baseUrl: away } },
      "sk-own",
    ],
    [
      "does not follow the address of another vendor's model",
      { agent: { model: "openai/x", baseUrl: away } },
      { agent: { model: "google/y" } },
      undefined,
    ],
    [
      "is not taken for the key of its owner's address",
      { agent: { model: "openai/x", baseUrl: away } },
      { agent: { key: "MINE" } },
      undefined,
    ],
  ];

  it.each(cases)("%s", (_name, user, project, apiKey) => {
    const config = merge(configOf(user), configOf(project));
    const vendor = config.agent.model?.split("/")[0] as "openai" | "google" | "compatible";
    const access = vendorAccess(config, env)[vendor];
    const why: unknown = expect.stringMatching(/is not sent to http.*keys: \{\w+: \[http/);
    expect([access.apiKey, access.keptBack]).toEqual([apiKey, apiKey === undefined ? why : undefined]);
  });

  it("that is not there keeps nothing back", () => {
    const config = merge(emptyConfig, configOf({ agent: { model: "compatible/x", baseUrl: away, key: "UNSET" } }));
    expect(vendorAccess(config, env).compatible).toEqual({ baseUrl: away, keyNames: ["UNSET"] });
  });

  it("is kept from a server that only a project names", () => {
    const mcp = { wiki: { url: "https://away.test/mcp", key: "MINE" } };
    const [why = ""] = keptFromServers(merge(emptyConfig, configOf({ mcp })), env);
    expect(why).toContain("mcp.wiki: MINE is not sent to https://away.test");
    expect(keptFromServers(merge(configOf({ mcp }), emptyConfig), env)).toEqual([]);
    expect(keptFromServers(merge(emptyConfig, configOf({ mcp })), {})).toEqual([]);
  });
});
