import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Script } from "../fixtures/model-server/script.ts";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { receiptShape } from "../../src/wire/receipt.ts";
import { lastLine, Place, trammel, start, type Finished, runIn } from "./support/cli.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const sha256 = (text: string): string => hash("sha256", text, "hex");

const one = (context: string, more = ""): string =>
  `name: one\nentry: a\nnodes: {a: {type: agent, prompt: Do it, context: ${context}${more}}}\nedges: [{from: a, to: END}]\n`;

/** A repository with a source file, a note and something that git ignores; and a model. */
async function projectWith(place: Place, script: Script): Promise<ModelServer> {
  const model = await serveModel(script);
  servers.push(model);
  place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\n`);
  place.file("src/a.ts", "export const a = 1;\n");
  place.file("notes.md", "# Notes\n");
  place.file("local.txt", "only here\n");
  place.file(".gitignore", "local.txt\n.home\n");
  execFileSync("git", ["init", "-q"], { cwd: place.folder });
  execFileSync("git", ["add", "src", "notes.md", ".gitignore"], { cwd: place.folder });
  return model;
}

async function receiptOf(place: Place, ran: Finished): Promise<ReturnType<typeof receiptShape.parse>> {
  const made = await trammel(["receipt", String(lastLine(ran)["run"])], { place });
  return receiptShape.parse(JSON.parse(made.stdout));
}

describe("an agent with a context", () => {
  it("is refused what it may not read, whatever tool it tries, and the receipt lists what it read", async () => {
    using place = new Place();
    const call = [
      { tool: "read", input: { path: "src/a.ts" } },
      { tool: "read", input: { path: "local.txt" } },
      { tool: "run", input: { command: "cat local.txt | head -1" } },
      { tool: "search", input: { pattern: "only|Notes" } },
    ];
    const model = await projectWith(place, [{ call }, { say: "Done." }]);
    place.file("b.yaml", one('{include: [notes.md, "$ echo listed", "https://issues.test/7"], read: repository}'));
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    const [first, second] = model.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain("--- notes.md\\n# Notes\\n\\n--- $ echo listed\\nlisted\\n\\n--- https://issues.test/7\\n");
    expect(second).toContain("local.txt is not among what may be read here (context.read)");
    expect(second).not.toContain("only here");
    expect(second).toContain("notes.md:1: # Notes");
    const { contexts } = await receiptOf(place, ran);
    const notes = sha256("# Notes\n");
    expect(contexts).toEqual([
      {
        node: "a",
        pass: 1,
        attempt: 1,
        bundle: expect.stringMatching(/^[0-9a-f]{64}$/),
        reads: [
          { path: "notes.md", digest: notes, how: "given" },
          { path: "src/a.ts", digest: sha256("export const a = 1;\n"), how: "read" },
          { path: "local.txt", digest: null, how: "refused" },
          { path: "notes.md", digest: notes, how: "read" },
        ],
        more: false,
      },
    ]);
    const bundle = contexts[0]?.bundle ?? "";
    const text = readFileSync(join(place.home, "blobs", bundle.slice(0, 2), bundle.slice(2)), "utf8");
    expect(sha256(text)).toBe(bundle);
    const shown = await trammel(["show", String(lastLine(ran)["run"])], { place });
    expect(shown.stdout).toContain("! was refused: local.txt");
  });

  it("is given the same again in a retry, though the files have changed meanwhile", async () => {
    using place = new Place();
    const busy = { status: 503, message: "Overloaded" };
    const model = await projectWith(place, [busy, { say: "Done." }]);
    place.file("b.yaml", one('{include: ["$ date +%s%N"]}', ", retry: 3"));
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    const [first, second] = model.requests.map(({ body }) => /date \+%s%N\\n(\d+)/.exec(JSON.stringify(body))?.[1]);
    expect(first).toMatch(/^\d+$/);
    expect(second).toBe(first);
    const { contexts } = await receiptOf(place, ran);
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(new Set(contexts.map(({ bundle }) => bundle)).size).toBe(1);
  });

  it("is given the same again after a crash, in what is left of its pass", async () => {
    using place = new Place();
    const model = await projectWith(place, [{ say: "Let me see.", ends: "hold" }, { say: "Done." }]);
    place.file("b.yaml", one('{include: ["$ date +%s%N"]}'));
    const running = start(["run", "x", "-b", "b.yaml", "--json"], { place });
    await running.until(/"type":"context"/);
    await model.seen(1);
    running.child.kill("SIGKILL");
    await running.end;
    const run = runIn(running.stdout);
    const settled = await trammel(["settle", run, "a", "--as", "again", "--json"], { place });
    expect(lastLine(settled)).toMatchObject({ status: "succeeded" });
    const { contexts } = await receiptOf(place, settled);
    expect(contexts.map(({ pass, attempt }) => [pass, attempt])).toEqual([
      [1, 1],
      [1, 2],
    ]);
    expect(new Set(contexts.map(({ bundle }) => bundle)).size).toBe(1);
  });

  it.each([
    ["a model that may run any command", "", "cannot hold the tool `run`"],
    ["an agent that brings its own tools", ", provider: acp", "brings its own tools"],
  ])("that must be held to it is refused before anything runs: %s", async (_name, more, why) => {
    using place = new Place();
    const model = await projectWith(place, [{ say: "Done." }]);
    const agent = `{model: compatible/scripted, baseUrl: "${model.url}", command: [${process.execPath}, agent.js]}`;
    place.file("trammel.yaml", `agent: ${agent}\n`);
    place.file("b.yaml", one("{read: [src/**], only: require}", more));
    const ran = await trammel(["run", "x", "-b", "b.yaml"], { place });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(why);
    expect(model.requests).toEqual([]);
  });

  it("that must be held to it runs with tools that can be", async () => {
    using place = new Place();
    const call = [{ tool: "read", input: { path: "notes.md" } }];
    const model = await projectWith(place, [{ call }, { say: "Done." }]);
    place.file("b.yaml", one("{read: [src/**], only: require}", ", tools: [read, list]"));
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(JSON.stringify(model.requests[1]?.body)).toContain("notes.md is not among what may be read here");
  });
});
