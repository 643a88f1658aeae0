import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { receiptShape } from "../../src/wire/receipt.ts";
import { filesUnder, lastLine, Place, start, trammel, type StartOptions, runIn } from "../e2e/support/cli.ts";
import { healthShape } from "../../src/wire/health.ts";
import type { Script } from "../fixtures/model-server/script.ts";
import type { ModelServer } from "../fixtures/model-server/server.ts";
import { countOf, nap } from "../support/naps.ts";
import { areThere, environment, key, mends, modelFor, reals, type Real } from "./ground.ts";

interface Bench {
  readonly model: ModelServer;
  readonly options: StartOptions;
}

/** A broken project, the agent set up for it, and its model. */
async function bench(real: Real, place: Place, script: Script): Promise<Bench> {
  const model = await modelFor(script, onTestFinished);
  mkdirSync(place.path("home"));
  place.file("sum.js", "export const sum = (a, b) => a - b;\n");
  place.file("check.js", 'import { sum } from "./sum.js";\nprocess.exit(sum(2, 3) === 5 ? 0 : 1);\n');
  place.file("package.json", '{"type": "module"}');
  place.file("trammel.yaml", JSON.stringify({ agent: { provider: real.name } }));
  return { model, options: { place, env: environment(real, place, model) } };
}

const one = (more: string): string =>
  `name: one\nentry: a\nnodes: {a: {type: agent, prompt: Do it${more}}}\nedges: [{from: a, to: END}]\n`;

const textOf = (place: Place): string => place.read("sum.js");
const asked = ({ model }: Bench, at: number): string => JSON.stringify(model.requests[at]?.body);

describe.runIf(areThere).each(reals)("$name", (real) => {
  /** How long a whole run of the agent takes here and now: on a busy machine it only starts within half a minute. */
  let wholeRunMs = 0;

  test("mends what a check found broken; its tokens are counted and its key shows nowhere", async () => {
    using place = new Place();
    const { model, options } = await bench(real, place, mends(real, place.path("sum.js")));
    place.file(
      "mend.yaml",
      `
name: mend
entry: check
nodes:
  check: {type: script, run: "node check.js"}
  fix: {type: agent, cap: 2, prompt: "The check fails."}
edges:
  - {from: check, when: success, to: END}
  - {from: check, when: failure, to: fix}
  - {from: fix, to: check}
workspace: {protect: [check.js]}
`,
    );
    const since = performance.now();
    const ran = await trammel(["run", "mend it", "-b", "mend.yaml", "--json"], options);
    wholeRunMs = performance.now() - since;
    expect(lastLine(ran)).toMatchObject({ status: "succeeded", usage: { inputTokens: 300, outputTokens: 30 } });
    expect(textOf(place)).toContain("a + b");
    expect(ran.stdout).toContain(`"type":"diff","path":"sum.js"`);
    expect(ran.stdout).toContain("It subtracted. Now it adds.");
    expect(JSON.stringify(model.requests[0]?.body)).toContain("The check fails.");
    expect(JSON.stringify(model.requests[0]?.headers)).toContain(key);
    const kept = [...filesUnder(place.path(".home")), { name: "output", text: ran.stdout + ran.stderr }];
    expect(kept.filter(({ text }) => text.includes(key)).map(({ name }) => name)).toEqual([]);
  });

  test.each([
    ["y", "a + b"],
    ["n", "a - b"],
  ])("asks a person before it edits (%s)", async (answer, result) => {
    using place = new Place();
    const { options } = await bench(real, place, mends(real, place.path("sum.js")));
    place.file("ask.yaml", one(", policy: ask"));
    const running = start(["run", "x", "-b", "ask.yaml"], { ...options, terminal: true });
    await running.until(/May the agent do this\?[^]*Approve\?/);
    expect(textOf(place)).toContain("a - b");
    running.type(`${answer}\r`);
    const { code } = await running.end;
    expect(textOf(place)).toContain(result);
    expect(code === 0).toBe(answer === "y" || !real.givesUp);
  });

  test("is told no by its policy, before anything is changed", async () => {
    using place = new Place();
    const { options } = await bench(real, place, mends(real, place.path("sum.js")));
    place.file("read.yaml", one(", policy: read_only"));
    const ran = await trammel(["run", "x", "-b", "read.yaml", "--json"], options);
    expect(textOf(place)).toContain("a - b");
    expect(ran.stdout).toMatch(/"type":"permission","tool":"edit","request":"[^"]*","decision":"denied"/);
    expect(lastLine(ran)).toMatchObject({ status: real.givesUp ? "failed" : "succeeded" });
    expect(ran.stdout.includes("gave up, without a word, when it was told no")).toBe(real.givesUp);
  });

  test("writes nothing outside the workspace", async () => {
    using place = new Place();
    const outside = join(dirname(place.folder), `outside-${real.name}-${process.pid}.txt`);
    onTestFinished(() => rmSync(outside, { force: true }));
    const write = { tool: "write_file", input: { file_path: outside, content: "out" } };
    const prepared = await bench(real, place, [{ call: [write] }, { say: "I could not." }]);
    place.file("b.yaml", one(""));
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], prepared.options);
    expect(existsSync(outside)).toBe(false);
    // One agent leaves it to us to say no, the other knows by itself.
    const denied = ran.stdout.includes(`"decision":"denied"`) || asked(prepared, 1).includes(outside);
    expect(denied).toBe(true);
  });

  test("fails where it edits a protected test, which is then as it was", async () => {
    using place = new Place();
    const cheat = {
      file_path: place.path("check.js"),
      old_string: "=== 5",
      new_string: "=== -1",
      instruction: "Pass.",
    };
    const script: Script = [
      { call: [{ tool: "read_file", input: { file_path: place.path("check.js") } }] },
      { call: [{ tool: real.edit, input: cheat }] },
      { say: "All pass now." },
    ];
    const { options } = await bench(real, place, script);
    const before = place.read("check.js");
    place.file("b.yaml", `${one("")}workspace: {protect: [check.js]}\n`);
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], options);
    expect(lastLine(ran)).toMatchObject({ status: "failed", exitCode: 1 });
    expect(ran.stdout).toContain("it changed what it may not: check.js (taken back)");
    expect(place.read("check.js")).toBe(before);
  });

  test.each([
    ["yes", "a + b"],
    ["no", "a - b"],
  ])("asks at a gate of its run, answered %s from another terminal", async (answer, result) => {
    using place = new Place();
    const { options } = await bench(real, place, mends(real, place.path("sum.js")));
    place.file("ask.yaml", one(", policy: ask"));
    const running = start(["run", "x", "-b", "ask.yaml", "--detach", "--json"], options);
    await running.until(/"gate.opened"/);
    const run = runIn(running.stdout);
    expect(textOf(place)).toContain("a - b");
    expect((await trammel(["inbox"], { place })).stdout).toContain("May the agent do this? edit: ");
    expect((await trammel(["answer", run, "a", answer], { place })).code).toBe(0);
    const ran = await running.end;
    expect(textOf(place)).toContain(result);
    expect(lastLine(ran)["status"] === "succeeded").toBe(answer === "yes" || !real.givesUp);
  });

  test("tells what it read outside of its context, and keeps to its turns", async () => {
    using place = new Place();
    const { options } = await bench(real, place, mends(real, place.path("sum.js")));
    place.file("b.yaml", one(", turns: 1, context: {read: [src/**]}"));
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], options);
    expect(lastLine(ran)).toMatchObject({ status: "failed" });
    expect(ran.stdout).toContain("the agent had not finished after 1 tool calls");
    expect(textOf(place)).toContain("a - b");
    const run = String(lastLine(ran)["run"]);
    expect((await trammel(["show", run], { place })).stdout).toContain("! read outside its context: sum.js");
    const { contexts } = receiptShape.parse(JSON.parse((await trammel(["receipt", run], { place })).stdout));
    expect(contexts[0]?.reads).toMatchObject([{ path: "sum.js", how: "outside", digest: expect.any(String) }]);
  });

  test("is started by doctor --probe, which tells its version and that it is ready", async () => {
    using place = new Place();
    const { options, model } = await bench(real, place, [{ say: "x" }]);
    const { checks } = healthShape.parse(JSON.parse((await trammel(["doctor", "--probe", "--json"], options)).stdout));
    expect(checks.find(({ name }) => name === real.name)).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^version \d+\.\d+.*, ready$/),
    });
    expect(model.requests).toEqual([]);
  });

  test("is stopped when its time is over, and nothing that it started is left", { timeout: 300_000 }, async () => {
    using place = new Place();
    const naps = `7${real.name === "qwen" ? 81 : 82}0`;
    const command = `setsid sleep ${nap(naps)} & sleep ${nap(naps)}`;
    const call = [{ tool: "run_shell_command", input: { command, is_background: false, description: "Wait" } }];
    const { options } = await bench(real, place, [{ call }, { say: "Waited." }]);
    const timeoutMs = 12_000 + 2 * wholeRunMs;
    place.file("b.yaml", one(`, timeout: ${Math.ceil(timeoutMs)}ms`));
    const running = start(["run", "x", "-b", "b.yaml", "--json"], options);
    await expect.poll(() => countOf(naps), { timeout: timeoutMs }).toBe(2);
    const ran = await running.end;
    expect(ran.stdout).toContain("still at work when its time was over");
    expect(countOf(naps)).toBe(0);
    const pid = Number(/"process":\{"pid":(\d+)/.exec(ran.stdout)?.[1]);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});

describe.runIf(areThere)("a list of tools", () => {
  test.each(reals)("$name is left these and no others", async (real) => {
    using place = new Place();
    const { model, options } = await bench(real, place, mends(real, place.path("sum.js")));
    place.file("b.yaml", one(", tools: [read, list]"));
    await trammel(["run", "x", "-b", "b.yaml", "--json"], options);
    const offered = JSON.stringify(model.requests[0]?.body);
    const own = real.tools.filter((tool) => offered.includes(`"name":"${tool}"`));
    expect(own).toEqual(real.left);
    expect(textOf(place)).toContain("a - b");
    place.file("c.yaml", one(", tools: [read, git_status]"));
    const refused = await trammel(["run", "x", "-b", "c.yaml"], options);
    expect(refused.stderr).toContain('has no tool like "git_status"');
  });
});
