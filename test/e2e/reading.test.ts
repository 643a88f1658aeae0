import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/parse.ts";
import { blueprintListShape } from "../../src/wire/blueprint-list.ts";
import { healthShape } from "../../src/wire/health.ts";
import { lastLine, Place, start, trammel, runIn } from "./support/cli.ts";

describe("show", () => {
  it("tells people what each attempt did and said, and lets nothing act on the terminal", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: two\nentry: a\nnodes:\n  a: {type: script, run: "printf '\\\\033[31mred\\\\033[0m\\\\n'; exit 4"}\n  b: {type: script, run: "true"}\nedges:\n  - {from: a, when: failure, to: b}\n  - {from: a, when: success, to: END}\n`,
    );
    const ran = await trammel(["run", "look", "-b", "b.yaml", "--json"], { place });
    const { code, stdout } = await trammel(["show", String(lastLine(ran)["run"])], { place });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^blueprint {2}two$/m);
    expect(stdout).toMatch(/^task {7}look$/m);
    expect(stdout).toMatch(/^✗ a \(script\)\n {4}1\. failure: .*4.*\n {4} *│ red$/m);
    expect(stdout).toMatch(/^✓ b \(script\)$/m);
    expect(stdout).not.toContain("\u001b");
  });
});

describe("show of a blueprint", () => {
  it("draws it at a glance, and writes out what its flow stands for", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      `name: f\nflow: test → [mend] → done\nnodes:\n  test: {type: script, run: npm test}\n  mend: {type: script, run: npm run mend}\n  done: {type: script, run: "true"}\n`,
    );
    const glance = await trammel(["show", "b.yaml"], { place });
    expect(glance).toMatchObject({ code: 0, stderr: "" });
    expect(glance.stdout).toMatch(/^f\n {2}■ test {2}script, .*the entry\n[^]*mend → test .*\(a new pass\)\n/);
    const expanded = await trammel(["show", "b.yaml", "--expanded"], { place });
    expect(expanded.stdout).toMatch(/^ {2}- \{from: test, when: failure, to: mend\}$/m);
    expect(expanded.stdout).toMatch(/^# mend → test starts a new pass$/m);
    place.file("again.yaml", expanded.stdout);
    expect((await trammel(["check", "again.yaml"], { place })).code).toBe(0);
    const asJson = await trammel(["show", "b.yaml", "--json"], { place });
    expect(asJson).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("b.yaml is a blueprint") });
    place.file("bad.yaml", "name: [");
    expect(await trammel(["show", "bad.yaml"], { place })).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("logs", () => {
  it("prints one line an event", async () => {
    using place = new Place();
    place.file("b.yaml", `name: one\nnodes:\n  a: {type: script, run: "true"}\n`);
    const ran = await trammel(["run", "look", "-b", "b.yaml", "--json"], { place });
    const { stdout } = await trammel(["logs", String(lastLine(ran)["run"])], { place });
    expect(stdout).toMatch(
      /^ +0\.0s {2}run one: look\n +\d\.\ds {2}a started\n +\d\.\ds {2}a success\n +\d\.\ds {2}succeeded\n$/,
    );
  });

  it("follows a run of another process to its end", async () => {
    using place = new Place();
    place.file("b.yaml", `name: one\nnodes:\n  a: {type: script, run: "until test -e go; do sleep 0.05; done"}\n`);
    const run = start(["run", "look", "-b", "b.yaml", "--json"], { place });
    await run.until(/node\.process/);
    const id = runIn(run.stdout);
    const logs = start(["logs", "-f", id], { place });
    await logs.until(/a started/);
    place.file("go", "");
    const { code, stdout } = await logs.end;
    expect(code).toBe(0);
    expect(stdout).toMatch(/a success\n.*succeeded\n$/);
    expect((await run.end).code).toBe(0);
  });
});

describe("init", () => {
  it("writes what the project's files suggest, which checks, and never over what is there", async () => {
    using place = new Place();
    place.file("package.json", JSON.stringify({ scripts: { test: "node --test", lint: "true" } }));
    const made = await trammel(["init"], { place });
    expect(made).toMatchObject({ code: 0, stdout: "wrote trammel.yaml: commands from package.json\n", stderr: "" });
    const text = place.read("trammel.yaml");
    expect(parseConfig(text)).toMatchObject({
      problems: [],
      config: { commands: { test: "npm run test", lint: "npm run lint" } },
    });
    expect(parseConfig(text.replace(/^# ([a-z]+:|  [a-z])/gm, "$1")).problems).toEqual([]);
    place.file("b.yaml", "name: s\nflow: test\n");
    const again = await trammel(["init"], { place });
    expect(again).toMatchObject({ code: 2, stdout: "" });
    expect(again.stderr).toMatch(/^trammel: there is a trammel\.yaml here already\n/);
    expect(place.read("trammel.yaml")).toBe(text);
  });

  it("works in a folder that says nothing", async () => {
    using place = new Place();
    expect((await trammel(["init"], { place })).stdout).toContain("nothing here suggests commands");
    expect(parseConfig(place.read("trammel.yaml")).problems).toEqual([]);
  });
});

describe("list", () => {
  it("names what `run -b NAME` understands, and says of an invalid one why", async () => {
    using place = new Place();
    mkdirSync(place.path(".trammel/blueprints"), { recursive: true });
    place.file(
      ".trammel/blueprints/good.yaml",
      `name: good\nnote: Does good.\nnodes:\n  a: {type: script, run: "true"}\n`,
    );
    place.file(".trammel/blueprints/bad.yml", `name: bad\nnodes: [\n`);
    place.file(".trammel/blueprints/notes.txt", "");
    const json = await trammel(["list", "--json"], { place });
    const { blueprints } = blueprintListShape.parse(JSON.parse(json.stdout));
    const own = blueprints.filter(({ shipped }) => !shipped);
    expect(own.map(({ name, file, valid }) => [name, file, valid])).toEqual([
      ["bad", ".trammel/blueprints/bad.yml", false],
      ["good", ".trammel/blueprints/good.yaml", true],
    ]);
    const text = await trammel(["list"], { place });
    expect(text.stdout).toMatch(/^✗ bad {15}\S.*\n✓ good {14}Does good\.\ncome with trammel:\n✓ bugfix .*\n✓ ci-fix /);
  });
});

describe("doctor", () => {
  it("says what is there, by name only, and how to mend what is not", async () => {
    using place = new Place();
    const env = { ANTHROPIC_API_KEY: "CANARY-88", PATH: process.env["PATH"] ?? "" };
    const { code, stdout } = await trammel(["doctor"], { place, env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ node +\d+\./m);
    expect(stdout).toMatch(/^✓ store +.*\.home$/m);
    expect(stdout).toMatch(/^✓ keys +set: .*ANTHROPIC_API_KEY/m);
    expect(stdout).toMatch(/^– agent .*\n {4}\S/m);
    expect(stdout).toMatch(/^✓ bubblewrap +makes sandboxes \(bubblewrap \d/m);
    expect(stdout).not.toContain("CANARY");
  });

  it("fails where every run would, and says so in JSON", async () => {
    using place = new Place();
    place.file("file", "");
    place.file("trammel.yaml", "agent: {modle: x}\n");
    const { code, stdout } = await trammel(["doctor", "--json"], {
      place,
      env: { TRAMMEL_HOME: place.path("file/x") },
    });
    expect(code).toBe(1);
    const { checks } = healthShape.parse(JSON.parse(stdout));
    const missing = checks.filter((one) => one.status === "missing");
    expect(missing.map((one) => one.name)).toEqual(["store", "configuration"]);
    for (const one of missing) expect(one.mend).toMatch(/\S/);
  });
});
