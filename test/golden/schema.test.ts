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
import { parseTests } from "../../src/testing/parse.ts";
import { testSchema } from "../../src/testing/schema.ts";

const root = join(import.meta.dirname, "../..");
const schemas = [
  ["blueprint", documentSchema()],
  ["config", configSchema()],
  ["test", testSchema()],
] as const;
const ajv = new Ajv({ allErrors: false, strictTypes: false, allowUnionTypes: true });
const validate = ajv.compile(documentSchema());
const validateConfig = ajv.compile(configSchema());
const validateTests = ajv.compile(testSchema());

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
  const validator = file.endsWith(".test.yaml") ? validateTests : validate;
  expect([validator(parse(readFileSync(join(root, file), "utf8"))), validator.errors]).toEqual([true, null]);
});

describe("what has a wrong field, type or value is not", () => {
  const kinds = ["unknown-field", "missing-field", "wrong-type", "invalid-value", "invalid-quantity", "unknown-type"];
  // What a reference brings is no matter of the schema.
  const known = documents("err").filter((file) => !file.endsWith(".values.yaml"));
  test.each(known.filter((file) => kinds.includes(file.split(".")[0] ?? "")))("%s", (file) => {
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
autofix: { lint: npm run lint -- --fix }
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
audit: { patterns: ["@ts-ignore"] }
plugins: [./notes.js, "@acme/more"]
`;

describe("a configuration is valid by the schema exactly where it reads without a problem", () => {
  test("the sample has every key", () => {
    expect(Object.keys(parse(everyKey))).toEqual(
      expect.arrayContaining(Object.keys(configSchema()["properties"] ?? {})),
    );
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

const everyTestKey = `
blueprint: ./deploy.yaml
tests:
  - name: every key
    task: Deploy
    task_id: T1
    inputs: { version: 3, tags: [a, b] }
    config: { commands: { test: npm test }, agent: { tools: [read] } }
    env: { TOKEN: not-real }
    fixture: shop
    files: { src/a.txt: "a\\n" }
    git: true
    cassettes: tapes
    run: [build, test]
    effects: [deploys.log]
    nodes:
      "*": success
      lint: [failure, [error, success], { exit: 2, stderr: "no\\n", stdout: "", output: x }]
      review: approve
      ask: { answer: { why: because }, by: ann }
      each[2]/do: { outcome: error, reason: gone, before_effect: true }
      pick: { option: bug, value: { n: 1 }, ports: { n: 1 }, files: { b.txt: null } }
    expect:
      route: [lint failure, "lint#2 success", [a success, b], …, "..."]
      outcome: succeeded
      exit: 0
      reason: done
      escalation: { node: fix, iteration: 3/3, reason: r, evidence: e }
      outputs: { url: x }
      files: { a.txt: "a\\n", b.txt: null, c.txt: { contains: c }, d.txt: { matches: "^d" } }
      passes: { lint: 2 }
      not_started: [x]
`;

describe("a test file is valid by the schema exactly where it reads without a problem", () => {
  const one = (more: string, expected = "{outcome: failed}"): string =>
    `tests: [{name: a, ${more === "" ? "" : `${more}, `}expect: ${expected}}]`;
  const cases: readonly (readonly [string, string])[] = [
    ["every key", everyTestKey],
    ["the least", one("")],
    ["an unknown key", one("fixtures: x")],
    ["no name", "tests: [{expect: {outcome: failed}}]"],
    ["no expectation", "tests: [{name: a}]"],
    ["an empty expectation", one("", "{}")],
    ["no test", "tests: []"],
    ["a status that is none", one("", "{outcome: success}")],
    ["a route that is no list", one("", "{route: a success}")],
    ["a step with too many words", one("", "{route: [a success b]}")],
    ["two ways to expect a file", one("", "{files: {a: {contains: a, matches: a}}}")],
    ["a file outside the tree", one('files: {"../a": b}')],
    ["a file of the repository itself", one("files: {.git/config: b}")],
    ["an outcome with an unknown key", one("nodes: {a: {outcomes: success}}")],
    ["no pass", one("nodes: {a: []}")],
    ["an exit code that is none", one("nodes: {a: {exit: 256}}")],
    ["a wrong key of the configuration", one("config: {agent: {modle: x}}")],
  ];

  test("the sample has every key of a test", () => {
    const { tests } = parse(everyTestKey) as { tests: readonly [Record<string, unknown>] };
    const { items } = (testSchema()["properties"] as { tests: { items: { properties: object } } }).tests;
    expect(Object.keys(tests[0]).sort()).toEqual(Object.keys(items.properties).sort());
  });

  test.each(cases)("%s", (_, text) => {
    const { problems } = parseTests(text);
    expect({ valid: validateTests(parse(text)), text }).toEqual({ valid: problems.length === 0, text });
  });
});
