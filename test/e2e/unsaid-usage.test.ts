import { afterEach, describe, expect, it } from "vitest";
import { serveModel, type ModelServer } from "../fixtures/model-server/server.ts";
import { lastLine, Place, runIn, start, trammel } from "./support/cli.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const limits = "limits: {tokens: 5000}";
const bounded = `name: bounded
${limits}
nodes:
  write: {type: agent, prompt: Write it.}
`;

/** Kills the engine while the model speaks its first words, and answers the run's id. */
async function killed(place: Place, file: string): Promise<string> {
  const model = await serveModel([{ say: "I look", ends: "hold" }, { say: "It is written." }]);
  servers.push(model);
  place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\n`);
  place.file("b.yaml", bounded);
  place.file("o.yaml", `name: outer\n${limits}\nnodes:\n  sub: {type: call, blueprint: ./b.yaml}\n`);
  const run = start(["run", "t", "-b", file, "--json"], { place });
  await model.seen(1);
  await run.until(/"node\.started"/);
  run.child.kill("SIGKILL");
  await run.end;
  return runIn(run.stdout);
}

describe("an agent whose engine is killed in its first turn, under a budget", () => {
  it.each([
    ["b.yaml", "write"],
    ["o.yaml", "sub/write"],
  ])("of %s is not asked again before a person says what it used", async (file, node) => {
    using place = new Place();
    const run = await killed(place, file);
    const resumed = await trammel(["resume", run, "--plain"], { place });
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).toContain(
      `  Say what became of it: trammel settle ${run} ${node} --as done|failed|again\n` +
        "  and what was used that nobody has said: --used-tokens N\n",
    );
    const again = ["settle", run, node, "--as", "again"];
    const refused = await trammel(again, { place });
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("has not said how many it used");
    expect(refused.stderr).toContain("  say what was used that nobody has said: add --used-tokens N\n");
    const spent = await trammel([...again, "--used-tokens", "5000"], { place });
    expect([spent.code, spent.stderr]).toEqual([2, expect.stringContaining("would not begin again: limits.tokens")]);
    const done = await trammel([...again, "--used-tokens", "700", "--json"], { place });
    expect(lastLine(done)).toMatchObject({ status: "succeeded", usage: { inputTokens: expect.any(Number) } });
    expect((await trammel(["replay", run], { place })).code).toBe(0);
    const logged = await trammel(["logs", run], { place });
    expect(logged.stdout.includes(" (used 700 tokens)")).toBe(node === "write");
    place.file("r.json", (await trammel(["receipt", run], { place })).stdout);
    expect((await trammel(["verify", "r.json"], { place })).code).toBe(0);
  });

  it("is asked about at a terminal, until the answer is an amount", async () => {
    using place = new Place();
    const run = await killed(place, "b.yaml");
    const asked = start(["resume", run], { place, terminal: true });
    await asked.until(/One of 1–4/);
    asked.type("again\r");
    await asked.until(/write: how many tokens have agents used/);
    asked.type("many\r");
    await asked.until(/write: that is no amount; how many/);
    asked.type("700\r");
    expect((await asked.end).code).toBe(0);
    expect((await trammel(["logs", run], { place })).stdout).toContain("(used 700 tokens)");
  });

  it("takes no word about what was said", async () => {
    using place = new Place();
    place.file("b.yaml", "name: b\nnodes:\n  a: {type: script, run: 'kill -9 $PPID'}\n");
    await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
    const { runs } = JSON.parse((await trammel(["runs", "--json"], { place })).stdout) as { runs: { run: string }[] };
    const run = runs[0]?.run ?? "";
    const settled = await trammel(["settle", run, "a", "--as", "done", "--used-tokens", "3"], { place });
    expect(settled.code).toBe(2);
    expect(settled.stderr).toBe(
      `trammel: all agents of run ${run} have said what they used\n  leave out --used-tokens and --used-cost\n`,
    );
  });
});
