import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { repositoryFiles } from "../../scripts/files.ts";
import { readPage } from "../../scripts/markdown.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { configSchema } from "../../src/config/schema.ts";
import { documentSchema } from "../../src/language/schema.ts";

const root = join(import.meta.dirname, "../..");
const schemas = [
  ["blueprint", documentSchema()],
  ["config", configSchema()],
] as const;
const ajv = new Ajv({ allErrors: false, strictTypes: false, allowUnionTypes: true });
const validate = ajv.compile(documentSchema());
const validateConfig = ajv.compile(configSchema());

function documents(folder: "ok" | "err"): readonly string[] {
  return readdirSync(join(import.meta.dirname, folder)).filter((file) => file.endsWith(".yaml"));
}

function isValid(folder: "ok" | "err", file: string): boolean {
  return validate(parse(readFileSync(join(import.meta.dirname, folder, file), "utf8"), { logLevel: "silent" }));
}

test.each(schemas)("the committed schema of a %s is the one the tables give", (what, schema) => {
  const committed = join(root, `schema/${what}.schema.json`);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(committed, text);
  expect(readFileSync(committed, "utf8")).toBe(text);
});

test.each(schemas)("every key of a %s has a description", (_, schema) => {
  const bare: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === "properties") {
        for (const [name, field] of Object.entries(child as Record<string, { description?: string }>)) {
          if (field.description === undefined && !path.endsWith(".if")) bare.push(`${path}.${name}`);
        }
      }
      visit(child, `${path}.${key}`);
    }
  };
  visit(schema, "");
  expect(bare).toEqual([]);
});

describe("what checks without an error is valid by the schema", () => {
  // A list of fields that the schema cannot know is allowed by a comment.
  test.each(documents("ok").filter((file) => file !== "unknown-field.yaml"))("%s", (file) => {
    expect([isValid("ok", file), validate.errors]).toEqual([true, null]);
  });
});

test.each(repositoryFiles("examples/*.yaml", "examples/**/*.yaml"))("%s is valid by the schema", (file) => {
  expect([validate(parse(readFileSync(join(root, file), "utf8"))), validate.errors]).toEqual([true, null]);
});

describe("what has a wrong field, type or value is not", () => {
  const kinds = ["unknown-field", "missing-field", "wrong-type", "invalid-value", "invalid-quantity", "unknown-type"];
  test.each(documents("err").filter((file) => kinds.includes(file.split(".")[0] ?? "")))("%s", (file) => {
    expect(isValid("err", file)).toBe(false);
  });
});

/** The configuration files that README and guide show. */
const shown = ["README.md", ...repositoryFiles("docs/guide/*.md")].flatMap((file) =>
  readPage(readFileSync(join(root, file), "utf8")).blocks.flatMap(({ words, text, line }) =>
    words.some((word) => /(?:^|\/)trammel\.yaml$/.test(word)) ? [[`${file}:${line}`, text] as const] : [],
  ),
);

const everyKey = `
default: fix
commands: { test: npm test }
tools: { fmt: npx prettier --write . }
agent:
  provider: ai
  model: compatible/qwen
  baseUrl: http://127.0.0.1:11434/v1
  key: LOCAL_KEY
  command: [some-agent, --acp]
  cassettes: tapes
  tools: [read]
  policy: { mode: ask, deny: [git push] }
  turns: 5
  context: { include: [README.md], only: require }
limits: { steps: 9, time: 1h, tokens: 500k, cost: 5 USD, memory: 1GiB, output: 16MiB }
workspace: { protect: ["*.lock"], isolate: worktree }
records: {}
sandbox: { driver: podman }
mcp: { notes: { command: notes-server, variables: [TOKEN] }, wiki: { url: "https://wiki.test/mcp", key: WIKI } }
keys: { MINE: ["https://away.test"] }
prices: { vendor/model: { input: 3 USD, output: 15.50 USD } }
locale: en-AU
notify: { desktop: false, command: "cat >> told", webhook: "https://chat.test/hook" }
retention: { runs: 30d or 5 GiB, history: 90d }
`;

describe("a configuration is valid by the schema exactly where it reads without a problem", () => {
  test("the sample has every key", () => {
    expect(Object.keys(parse(everyKey))).toEqual(expect.arrayContaining(Object.keys(configSchema()["properties"] ?? {})));
  });

  test("the guide shows sound files and a broken one", () => {
    expect(new Set(shown.map(([, text]) => parseConfig(text).problems.length === 0))).toEqual(new Set([true, false]));
  });

  const cases: readonly (readonly [string, string])[] = [
    ...shown,
    ["every key", everyKey],
    ["an unknown key", "agnet: {}"],
    ["an unknown key inside", "agent: {modle: openai/x}"],
    ["a key in place of its name", "agent: {key: sk-live-123}"],
    ["a tool with the name of what every agent has", "tools: {give_up: cat}"],
    ["a server with a space in its name", "mcp: {a b: {url: 'https://wiki.test/mcp'}}"],
    ["credentials in an address", "agent: {baseUrl: 'https://me:pw@host/'}"],
    ["a price without its half", "prices: {a/b: {input: 3 USD}}"],
    ["a wrong quantity", "retention: {history: soon}"],
    ["two ages", "retention: {runs: 3d or 4d}"],
    ["a driver that does not exist", "sandbox: {driver: chroot}"],
    ["a list", "- a"],
  ];

  test.each(cases)("%s", (_, text) => {
    const { problems } = parseConfig(text);
    expect({ valid: validateConfig(parse(text)), text }).toEqual({ valid: problems.length === 0, text });
  });
});
