import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { recordDemo } from "../../scripts/record-demo.ts";
import type { Script } from "../fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { filesUnder, lastLine, Place, root, start, trammel } from "./support/cli.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const loop = `
name: mend
entry: test
nodes:
  test: {type: script, run: npm test --silent}
  fix: {type: agent, cap: 2, prompt: "The tests fail: {test}"}
edges:
  - {from: test, when: success, to: END}
  - {from: test, when: failure, to: fix}
  - {from: fix, to: test}
`;

/** A project whose `npm test` fails, and a model that says what its script says. */
async function projectWith(place: Place, script: Script, more = ""): Promise<ModelServer> {
  const model = await serveModel(script);
  servers.push(model);
  place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"${more}}\n`);
  place.file("mend.yaml", loop);
  place.file("package.json", '{"name": "sum", "type": "module", "scripts": {"test": "node --test"}}');
  place.file("sum.js", "export const sum = (a, b) => a - b;\n");
  const check = 'test("adds", () => assert.equal(sum(2, 3), 5));\n';
  place.file(
    "sum.test.js",
    `import assert from "node:assert";\nimport { test } from "node:test";\nimport { sum } from "./sum.js";\n${check}`,
  );
  return model;
}

const mend: Script = [
  {
    call: [
      { tool: "read", input: { path: "sum.js" } },
      { tool: "run", input: { command: "npm test --silent" } },
    ],
  },
  { call: [{ tool: "edit", input: { path: "sum.js", old_text: "a - b", new_text: "a + b" } }] },
  { say: "It subtracted. Now it adds." },
];

describe("an agent", () => {
  it("reads, runs, edits, and the file is right", async () => {
    using place = new Place();
    const model = await projectWith(place, mend);
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(await readFile(place.path("sum.js"), "utf8")).toBe("export const sum = (a, b) => a + b;\n");
    expect(model.requests).toHaveLength(3);
    expect(JSON.stringify(model.requests[0]?.body)).toContain("The tests fail: ");
    const second = JSON.stringify(model.requests[1]?.body);
    expect(second).toContain("a - b");
    expect(second).toContain("exit");
    const shown = await trammel(["show", String(lastLine(ran)["run"]), "--json"], { place });
    const { nodes } = JSON.parse(shown.stdout) as {
      nodes: readonly { id: string; passes: number; attempts: readonly { output: string }[] }[];
    };
    expect(nodes.find(({ id }) => id === "fix")).toMatchObject({
      passes: 1,
      attempts: [{ output: "It subtracted. Now it adds." }],
    });
  });

  it("that is recorded can be replayed on the same project without a model", async () => {
    using place = new Place();
    await projectWith(place, mend);
    // What the test runner prints has times in it: the prompt must not.
    const untimed = loop.replace(": {test}", "");
    place.file("mend.yaml", untimed.replace("cap: 2", "cap: 2, writes: [sum.js]"));
    execFileSync("git", ["init", "-q"], { cwd: place.folder });
    const recorded = await trammel(["run", "mend it", "-b", "mend.yaml", "--record", "tapes", "--json"], { place });
    expect(lastLine(recorded)).toMatchObject({ status: "succeeded" });
    const changed = (await trammel(["diff", String(lastLine(recorded)["run"])], { place })).stdout;
    expect(changed).toContain("sum.js");
    expect(changed).not.toContain("tapes");
    place.file("sum.js", "export const sum = (a, b) => a - b;\n");
    place.file("trammel.yaml", "agent: {provider: replay, cassettes: tapes}\n");
    const replayed = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(lastLine(replayed)).toMatchObject({ status: "succeeded" });
    expect(await readFile(place.path("sum.js"), "utf8")).toBe("export const sum = (a, b) => a + b;\n");
    place.file("sum.js", "export const sum = () => 0;\n");
    const other = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(lastLine(other)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("sum.js is not what it was"),
    });
  });

  it.each([
    ["a wrong key", [{ status: 401, message: "No such key" }], "401 No such key"],
    ["a cut connection", [{ say: "I am", ends: "cut" }], "connection"],
    ["a refusal", [{ say: "I will not.", finish: "refusal" }], "refused"],
  ] as const)("that meets %s fails its run, and says so", async (_name, script, why) => {
    using place = new Place();
    await projectWith(place, script);
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(ran.code).not.toBe(0);
    expect(JSON.stringify(lastLine(ran)["reason"]) + ran.stdout).toContain(why);
  });

  it("that is out of quota is waited for as long as the provider says", async () => {
    using place = new Place();
    const quota = { status: 429, message: "Slow down", headers: { "retry-after": "1" } };
    const model = await projectWith(place, [quota, ...mend]);
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(ran.stdout).toContain('"type":"node.retrying"');
    expect(model.requests).toHaveLength(4);
  });

  it.each([
    ["y", "ran"],
    ["n", "a person said no"],
  ])("that needs a person's leave asks at the terminal (%s)", async (answer, told) => {
    using place = new Place();
    const call = [{ tool: "run", input: { command: "echo ran" } }];
    const model = await projectWith(place, [{ call }, { say: "Done." }], ", policy: ask");
    place.file(
      "ask.yaml",
      "name: ask\nentry: a\nnodes: {a: {type: agent, prompt: Do it}}\nedges: [{from: a, to: END}]\n",
    );
    const running = start(["run", "x", "-b", "ask.yaml"], { place, terminal: true });
    await running.until(/May the agent do this\?[^]*Approve\?/);
    await running.until(/run: echo ran/);
    running.type(`${answer}\r`);
    expect((await running.end).code).toBe(0);
    expect(JSON.stringify(model.requests[1]?.body)).toContain(told);
  });

  it("that waits for its model stops at once with its run", async () => {
    using place = new Place();
    const model = await projectWith(place, [{ say: "Let me think.", ends: "hold" }]);
    const running = start(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    await model.seen(1);
    running.child.kill("SIGINT");
    const ended = await running.end;
    expect(lastLine(ended)).toMatchObject({ status: "stopped", exitCode: 130 });
    await model.released;
  });

  it("that makes a test pass by changing it fails, and the test is as it was", async () => {
    using place = new Place();
    const cheat = { path: "sum.test.js", old_text: "5", new_text: "-1" };
    await projectWith(place, [{ call: [{ tool: "edit", input: cheat }] }, { say: "All pass now." }]);
    place.file("mend.yaml", `${loop}workspace: {protect: ["*.test.js"]}\n`);
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "escalated" });
    expect(ran.stdout).toContain("it changed what it may not: sum.test.js (taken back)");
    expect(await readFile(place.path("sum.test.js"), "utf8")).toContain("sum(2, 3), 5");
  });

  it.each([
    ["tokens", "{tokens: 250}", "limits.tokens is 250, and 330 are used"],
    ["cost", "{cost: 0.01 EUR}", "limits.cost is 0.01 EUR"],
  ])("ends where the run's limit of %s is passed", async (_name, limits, why) => {
    using place = new Place();
    const model = await projectWith(place, [{ call: [{ tool: "run", input: { command: "true" } }] }]);
    const prices = "prices: {compatible/scripted: {input: 50 EUR, output: 50 EUR}}\n";
    place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\n${prices}`);
    place.file("mend.yaml", `${loop}limits: ${limits}\n`);
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "limit", reason: expect.stringContaining(why), exitCode: 4 });
    expect(model.requests.length).toBeLessThan(6);
  });

  it("of a provider that counts nothing ends at the limit too, and what it cost is marked as estimated", async () => {
    using place = new Place();
    const model = await projectWith(place, [{ call: [{ tool: "run", input: { command: "true" } }], uncounted: true }]);
    const prices = "prices: {compatible/scripted: {input: 50 EUR, output: 50 EUR}}\n";
    place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\n${prices}`);
    place.file("mend.yaml", `${loop}limits: {tokens: 6000}\n`);
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "limit", usage: { estimated: true, currency: "EUR" } });
    expect(model.requests.length).toBeLessThan(6);
    const run = String(lastLine(ran)["run"]);
    const shown = await trammel(["show", run], { place });
    expect(shown.stdout).toMatch(/^used +~[\d.]+k tokens · ~0\.\d+ EUR$/m);
    const receipt = await trammel(["receipt", run], { place });
    expect(JSON.parse(receipt.stdout)).toMatchObject({ usage: { currency: "EUR", estimated: true } });
  });

  it("is refused before anything runs where none is set up, with the ways to set one up", async () => {
    using place = new Place();
    place.file("mend.yaml", loop.replace("npm test --silent", "touch ran"));
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml"], {
      place,
      env: { ANTHROPIC_API_KEY: "found-by-accident" },
    });
    expect(ran.code).toBe(2);
    for (const way of ["vendor's key", "agent on the PATH", "OpenAI-compatible server"])
      expect(ran.stderr).toContain(way);
    expect(readdirSync(place.folder)).not.toContain("ran");
  });
});

describe("a key", () => {
  it("is not sent where a cloned project points, and the run says so before anything runs", async () => {
    using place = new Place();
    const model = await projectWith(place, mend);
    const url = new URL(model.url).origin;
    place.file("mend.yaml", loop.replace("npm test --silent", "touch ran"));
    for (const access of ["model: openai/gpt-5", "model: compatible/x, key: GH_TOKEN", "model: google/gemini"]) {
      place.file("trammel.yaml", `agent: {${access}, baseUrl: "${model.url}"}\n`);
      const ran = await trammel(["run", "mend it", "-b", "mend.yaml"], {
        place,
        env: { OPENAI_API_KEY: "sk-canary", GH_TOKEN: "gh-canary", GEMINI_API_KEY: "g-canary" },
      });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toMatch(new RegExp(`\\w+ is not sent to ${url}.*keys: \\{\\w+: \\[${url}\\]\\}`));
    }
    place.file("trammel.yaml", `mcp: {wiki: {url: "${model.url}", key: GH_TOKEN}}\n`);
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml"], { place, env: { GH_TOKEN: "gh-canary" } });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("mcp.wiki: GH_TOKEN is not sent to") });
    expect(model.requests).toEqual([]);
    expect(readdirSync(place.folder)).not.toContain("ran");
  });

  it("is in no prompt, event, cassette, journal, blob or error, whatever the agent runs and the provider answers", async () => {
    using place = new Place();
    const [key, other] = ["canary-of-the-model-5b1", "canary-of-the-user-9c2"];
    const print = 'env; echo "$MODEL_KEY $ANTHROPIC_API_KEY"; cat tokens.txt; cat tokens.txt | base64';
    const model = await projectWith(
      place,
      [
        {
          call: [
            { tool: "run", input: { command: print } },
            { tool: "read", input: { path: "tokens.txt" } },
          ],
        },
        { status: 401, message: `Incorrect API key provided: ${key}` },
      ],
      ", key: MODEL_KEY",
    );
    place.file(".config/trammel/config.yaml", `keys: {MODEL_KEY: ["${model.url}"]}\n`);
    place.file("tokens.txt", `${key}\n${other}\n`);
    place.file("mend.yaml", loop.replace("npm test --silent", "cat tokens.txt; false"));
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--record", "tapes", "--json"], {
      place,
      env: { MODEL_KEY: key, ANTHROPIC_API_KEY: other },
    });
    expect(ran.code).not.toBe(0);
    expect(model.requests).toHaveLength(2);
    expect(model.requests[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
    const kept = [place.home, place.path("tapes")].flatMap(filesUnder);
    expect(kept.map(({ name }) => name)).toContain("fix.1.jsonl");
    const places = [
      ...kept,
      { name: "output", text: ran.stdout + ran.stderr },
      ...model.requests.map(({ body }) => ({ name: "request", text: JSON.stringify(body) })),
    ];
    const secrets = [key, other, Buffer.from(`${key}\n${other}\n`).toString("base64").slice(0, 24)];
    expect(
      places.filter(({ text }) => secrets.some((secret) => text.includes(secret))).map(({ name }) => name),
    ).toEqual([]);
  });
});

describe("the demo's cassette", () => {
  it("is what scripts/record-demo.ts records", async () => {
    using place = new Place();
    await mkdir(place.path("tapes"));
    await recordDemo(place.path("tapes"));
    const committed = join(root, "examples", "demo-cassettes");
    expect(filesUnder(place.path("tapes"))).toEqual(filesUnder(committed));
  });
});
