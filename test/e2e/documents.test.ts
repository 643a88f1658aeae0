import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { diagnosticsShape } from "../../src/wire/diagnostics.ts";
import { Place, type StartOptions, trammel } from "./support/cli.ts";

const good = `name: good\nnodes:\n  a: {type: script, run: "true"}\n`;

async function checked(args: readonly string[], options: StartOptions) {
  const { code, stdout, stderr } = await trammel(["check", ...args], options);
  expect(stderr).not.toMatch(/\n\s+at /);
  return { code, stdout, stderr };
}

describe("check", () => {
  it("is silent about a sound document", async () => {
    using place = new Place();
    expect(await checked([place.file("b.yaml", good)], { place })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("prints place, offender, code and mend of every problem, and exits with 2", async () => {
    using place = new Place();
    place.file("b.yaml", `name: bad\nnodes:\n  a: {type: script, run: "true", timout: 5m}\n  b: {type: shel}\n`);
    const { code, stdout } = await checked(["b.yaml"], { place });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^b\.yaml:3:34: `timout` is no field .*did you mean `timeout`\? \[unknown-field\]$/m);
    expect(stdout).toMatch(/^b\.yaml:4:/m);
  });

  it("checks the blueprints of folders, and those of the project when nothing is named", async () => {
    using place = new Place();
    const bad = good.replace("script", "scritp");
    place.file("flows/deep/bad.yml", bad);
    place.file("flows/good.yaml", good);
    place.file("flows/compose.yaml", "services: {web: {image: nginx}}\n");
    place.file("flows/node_modules/x/bad.yaml", bad);
    place.file("flows/.hidden/bad.yaml", bad);
    const folder = await checked(["flows"], { place });
    expect(folder.code).toBe(2);
    expect(folder.stdout.match(/^\S+:\d+:\d+:/gm)).toEqual(["flows/deep/bad.yml:3:13:"]);
    expect((await checked(["flows/good.yaml", "flows/deep"], { place })).code).toBe(2);
    expect(await checked([], { place })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("trammel check FILE"),
    });
    place.file(".trammel/blueprints/mine.yaml", bad);
    expect((await checked([], { place })).stdout).toMatch(/^\.trammel\/blueprints\/mine\.yaml:3:13:/);
    expect((await checked(["."], { place })).stdout.match(/^\S+:\d+:\d+:/gm)).toHaveLength(2);
  });

  it("knows the tools that are built in and those of the configuration", async () => {
    using place = new Place();
    const node = (tool: string): string => `name: t\nnodes:\n  a: {type: tool, tool: ${tool}}\n`;
    place.file("trammel.yaml", "tools: {deploy: ./deploy.sh}\nmcp: {notes: {url: http://127.0.0.1:9/}}\n");
    for (const tool of ["read", "deploy", "mcp_notes_add"]) {
      expect(await checked([place.file("b.yaml", node(tool))], { place })).toMatchObject({ code: 0, stdout: "" });
    }
    place.file("b.yaml", node("deply"));
    expect((await checked(["b.yaml"], { place })).stdout).toMatch(
      /^b\.yaml:3:25: .*did you mean `deploy`\? \[unknown-tool\]$/m,
    );
  });

  it("gives the same as JSON", async () => {
    using place = new Place();
    place.file("b.yaml", `name: bad\nnodes:\n  a: {type: script, run: "true", timout: 5m}\n`);
    const { code, stdout } = await checked(["b.yaml", "--format", "json"], { place });
    expect(code).toBe(2);
    const { diagnostics } = diagnosticsShape.parse(JSON.parse(stdout));
    expect(diagnostics[0]).toMatchObject({
      code: "unknown-field",
      severity: "error",
      file: "b.yaml",
      line: 3,
      column: 34,
      endLine: 3,
      endColumn: 40,
    });
    expect(Object.keys(diagnostics[0] ?? {})).toEqual([
      "code",
      "severity",
      "file",
      "line",
      "column",
      "endLine",
      "endColumn",
      "message",
      "hint",
    ]);
  });

  it("gives the same as SARIF and as annotations", async () => {
    using place = new Place();
    place.file("b.yaml", `name: bad\nnodes:\n  a: {type: script, run: "true", timout: 5m}\n`);
    const sarif = await checked(["b.yaml", "--format", "sarif"], { place });
    expect(sarif.code).toBe(2);
    expect(JSON.parse(sarif.stdout)).toMatchObject({
      version: "2.1.0",
      runs: [{ results: [{ ruleId: "unknown-field" }] }],
    });
    const github = await checked(["b.yaml", "--format", "github"], { place });
    expect(github.code).toBe(2);
    expect(github.stdout).toMatch(/^::error file=b\.yaml,line=3,/);
  });

  it("prints the most that a run can cost, and gates on it", async () => {
    using place = new Place();
    const loop = `name: l\nentry: fix\nnodes:\n  fix: {type: agent, cap: 3, prompt: mend}\n  test: {type: script, run: npm test}\nedges:\n  - {from: fix, to: test}\n  - {from: test, when: failure, to: fix}\n  - {from: test, when: success, to: END}\n`;
    place.file("b.yaml", loop);
    const text = await checked(["b.yaml", "--bound"], { place });
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^b\.yaml costs at most\n[^]*passes of fix +3\n[^]*cost +unknown\n$/);
    const json = await checked(["b.yaml", "--bound", "--format", "json"], { place });
    expect(diagnosticsShape.parse(JSON.parse(json.stdout)).bounds).toMatchObject([
      { file: "b.yaml", agentPasses: 3, cost: null },
    ]);
    expect((await checked(["b.yaml", "--max-agent-passes", "3"], { place })).code).toBe(0);
    const many = await checked(["b.yaml", "--max-agent-passes", "2"], { place });
    expect(many.code).toBe(2);
    expect(many.stderr).toMatch(/^trammel: b\.yaml allows up to 3 agent passes, more than 2\n/);
    const dear = await checked(["b.yaml", "--max-cost", "5 USD"], { place });
    expect(dear.code).toBe(2);
    expect(dear.stderr).toContain("may cost an unknown amount");
    place.file("b.yaml", `${loop}limits: {cost: 4 USD}\n`);
    expect((await checked(["b.yaml", "--max-cost", "5 USD"], { place })).code).toBe(0);
    expect((await checked(["b.yaml", "--max-cost", "3 USD"], { place })).code).toBe(2);
    expect((await checked(["b.yaml", "--max-cost", "5 EUR"], { place })).code).toBe(2);
  });

  it("follows calls and maps to the most that they can cost, under the configuration", async () => {
    using place = new Place();
    place.file("mend.yaml", `name: mend\nnodes:\n  fix: {type: agent, cap: 2, prompt: mend}\n`);
    const outer = `name: o\nentry: list\nnodes:\n  list: {type: script, run: ls}\n  each:\n    type: map\n    over: "{list}"\n    max: 4\n    do: {entry: one, nodes: {one: {type: call, blueprint: mend}}}\nedges:\n  - {from: list, when: success, to: each}\n`;
    place.file("o.yaml", outer);
    place.file("trammel.yaml", "agent: {turns: 7}\nlimits: {retries: 1}\n");
    const found = await checked(["o.yaml", "--bound", "--format", "json"], { place });
    // Two and four items, each with a call and its agent, which has one start of two attempts with seven turns each.
    expect(diagnosticsShape.parse(JSON.parse(found.stdout)).bounds).toMatchObject([
      { starts: 10, passes: { "each[*]/one/fix": 4 }, agentPasses: 4, turns: 56, unknown: [] },
    ]);
    expect((await checked(["o.yaml", "--max-agent-passes", "4"], { place })).code).toBe(0);
    const many = await checked(["o.yaml", "--max-agent-passes", "3"], { place });
    expect(many).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("allows up to 4 agent passes, more than 3"),
    });
    place.file("o.yaml", outer.replace("blueprint: mend", "blueprint: gone"));
    expect(await checked(["o.yaml"], { place })).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/Call `one` cannot run `gone`: there is no blueprint gone.+\[bad-call\]/),
    });
    place.file("o.yaml", outer.replace("blueprint: mend", "solution: saved"));
    const unknown = await checked(["o.yaml", "--bound", "--max-agent-passes", "9"], { place });
    expect(unknown.code).toBe(2);
    expect(unknown.stdout).toMatch(
      /node starts +unknown\n[^]*model turns +unknown\n[^]*unknown each\[\*\]\/one +there is no library of solutions yet\n/,
    );
    expect(unknown.stderr).toContain("takes an unknown number of agent passes, the most allowed is 9");
  });

  it("explains each code it prints, and no other", async () => {
    using place = new Place();
    const page = await trammel(["explain", "unknown-field"], { place });
    expect(page).toMatchObject({ code: 0, stderr: "" });
    expect(page.stdout).toMatch(/^# unknown-field\n/);
    const unknown = await trammel(["explain", "unknown-feild"], { place });
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(
      /^trammel: there is no code unknown-feild; did you mean unknown-field\?\n  trammel explain lists them\.\n$/,
    );
    const all = await trammel(["explain"], { place });
    expect(all).toMatchObject({ code: 0, stderr: "" });
    expect(all.stdout).toMatch(/^unknown-field +A field does not exist here$/m);
  });

  it("does not reject for a warning", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: w\nentry: a\nnodes:\n  a: {type: script, run: "true"}\n  z: {type: script, run: "true"}\nedges:\n  - {from: a, to: END}\n`,
    );
    const { code, stdout } = await checked(["b.yaml"], { place });
    expect(code).toBe(0);
    expect(stdout).toContain("warning:");
  });
});

describe("a file that is no document", () => {
  it.each<[string, (place: Place) => string, RegExp]>([
    ["a missing file", () => "nowhere.yaml", /^trammel: there is no file nowhere\.yaml\n/],
    [
      "a folder without any",
      (place) => (mkdirSync(place.path("d.yaml")), "d.yaml"),
      /^trammel: there is no blueprint in d\.yaml\n/,
    ],
    [
      "a binary file",
      (place) => place.file("b.yaml", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff, 0xfe])),
      /is not UTF-8 text\n/,
    ],
    ["a file with NUL", (place) => place.file("b.yaml", "name: a\0b\n"), /is not UTF-8 text\n/],
    [
      "a file of 100 MB",
      (place) => (place.file("b.yaml", good), truncateSync(place.path("b.yaml"), 100 * 1024 * 1024), "b.yaml"),
      /^trammel: b\.yaml is larger than 4 MiB/,
    ],
    ["a device without end", () => "/dev/zero", /^trammel: \/dev\/zero is no plain file\n/],
    ["a path through a file", (place) => (place.file("f", ""), "f/b.yaml"), /^trammel: there is no file f\/b\.yaml\n/],
  ])("%s is refused in one sentence", async (_, make, message) => {
    using place = new Place();
    const { code, stdout, stderr } = await checked([make(place)], { place });
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("an empty file has a position", async () => {
    using place = new Place();
    place.file("b.yaml", "");
    const { code, stdout } = await checked(["b.yaml"], { place });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^b\.yaml:1:1: .*\[empty-document\]/);
  });

  it("a file that may not be read says so", async () => {
    using place = new Place();
    place.file("b.yaml", good);
    execFileSync("chmod", ["000", place.path("b.yaml")]);
    execFileSync("chmod", ["755", place.folder]);
    const root = process.getuid?.() === 0;
    const wrapper = root ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const { code, stderr } = await checked(["b.yaml"], { place, wrapper });
    expect(stderr).toBe("trammel: b.yaml may not be read by this user\n");
    expect(code).toBe(2);
  });

  it("still checks the files beside it", async () => {
    using place = new Place();
    place.file("bad.yaml", "name: [");
    const { code, stdout, stderr } = await checked(["nowhere.yaml", "bad.yaml"], { place });
    expect(stderr).toContain("no file nowhere.yaml");
    expect(stdout).toContain("bad.yaml:1:");
    expect(code).toBe(2);
  });
});

describe("new", () => {
  it("writes a blueprint of the name that checks and that run finds; never over another", async () => {
    using place = new Place();
    const first = await trammel(["new", "mend-it"], { place });
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("-b mend-it") });
    expect(await checked([], { place })).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await trammel(["list"], { place })).stdout).toMatch(/^✓ mend-it [^\n]*\ncome with trammel:\n/);
    expect(await trammel(["test", "mend-it"], { place })).toMatchObject({ code: 0, stderr: "" });
    const again = await trammel(["new", "mend-it"], { place });
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("there is a .trammel/blueprints/mend-it.yaml already"),
    });
  });

  it("takes another example, and says which there are", async () => {
    using place = new Place();
    expect((await trammel(["new", "x", "--from", "feature"], { place })).code).toBe(0);
    expect(await trammel(["test"], { place })).toMatchObject({ code: 0, stdout: expect.stringContaining("5 passed") });
    const wrong = await trammel(["new", "y", "--from", "featur"], { place });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("did you mean feature?") });
    expect((await trammel(["new", "Not A Name"], { place })).code).toBe(2);
  });
});

describe("names that every object has", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const chain = names.map((name, at) => {
    const said = `{${names[at - 1] ?? "task"}}`;
    const env = `{__proto__: "{inputs.${name}}", constructor: "${said}"}`;
    return `  ${name}: {type: script, env: ${env}, run: 'env | grep -E "^(__proto__|constructor)=" | sort'}`;
  });
  const document = [
    "name: odd",
    `inputs: {${names.map((name) => `${name}: string`).join(", ")}}`,
    "entry: __proto__",
    "nodes:",
    ...chain,
    `edges: [${names
      .slice(1)
      .map((name, at) => `{from: ${names[at]}, to: ${name}, when: success}`)
      .join(", ")}]`,
  ].join("\n");

  it("are names of nodes, inputs and variables like any other", async () => {
    using place = new Place();
    const file = place.file("b.yaml", document);
    const inputs = names.flatMap((name) => ["--input", `${name}=of-${name}`]);
    const { code, stdout } = await trammel(["run", "the task", "-b", file, ...inputs], { place });
    expect(code).toBe(0);
    for (const name of names) expect(stdout).toContain(`__proto__=of-${name}\n`);
    expect(stdout).toContain("constructor=the task\n");
  });
});
