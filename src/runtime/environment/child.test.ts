import { mkdtempSync, readFileSync, statSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentNode, ScriptNode } from "../../model/node.ts";
import { fileBlobs } from "../blobs/files.ts";
import { blueprintOf } from "../../../test/support/node-bench.ts";
import { createRedactor, type Redactor } from "../redaction/redactor.ts";
import { childEnvironment, type Environment, type EnvironmentRequest } from "./child.ts";
import { providerKeys, secretValues } from "./credentials.ts";

const canary = "CANARY-7f3a";
const base = {
  HOME: "/home/me",
  PATH: "/opt/trammel/node_modules/.bin:/usr/bin:/opt/trammel-tools:/opt/trammel/bin/",
  PWD: "/somewhere",
  GIT_DIR: "/somewhere/.git",
  GIT_INDEX_FILE: "/somewhere/.git/index",
  GIT_AUTHOR_NAME: "Me",
  LC_ALL: "C",
  MY_TOKEN: "mine",
  TRAMMEL_TOKEN: canary,
  TRAMMEL_HOME: "/data",
  TRAMMEL_INPUT_X: "of an outer run",
  UNSET: undefined,
  ...Object.fromEntries([...providerKeys].map((name) => [name, canary])),
};
const script: ScriptNode = { id: "a", type: "script", run: "true" };
let folder: string;
let redactor: Redactor;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "trammel-env-"));
  redactor = createRedactor();
});

afterEach(() => rmSync(folder, { recursive: true }));

function environment(request: Partial<EnvironmentRequest> = {}): Promise<Environment> {
  const stored: Readonly<Record<string, string>> = { DEPLOY_KEY: "stored-key" };
  const make = childEnvironment({
    base,
    ownFolders: ["/opt/trammel"],
    home: "/data",
    ...(Object.keys(request.blueprint?.records ?? {}).length === 0
      ? {}
      : { record: path.join(folder, "tapes"), auditPatterns: ["TODO", "@ts-ignore"] }),
    redactor,
    blobs: fileBlobs(folder),
    secret: async (name) => stored[name] ?? (name === "ANTHROPIC_API_KEY" ? canary : null),
  });
  const node = request.node ?? script;
  return make({
    run: "r1",
    taskId: "T1",
    blueprint: blueprintOf(node, {}, ["api-key", "other"]),
    inputs: {},
    env: {},
    cwd: folder,
    project: folder,
    ...request,
    node,
  });
}

describe("the environment of a script", () => {
  test("is the user's, without Trammel's own and without any provider's key", async () => {
    const env = await environment();
    expect(env).toEqual({
      GIT_AUTHOR_NAME: "Me",
      HOME: "/home/me",
      LC_ALL: "C",
      MY_TOKEN: "mine",
      PATH: "/usr/bin:/opt/trammel-tools",
      TRAMMEL_RUN: "r1",
      TRAMMEL_TASK_ID: "T1",
      TRAMMEL_NODE: "a",
    });
    expect(JSON.stringify(env)).not.toContain(canary);
  });

  test("has inputs, then secrets, then what the node binds; the run's own names stand", async () => {
    const env = await environment({
      inputs: { "base-branch": "main", task: "do it" },
      env: { VERSION: "1", MY_TOKEN: "other", TRAMMEL_RUN: "no" },
    });
    expect(env).toMatchObject({
      TRAMMEL_INPUT_BASE_BRANCH: "main",
      TRAMMEL_INPUT_TASK: "do it",
      VERSION: "1",
      MY_TOKEN: "other",
      TRAMMEL_RUN: "r1",
      TRAMMEL_TASK_ID: "T1",
    });
  });

  test("has the secrets its node names, and they are masked from then on", async () => {
    const node = { ...script, secrets: ["DEPLOY_KEY", "ANTHROPIC_API_KEY", "NOT_SET", "api-key"] };
    const env = await environment({ node, inputs: { "api-key": "input-secret", other: "another-secret", plain: "x" } });
    expect(env).toMatchObject({
      DEPLOY_KEY: "stored-key",
      ANTHROPIC_API_KEY: canary,
      TRAMMEL_INPUT_API_KEY: "input-secret",
    });
    expect(JSON.stringify(env)).not.toContain("another-secret");
    expect(env).not.toHaveProperty("NOT_SET");
    expect(redactor.text(`stored-key ${canary} input-secret`)).toBe("*** *** ***");
  });

  test("has no secret that only another node names, not even the user's own variable", async () => {
    const other = { ...script, id: "b", secrets: ["MY_TOKEN"] };
    const blueprint = { ...blueprintOf(script), nodes: new Map([script, other].map((node) => [node.id, node])) };
    expect(await environment({ blueprint })).not.toHaveProperty("MY_TOKEN");
    expect(await environment({ blueprint, node: other })).toHaveProperty("MY_TOKEN", "mine");
  });

  test("hands a value over 96 KiB over as a file", async () => {
    const large = "é".repeat(50_000);
    const env = await environment({ env: { LARGE: large, MY_TOKEN: large, SMALL: "x", EDGE: "y".repeat(96 * 1024) } });
    expect(env).not.toHaveProperty("LARGE");
    expect(env).not.toHaveProperty("MY_TOKEN");
    expect(env["EDGE"]).toHaveLength(96 * 1024);
    expect(readFileSync(env["LARGE_FILE"] ?? "", "utf8")).toBe(large);
  });

  test("hands one that holds a secret over as a file for this user alone, which is not kept with the blobs", async () => {
    const secret = "s3cret".repeat(20_000);
    redactor.add(secret);
    const { SECRET_FILE: file = "" } = await environment({ env: { SECRET: `key=${secret}` } });
    expect(readFileSync(file, "utf8")).toBe(`key=${secret}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(path.relative(folder, file)).toMatch(/^\.\./);
  });
});

describe("a script is told of its run's settings", () => {
  const records = { state: "notes/state.md", counters: "counts.json", prTemplate: "pr.md" };

  test("what Trammel writes where it works, the state file, the template, the audit and what a person took upon them", async () => {
    const blueprint = { ...blueprintOf(script), records };
    const env = await environment({ blueprint, acceptRisk: true });
    const { TRAMMEL_OWN_FILES: own = "" } = env;
    expect(own.split("\n").map((spec) => spec.replace(":(exclude,glob)", ""))).toEqual(
      "[n]otes/state.md,[n]otes/state.md/**,[c]ounts.json,[c]ounts.json/**,counts.json.*.tmp,counts.json.charge,counts.json.lock,counts.json.lock.*,tapes/*.[0-9]*.jsonl".split(
        ",",
      ),
    );
    expect(env).toMatchObject({
      TRAMMEL_STATE_FILE: path.join(folder, "notes/state.md"),
      TRAMMEL_PR_TEMPLATE: "pr.md",
      TRAMMEL_AUDIT_PATTERNS: "TODO\n@ts-ignore",
      TRAMMEL_ACCEPT_RISK: "1",
    });
  });

  test("of records only where it works in their folder", async () => {
    const blueprint = { ...blueprintOf(script), records };
    const { TRAMMEL_OWN_FILES: own = "" } = await environment({ blueprint, project: "/elsewhere" });
    expect(own).toBe(":(exclude,glob)tapes/*.[0-9]*.jsonl");
  });

  test("and an agent of none of it", async () => {
    const node: AgentNode = { id: "w", type: "agent", prompt: { source: "", parts: [] } };
    const env = await environment({ node, blueprint: { ...blueprintOf(node), records }, acceptRisk: true });
    expect(Object.keys(env).filter((name) => name.startsWith("TRAMMEL_"))).toHaveLength(3);
  });
});

test("an agent's environment is an allow-list", async () => {
  const node: AgentNode = { id: "w", type: "agent", prompt: { source: "", parts: [] } };
  expect(await environment({ node, env: { BOUND: "1" } })).toEqual({
    HOME: "/home/me",
    LC_ALL: "C",
    PATH: "/usr/bin:/opt/trammel-tools",
    BOUND: "1",
    TRAMMEL_RUN: "r1",
    TRAMMEL_TASK_ID: "T1",
    TRAMMEL_NODE: "w",
  });
});

test("provider keys and Trammel's tokens are secrets from the start; its folder is none", () => {
  expect(
    secretValues({ OPENAI_API_KEY: "k1", TRAMMEL_TOKEN: "k2", TRAMMEL_HOME: "/data", HOME: "/h", GROQ_API_KEY: "" }),
  ).toEqual(["k1", "k2"]);
});
