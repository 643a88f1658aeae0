import { mkdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventLineShape, runEndShape, runListShape, runReportShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

/** A blueprint of scripts that run one after the other. */
function chain(name: string, scripts: Readonly<Record<string, string>>): string {
  const ids = Object.keys(scripts);
  const nodes = ids.map((id) => `  ${id}: {type: script, run: ${JSON.stringify(scripts[id])}}`);
  const edges = ids.map((id, at) => `  - {from: ${id}, to: ${ids[at + 1] ?? "END"}}`);
  return `name: ${name}\nentry: ${ids[0]}\nnodes:\n${nodes.join("\n")}\nedges:\n${edges.join("\n")}\n`;
}

describe("the machine contract", () => {
  it("prints one event a line, the end last, and the same run in show and runs", async () => {
    using place = new Place();
    place.file("b.yaml", chain("two", { a: "echo one; echo err >&2", b: "echo two" }));
    const ran = await trammel(["run", "the task", "-b", "b.yaml", "--json"], { place });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
    const lines = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const end = runEndShape.parse(lines.at(-1));
    expect(end).toMatchObject({ status: "succeeded", reason: null, exitCode: 0 });
    for (const line of lines.slice(0, -1)) expect(eventLineShape.parse(line)["run"]).toBe(end.run);
    expect(lines.map((line) => line["seq"])).toEqual(lines.map((_, at) => at + 1));
    expect(lines.filter((line) => line["type"] === "run.finished")).toHaveLength(1);

    const shown = await trammel(["show", end.run, "--json"], { place });
    const report = runReportShape.parse(JSON.parse(shown.stdout));
    expect(report).toMatchObject({
      run: end.run,
      blueprint: "two",
      task: "the task",
      status: "succeeded",
      reason: null,
    });
    expect(report.nodes.map(({ id, type, passes, attempts }) => [id, type, passes, attempts.length])).toEqual([
      ["a", "script", 1, 1],
      ["b", "script", 1, 1],
    ]);
    expect(report.nodes[0]?.attempts[0]).toMatchObject({ n: 1, outcome: "success", reason: null });
    expect(report.nodes[0]?.attempts[0]?.output?.split("\n").toSorted()).toEqual(["", "err", "one"]);

    const listed = await trammel(["runs", "--json"], { place });
    expect(runListShape.parse(JSON.parse(listed.stdout)).runs).toMatchObject([
      { run: end.run, blueprint: "two", status: "succeeded" },
    ]);
    const logged = await trammel(["logs", end.run, "--json"], { place });
    expect(logged.stdout.trim().split("\n")).toHaveLength(lines.length);
  });

  it("says of a success which failures it went on past, in every view of it", async () => {
    using place = new Place();
    place.file("b.yaml", chain("past", { a: "exit 3", b: "true", c: "exit 4", d: "true" }));
    const ran = await trammel(["run", "1", "-b", "b.yaml", "--json"], { place });
    const end = runEndShape.parse(lastLine(ran));
    expect(end).toMatchObject({ status: "succeeded", walkedPast: ["a", "c"] });
    const report = runReportShape.parse(JSON.parse((await trammel(["show", end.run, "--json"], { place })).stdout));
    expect(report.walkedPast).toEqual(["a", "c"]);
    for (const command of ["show", "logs"]) {
      const { stdout } = await trammel([command, end.run], { place });
      expect(stdout).toContain("past the failures of a, c");
    }
  });

  it("ends with 70 for a fault of its own, and says that it is one", async () => {
    using place = new Place();
    place.file("b.yaml", chain("one", { a: "true" }));
    const { run } = lastLine(await trammel(["run", "1", "-b", "b.yaml", "--json"], { place }));
    place.file("fault.cjs", `Array.prototype.toReversed = () => { throw new TypeError("planted"); };`);
    const env = { NODE_OPTIONS: `--require="${place.path("fault.cjs")}"` };
    const shown = await trammel(["show", String(run)], { place, env });
    expect(shown).toMatchObject({ code: 70, stdout: "" });
    expect(shown.stderr).toMatch(/^trammel: internal error: planted\n.*report it/);
  });

  it("lists the newest run first and finds a run by the beginning of its id", async () => {
    using place = new Place();
    place.file("b.yaml", chain("one", { a: "true" }));
    const first = await trammel(["run", "1", "-b", "b.yaml", "--json"], { place });
    const second = await trammel(["run", "2", "-b", "b.yaml", "--json"], { place });
    const ids = [second, first].map((run) => lastLine(run)["run"]);
    const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
    expect(runs.map((run) => run.run)).toEqual(ids);
    const found = await trammel(["show", String(ids[0]).slice(0, -1), "--json"], { place });
    expect(runReportShape.parse(JSON.parse(found.stdout)).run).toBe(ids[0]);
  });

  it.each<[string, string, number, string]>([
    ["a failing script", chain("f", { a: "exit 3" }), 1, "failed"],
    [
      "a failure that leads to END",
      `name: f\nentry: a\nnodes:\n  a: {type: script, run: "false"}\nedges:\n  - {from: a, when: failure, to: END}\n  - {from: a, when: success, to: END}\n`,
      1,
      "failed",
    ],
    [
      "the limit of steps",
      `name: l\nentry: a\nlimits: {steps: 3}\nnodes:\n  a: {type: script, run: "false"}\nedges:\n  - {from: a, when: failure, to: a}\n  - {from: a, when: success, to: END}\n`,
      4,
      "limit",
    ],
    [
      "an escalated failure",
      `name: e\nescalate: [failure]\nentry: a\nnodes:\n  a: {type: script, run: "echo E42 >&2; exit 1"}\nedges:\n  - {from: a, to: END}\n`,
      3,
      "escalated",
    ],
  ])("ends %s with its own exit code", async (_, text, code, status) => {
    using place = new Place();
    place.file("b.yaml", text);
    const ran = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
    expect(ran.code).toBe(code);
    expect(runEndShape.parse(lastLine(ran))).toMatchObject({ status, exitCode: code });
  });

  it("prints the escalation on standard output, under --json on standard error", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: e\nescalate: [failure]\nentry: a\nnodes:\n  a: {type: script, run: "echo E42 >&2; exit 1"}\nedges:\n  - {from: a, to: END}\n`,
    );
    const plain = await trammel(["run", "t", "-b", "b.yaml", "--task-id", "T7"], { place });
    const block =
      /^BLUEPRINT_ESCALATION\ntask_id: T7\nnode: a\niteration: 1\/1\nreason: .+\nevidence: E42\nnext_action: Human review required — do not retry automatically\n/m;
    expect(plain.stdout).toMatch(block);
    expect(plain.stderr).toMatch(/\nrun \S+ escalated\n {2}See/);
    expect(plain.stderr).toMatch(/trammel resolve \S+ --node a --as done\|failed\|again --reason TEXT\n$/);
    const json = await trammel(["run", "t", "-b", "b.yaml", "--task-id", "T7", "--json"], { place });
    expect(json.stderr).toMatch(block);
    expect(json.stdout).not.toContain("BLUEPRINT_ESCALATION");
  });
});

describe("run", () => {
  it("prints results on standard output and progress on standard error", async () => {
    using place = new Place();
    place.file("b.yaml", chain("two", { a: "echo first", b: "echo last" }));
    const { code, stdout, stderr } = await trammel(["run", "t", "-b", "b.yaml"], { place });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "last\n" });
    expect(stderr).toMatch(/a started\n.*a success\n.*b started\n.*b success\n.*succeeded\n/);
  });

  it("prints the outputs that the blueprint declares", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: o\noutputs:\n  version: {type: string, from: "{a}"}\nentry: a\nnodes:\n  a: {type: script, run: "echo 1.2.3"}\n  b: {type: script, run: "echo noise"}\nedges:\n  - {from: a, to: b}\n`,
    );
    expect((await trammel(["run", "t", "-b", "b.yaml"], { place })).stdout).toBe("version: 1.2.3\n");
  });

  it("hands the task and typed inputs to the nodes", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: i\ninputs:\n  name: string\n  times: integer\n  extra: {type: string, default: none}\nentry: a\nnodes:\n  a: {type: script, run: 'printf "%s|%s|%s|%s" "$TASK" "$NAME" "$TIMES" "$EXTRA" > out', env: {TASK: "{task}", NAME: "{inputs.name}", TIMES: "{inputs.times}", EXTRA: "{inputs.extra}"}}\n`,
    );
    place.file("in.yaml", "name: from file\ntimes: 1\n");
    const { code, stderr } = await trammel(
      ["run", "do it", "-b", "b.yaml", "--input-file", "in.yaml", "--input", "times=3"],
      { place },
    );
    expect(stderr).not.toContain("trammel:");
    expect(code).toBe(0);
    expect(place.read("out")).toBe("do it|from file|3|none");
  });

  it.each<[string, readonly string[], RegExp]>([
    ["an input without a value", ["--input", "name"], /--input number 1 is not name=value/],
    ["an input of the wrong type", ["--input", "times=many"], /input "times" is not an integer/],
    ["an input that is not declared", ["--input", "nmae=x", "--input", "name=x"], /nmae/],
    ["a missing input", [], /name/],
    ["no step at all", ["--max-steps", "0"], /whole number from 1 on/],
    ["a working folder that is none", ["--cwd", "nowhere"], /--cwd nowhere is no folder/],
  ])("refuses %s before anything runs", async (_, args, message) => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: i\ninputs:\n  name: string\n  times: {type: integer, default: 1}\nentry: a\nnodes:\n  a: {type: script, run: "touch ran"}\n`,
    );
    const { code, stdout, stderr } = await trammel(["run", "t", "-b", "b.yaml", ...args], { place });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(() => readFileSync(place.path("ran"))).toThrow("ENOENT");
  });

  it("refuses a document with an error, and shows a warning and goes on", async () => {
    using place = new Place();
    place.file("bad.yaml", `name: b\nnodes:\n  a: {type: script, run: "touch ran", timout: 1}\n`);
    const bad = await trammel(["run", "t", "-b", "bad.yaml"], { place });
    expect(bad.code).toBe(2);
    expect(bad.stderr).toContain("[unknown-field]");
    place.file(
      "warn.yaml",
      `name: w\nentry: a\nnodes:\n  a: {type: script, run: "true"}\n  z: {type: script, run: "true"}\nedges:\n  - {from: a, to: END}\n`,
    );
    const warned = await trammel(["run", "t", "-b", "warn.yaml"], { place });
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain("warning:");
  });

  it("finds a blueprint by name, the default of the project, and names what there is", async () => {
    using place = new Place();
    mkdirSync(place.path(".trammel/blueprints"), { recursive: true });
    place.file(".trammel/blueprints/hello.yaml", chain("hello", { a: "echo hello" }));
    expect((await trammel(["run", "t", "-b", "hello"], { place })).stdout).toBe("hello\n");
    const unknown = await trammel(["run", "t", "-b", "helo"], { place });
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(
      /there is no blueprint helo.*; did you mean hello\?\n {2}There are: hello; with trammel come: bugfix, /,
    );
    const asTask = await trammel(["run", "hello"], { place });
    expect(asTask).toMatchObject({ code: 2, stdout: "" });
    expect(asTask.stderr).toContain("To run it: trammel run -b hello\n");
    place.file("other.yaml", chain("other", { a: "true" }));
    expect((await trammel(["run", "other.yaml"], { place })).stderr).toContain("run it: trammel run -b other.yaml\n");
    expect(await trammel(["check", "hello"], { place })).toMatchObject({ code: 0, stderr: "" });
    expect((await trammel(["check", "helo"], { place })).stderr).toContain("did you mean hello?");
    const none = await trammel(["run", "t"], { place });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("trammel run TASK -b NAME. There are: hello\n");
    place.file("trammel.yaml", "default: hello\n");
    expect((await trammel(["run", "t"], { place })).stdout).toBe("hello\n");
    expect(await trammel(["run", "other.yaml"], { place })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(
        "To run the file: trammel run -b other.yaml. To give hello that task: trammel run other.yaml -b hello\n",
      ),
    });
    expect((await trammel(["run", "other.yaml", "-b", "hello"], { place })).stdout).toBe("hello\n");
    place.file("unreadable.yaml", Buffer.from([0xff, 0xfe]));
    expect(await trammel(["run", "unreadable.yaml"], { place })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("To run the file: trammel run -b unreadable.yaml."),
    });
  });

  it("refuses a configuration with an unknown key where it stands", async () => {
    using place = new Place();
    place.file("b.yaml", chain("one", { a: "true" }));
    place.file("trammel.yaml", "agent:\n  modle: x\n");
    const { code, stderr } = await trammel(["run", "t", "-b", "b.yaml"], { place });
    expect(code).toBe(2);
    expect(stderr).toMatch(/trammel\.yaml:2:3: `modle` is no field .*did you mean `model`/);
  });

  it("works where the blueprint says, from the folder of the run", async () => {
    using place = new Place();
    mkdirSync(place.path("below/deeper"), { recursive: true });
    place.file("b.yaml", `name: w\nworkspace: {cwd: deeper}\nnodes:\n  a: {type: script, run: pwd}\n`);
    const ran = await trammel(["run", "t", "-b", "b.yaml", "--cwd", "below"], { place });
    expect(ran.stdout.trim()).toMatch(/\/below\/deeper$/);
    const gone = await trammel(["run", "t", "-b", "b.yaml"], { place });
    expect(gone).toMatchObject({ code: 2, stdout: "" });
    expect(gone.stderr).toMatch(/the working folder .*deeper does not exist/);
  });

  it("ends with 6 when the store cannot be written, and runs nothing", async () => {
    using place = new Place();
    place.file("file", "");
    place.file("b.yaml", chain("one", { a: "touch ran" }));
    const { code, stdout, stderr } = await trammel(["run", "t", "-b", "b.yaml"], {
      place,
      env: { TRAMMEL_HOME: place.path("file/home") },
    });
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toMatch(/^trammel: .+\n {2}.+\n$/);
    expect(() => readFileSync(place.path("ran"))).toThrow("ENOENT");
  });
});

describe("what a child gets", () => {
  it("is the user's environment without any credential, also one that only the configuration names", async () => {
    using place = new Place();
    place.file("b.yaml", `name: e\nnodes:\n  a: {type: script, run: "env > out"}\n`);
    place.file("trammel.yaml", `agent: {model: compatible/x, baseUrl: "http://127.0.0.1:9/v1", key: LOCAL_LLM}\n`);
    const canary = "CANARY-5d1c";
    const env = { TRAMMEL_TOKEN: canary, ANTHROPIC_API_KEY: canary, LOCAL_LLM: canary, MINE: "kept" };
    expect((await trammel(["run", "t", "-b", "b.yaml"], { place, env })).code).toBe(0);
    const seen = place.read("out");
    expect(seen).not.toContain(canary);
    expect(seen).toContain("MINE=kept");
    expect(seen).not.toContain("TRAMMEL_HOME");
    expect(seen).toMatch(/^TRAMMEL_NODE=a$/m);
  });

  it("is an empty standard input", async () => {
    using place = new Place();
    place.file("b.yaml", `name: e\nnodes:\n  a: {type: script, run: "wc -c"}\n`);
    const ran = await trammel(["run", "t", "-b", "b.yaml"], { place, input: "typed" });
    expect(ran.stdout.trim()).toBe("0");
  });
});
