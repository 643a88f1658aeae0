import { describe, expect, it } from "vitest";
import { binding, emptyConfig, merge } from "./config.ts";
import { parseConfig } from "./parse.ts";
import { toText } from "../check/format.ts";

describe("parseConfig", () => {
  it("reads every key", () => {
    const { config, problems } = parseConfig(`
default: fix
commands: {test: npm test}
autofix: {lint: npm run lint -- --fix}
tools: {fmt: npx prettier --write .}
agent: {provider: ai, model: compatible/qwen, baseUrl: "http://127.0.0.1:11434/v1", key: LOCAL_KEY, turns: 5}
limits: {steps: 9, time: 1h}
workspace: {protect: ["*.lock"]}
mcp: {notes: {command: [notes-server, --stdio], variables: [NOTES_TOKEN]}, wiki: {url: "https://wiki.test/mcp", key: WIKI}}
plugins: [./notes.js, "@acme/more"]
keys: {MINE: ["https://away.test"]}
prices: {anthropic/claude-sonnet-4-5: {input: 3 USD, output: 15 USD}}
notify: {desktop: false, command: "cat >> told", webhook: "https://chat.test/hook"}
locale: en-AU
audit: {patterns: [": any", "@ts-ignore"]}
retention: {runs: 30d or 5 GiB, history: 90d}
`);
    expect(problems).toEqual([]);
    expect(config).toEqual({
      default: "fix",
      commands: { test: "npm test" },
      autofix: { lint: "npm run lint -- --fix" },
      tools: { fmt: "npx prettier --write ." },
      agent: {
        provider: "ai",
        model: "compatible/qwen",
        baseUrl: "http://127.0.0.1:11434/v1",
        key: "LOCAL_KEY",
        turns: 5,
      },
      limits: { steps: 9, timeMs: 3_600_000 },
      workspace: { protect: ["*.lock"] },
      records: {},
      audit: { patterns: [": any", "@ts-ignore"] },
      sandbox: {},
      plugins: [
        { name: "./notes.js", file: "" },
        { name: "@acme/more", file: "" },
      ],
      mcp: {
        notes: { command: ["notes-server", "--stdio"], variables: ["NOTES_TOKEN"] },
        wiki: { url: "https://wiki.test/mcp", key: "WIKI" },
      },
      keys: { MINE: ["https://away.test"] },
      prices: {
        "anthropic/claude-sonnet-4-5": {
          input: { amount: 3, currency: "USD" },
          output: { amount: 15, currency: "USD" },
        },
      },
      notify: { desktop: false, command: "cat >> told", webhook: "https://chat.test/hook" },
      locale: "en-AU",
      retention: { runs: { ageMs: 30 * 86_400_000, bytes: 5 * 1024 ** 3 }, history: 90 * 86_400_000 },
    });
  });

  it("lets no project say where keys may go", () => {
    const [problem] = parseConfig("keys: {MINE: ['https://away.test']}", "project").problems;
    expect(problem).toMatchObject({ code: "unknown-field", hint: expect.stringContaining("config.yaml") });
  });

  it("takes a policy by its mode alone", () => {
    const policyIn = (text: string) => parseConfig(`agent: {policy: ${text}}`).config.agent.policy;
    expect(policyIn("read_only")).toEqual({ mode: "read_only" });
    expect(policyIn("{mode: ask, deny: [git push]}")).toEqual({ mode: "ask", deny: ["git push"] });
  });

  it.each(["", "\n", "# only a comment\n\n"])("takes a file without content (%j) as an empty configuration", (text) => {
    expect(parseConfig(text)).toEqual({ config: emptyConfig, problems: [] });
  });

  it.each([
    ["an unknown key", "agnet: {}", "unknown-field", 0],
    ["an unknown key inside", "agent: {modle: x}", "unknown-field", 8],
    ["a key in place of its name", "agent: {key: sk-live-123}", "value-in-env", 13],
    [
      "a value beside the name of a variable",
      "mcp: {a: {command: [x], variables: [A=sk-live-123]}}",
      "value-in-env",
      36,
    ],
    ["a command with the name of what every agent has", "tools: {give_up: cat}", "invalid-name", 8],
    ["credentials in an address", "agent: {baseUrl: 'https://me:pw@host/'}", "value-in-env", 17],
    ["a list", "- a", "wrong-type", 0],
    ["broken YAML", "agent: {", "syntax", 8],
  ])("refuses %s where it stands", (_, text, code, start) => {
    const { problems } = parseConfig(text);
    expect(problems[0]).toMatchObject({ code, severity: "error", range: { start } });
    expect(toText(problems, "trammel.yaml", text)).not.toMatch(/sk-live|me:pw/);
  });
});

describe("merge", () => {
  it("lets the project win field by field", () => {
    const user = { ...emptyConfig, agent: { model: "openai/a", turns: 5 }, tools: { fmt: "a", lint: "b" } };
    const project = { ...emptyConfig, default: "fix", agent: { model: "openai/c" }, tools: { fmt: "c" } };
    expect(merge(user, project)).toMatchObject({
      default: "fix",
      agent: { model: "openai/c", turns: 5 },
      tools: { fmt: "c", lint: "b" },
    });
  });
});

describe("binding", () => {
  it("changes with what decides a run, not with key order", () => {
    const a = { ...emptyConfig, tools: { x: "1", y: "2" } };
    expect(binding(a)).toBe(binding({ ...emptyConfig, tools: { y: "2", x: "1" } }));
    expect(binding(a)).not.toBe(binding({ ...emptyConfig, tools: { x: "1", y: "3" } }));
    expect(binding(a)).not.toBe(binding({ ...a, limits: { steps: 3 } }));
    expect(binding(a)).toBe(binding({ ...a, retention: { history: 3 } }));
  });
});
