import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { expect, it } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { blueprintListShape } from "../../src/wire/blueprint-list.ts";
import { Place, type StartOptions, trammel } from "./support/cli.ts";

const good = `name: good\nnodes:\n  a: {type: script, run: "true"}\n`;

async function check(args: readonly string[], options: StartOptions): Promise<string> {
  const { code, stdout, stderr } = await trammel(["check", ...args], options);
  return `${code} ${stdout}${stderr}`;
}

it("a blueprint comes with trammel, and one of the project goes before it", async () => {
  using place = new Place();
  const listed = async () =>
    blueprintListShape
      .parse(JSON.parse((await trammel(["list", "--json"], { place })).stdout))
      .blueprints.filter(({ name }) => name === "feature");
  expect(await listed()).toEqual([expect.objectContaining({ valid: true, shipped: true })]);
  expect(await trammel(["run", "-b", "feature", "--dry-run"], { place })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("create-pr"),
  });
  expect(await trammel(["test", "feature"], { place })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("5 passed"),
  });
  expect((await trammel(["show", "feature"], { place })).stdout).toMatch(/^feature: Implements/);
  // No line is cut where no terminal reads it.
  expect((await trammel(["list"], { place })).stdout).toMatch(/^✓ feature .* opens a pull request\. Never merges\.$/m);
  mkdirSync(place.path(".trammel/blueprints"), { recursive: true });
  place.file(".trammel/blueprints/feature.yaml", good.replace("good", "feature"));
  expect(await listed()).toEqual([
    expect.objectContaining({ file: ".trammel/blueprints/feature.yaml", shipped: false }),
  ]);
  expect((await trammel(["show", "feature"], { place })).stdout).toMatch(/■ a/);
  expect(await trammel(["test", "feature"], { place })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no test of feature"),
  });
  place.file(".trammel/blueprints/feature.yaml", Buffer.from([0xff, 0xfe]));
  expect(await trammel(["run", "-b", "feature", "--dry-run"], { place })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("feature.yaml is not UTF-8 text"),
  });
});

it("the tests of the project are run from the folders below it as well, and with those of the folder", async () => {
  using place = new Place();
  mkdirSync(place.path(".trammel/blueprints"), { recursive: true });
  mkdirSync(place.path("part/deep"), { recursive: true });
  place.file(".trammel/blueprints/good.yaml", good);
  const tests = "tests:\n  - name: works\n    nodes: {a: success}\n    expect: {outcome: succeeded}\n";
  place.file(".trammel/blueprints/good.test.yaml", tests);
  const tested = async (folder: string, ...places: readonly string[]) => {
    const wrapper = ["sh", "-c", 'cd "$0" && exec "$@"', folder];
    return (await trammel(["test", ...places], { place, wrapper })).stdout;
  };
  expect(await tested("part/deep")).toMatch(/^\.\.\/\.\.\/\.trammel\/blueprints\/good\.test\.yaml\n.*\n1 passed/s);
  expect(await tested(".")).toMatch(/^\.trammel\/blueprints\/good\.test\.yaml\n.*\n1 passed/s);
  place.file("part/deep/own.yaml", good.replace("good", "own"));
  place.file("part/deep/own.test.yaml", tests);
  expect(await tested("part/deep")).toMatch(/^own\.test\.yaml\n.*2 passed/s);
  expect(await tested("part/deep", ".")).toContain("1 passed");
});

it.each([".trammel", ".trammel/blueprints"])("a link to nothing is no empty folder: %s", async (link) => {
  using place = new Place();
  mkdirSync(place.path("below"));
  if (link !== ".trammel") mkdirSync(place.path(".trammel"));
  symlinkSync("nowhere", place.path(link));
  expect(await trammel(["run", "-b", "feature", "--dry-run", "--cwd", "below"], { place })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(`^trammel: (?:\\.\\./)?${link} is no folder and leads to none, and feature may`),
    ),
  });
  const told = { code: 2, stderr: expect.stringContaining(`trammel: ${link} is no folder and leads to none\n`) };
  expect(await trammel(["check"], { place })).toMatchObject(told);
  expect(await trammel(["new", "mine"], { place })).toMatchObject(told);
});

it("passes over no test of a folder that is a link to nothing", async () => {
  using place = new Place();
  place.file("fine.yaml", `name: fine\nnodes:\n  a: { type: script, run: "true" }\n`);
  place.file("fine.test.yaml", "tests:\n  - { name: passes, nodes: { a: success }, expect: { outcome: succeeded } }\n");
  expect((await trammel(["test"], { place })).code).toBe(0);
  symlinkSync("nowhere.yaml", place.path("gone.test.yaml"));
  const { code, stdout, stderr } = await trammel(["test"], { place });
  expect({ code, told: stdout + stderr }).toEqual({
    code: 2,
    told: expect.stringContaining("gone.test.yaml is a link to what is not there"),
  });
});

it("what stands where a blueprint would be and cannot be read is told, and never passed over", async () => {
  using place = new Place();
  const kept = ".trammel/blueprints";
  for (const folder of [kept, `other/${kept}`]) mkdirSync(place.path(folder), { recursive: true });
  place.file(`other/${kept}/feature.yaml`, good);
  const dryRun = ["run", "-b", "feature", "--dry-run", "--cwd", "other"];
  expect(await trammel(dryRun, { place })).toMatchObject({ code: 0 });
  symlinkSync("nowhere.yaml", place.path(`${kept}/feature.yaml`));
  const gone = {
    code: 2,
    stderr: expect.stringMatching(/^trammel: .trammel\/blueprints\/feature.yaml is a link to what is not there/),
  };
  expect(await trammel(dryRun, { place })).toMatchObject(gone);
  expect(await trammel(["show", "feature"], { place })).toMatchObject(gone);
  expect(await trammel(["check"], { place })).toMatchObject(gone);
  place.file("top.yaml", "name: top\nnodes:\n  a: {type: call, blueprint: feature}\n");
  expect(await check(["top.yaml"], { place })).toMatch(/^2 .*.trammel\/blueprints\/feature.yaml is a link/s);
  rmSync(place.path(`${kept}/feature.yaml`));
  place.file("feature.yml", Buffer.alloc(limits.documentBytes + 1, "#"));
  expect(await check(["top.yaml"], { place })).toMatch(/^2 .*feature.yml is larger than \d+ MiB/s);
});

it("one name is not taken by two files", async () => {
  using place = new Place();
  const kept = ".trammel/blueprints";
  mkdirSync(place.path(kept), { recursive: true });
  for (const extension of ["yaml", "yml"]) place.file(`${kept}/twin.${extension}`, good);
  expect(await trammel(["run", "-b", "twin", "--dry-run"], { place })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${kept}/twin.yaml and ${kept}/twin.yml have one name`),
  });
});

it("the name of a file does nothing on a terminal", async () => {
  using place = new Place();
  const name = "ev\u001b[2J\nil";
  mkdirSync(place.path(".trammel/blueprints"), { recursive: true });
  place.file(`.trammel/blueprints/${name}.yaml`, "[]\n");
  const listed = await trammel(["list"], { place, terminal: true });
  expect(listed.stdout).toMatch(/^✗ ev il +The document/m);
  const checked = await trammel(["check"], { place, terminal: true });
  expect(checked.stdout).toContain(".trammel/blueprints/ev·[2J·il.yaml:1:1: ");
  const missed = await trammel(["run", "-b", "evi"], { place, terminal: true });
  expect(missed.stdout).toContain("There are: ev il;");
  for (const { stdout } of [listed, checked, missed]) expect(stdout).not.toContain("\u001b[2J");
});

it("a name that nothing has is told with the names of all places where it was looked for", async () => {
  using place = new Place();
  mkdirSync(place.path("other/.trammel/blueprints"), { recursive: true });
  place.file("other/.trammel/blueprints/mine.yaml", good);
  expect((await trammel(["run", "-b", "mime", "--cwd", "other"], { place })).stderr).toMatch(
    /did you mean mine\?\n {2}There are: mine; with trammel come:/,
  );
});

it("a blueprint is called and pinned by its content when it comes with trammel", async () => {
  using place = new Place();
  place.file("top.yaml", "name: top\nnodes:\n  a: {type: call, blueprint: fix-test-failure}\n");
  expect(await check(["top.yaml"], { place })).toBe("0 ");
  expect((await trammel(["pin", "top.yaml"], { place })).stdout).toMatch(/^fix-test-failure {2}[0-9a-f]{12} {2}pinned/);
  const lock = { version: 1, pins: { "fix-test-failure": "0".repeat(64) } };
  place.file("trammel.lock", JSON.stringify(lock));
  expect(await check(["top.yaml"], { place })).toContain("[changed-callee]");
  place.file("fix-test-failure.yaml", good);
  expect((await trammel(["pin", "top.yaml"], { place })).stdout).toMatch(/^fix-test-failure {2}[0-9a-f]{12} {2}was 0/);
  expect(await trammel(["run", "-b", "top.yaml"], { place })).toMatchObject({ code: 0 });
});

it("a blueprint is found from a folder below the project, as its configuration is", async () => {
  using place = new Place();
  mkdirSync(place.path(".trammel/blueprints"), { recursive: true });
  mkdirSync(place.path("src/deep"), { recursive: true });
  place.file(".trammel/blueprints/where.yaml", "name: where\nnodes:\n  a: {type: script, run: pwd}\n");
  place.file("trammel.yaml", "default: where\n");
  const below = { place, wrapper: ["env", "-C", place.path("src/deep")] };
  const said = expect.stringMatching(/\/src\/deep\n$/);
  expect(await trammel(["run"], below)).toMatchObject({ code: 0, stdout: said });
  expect(await trammel(["run", "-b", "where"], below)).toMatchObject({ code: 0, stdout: said });
  expect(await check([], below)).toBe("0 ");
  expect((await trammel(["list"], below)).stdout).toMatch(/^✓ where/);
  expect((await trammel(["new", "other"], below)).stdout).toMatch(
    /^wrote \.\.\/\.\.\/\.trammel\/blueprints\/other\.yaml/,
  );
  mkdirSync(place.path("src/.git"));
  expect(await trammel(["run", "-b", "where"], below)).toMatchObject({ code: 2 });
});

it("a default is meant from where the configuration stands, or is a name where the run works", async () => {
  using place = new Place();
  place.file("flows/main.yaml", "name: main\nnodes:\n  a: {type: script, run: echo main}\n");
  place.file("sub/flows/main.yaml", "name: other\nnodes:\n  a: {type: script, run: echo other}\n");
  place.file("trammel.yaml", "default: flows/main.yaml\n");
  const below = { place, wrapper: ["env", "-C", place.path("sub")] };
  expect(await trammel(["run"], below)).toMatchObject({ code: 0, stdout: "main\n" });
  expect(await trammel(["run", "--cwd", "sub"], { place })).toMatchObject({ code: 0, stdout: "main\n" });
  place.file("sub/trammel.yaml", "default: main\n");
  place.file("sub/.trammel/blueprints/main.yaml", "name: main\nnodes:\n  a: {type: script, run: echo below}\n");
  place.file(".trammel/blueprints/main.yaml", "name: main\nnodes:\n  a: {type: script, run: echo above}\n");
  expect(await trammel(["run", "--cwd", "sub"], { place })).toMatchObject({ code: 0, stdout: "below\n" });
  expect(await trammel(["run", "--cwd", "sub", "-b", "main"], { place })).toMatchObject({ code: 0, stdout: "above\n" });
  rmSync(place.path("sub/trammel.yaml"));
  place.file("trammel.yaml", "default: gone.yaml\n");
  expect((await trammel(["run"], below)).stderr).toBe(
    "trammel: `default:` of the configuration: there is no file ../gone.yaml\n",
  );
});

it("a file that lies here is meant by its name without the ending, and a command that is told can be pasted", async () => {
  using place = new Place();
  place.file("hello.yaml", good);
  expect((await trammel(["run", "-b", "hello"], { place })).stderr).toMatch(
    /no blueprint hello,.*; did you mean hello\.yaml\?\n/,
  );
  place.file("hello.test.yaml", "tests: []\n");
  expect((await trammel(["test", "hello"], { place })).stderr).toContain(
    "To run hello.test.yaml: trammel test hello.test.yaml\n",
  );
  mkdirSync(place.path("my lib"));
  place.file("my lib/it's.yaml", "name: [\n");
  place.file("top.yaml", `name: top\nnodes:\n  a: {type: call, blueprint: "my lib/it's.yaml"}\n`);
  const told = await check(["top.yaml"], { place });
  const pasted = /See it with: trammel (.+)/.exec(told)?.[1] ?? "";
  const args = execFileSync("sh", ["-c", `printf '%s\\0' ${pasted}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
  expect((await trammel(args, { place })).stdout).toMatch(/^my lib\/it's\.yaml:\d/);
});

it("what all agents of a blueprint miss is told once, each problem on a line of its own", async () => {
  using place = new Place();
  place.file("agents.yaml", "name: agents\nflow: implement -> fix-lint -> fix-ci\n");
  const { code, stderr } = await trammel(["run", "x", "-b", "agents.yaml"], { place });
  expect(code).toBe(2);
  expect(stderr.split("\n")).toEqual([
    'trammel: agents "implement", "fix-lint", "fix-ci": no model is set',
    "  Any of these will do, in trammel.yaml:",
    expect.stringMatching(/^ {4}agent: \{model: anthropic/),
    expect.stringMatching(/^ {4}agent: \{provider: claude/),
    expect.stringMatching(/^ {4}agent: \{model: compatible/),
    "",
  ]);
  place.file("in.yaml", "name: in\ninputs: {n: integer, who: string}\nnodes: {a: {type: script, run: ls}}\n");
  expect((await trammel(["run", "-b", "in.yaml", "--input", "n=x"], { place })).stderr).toBe(
    'trammel: input "n" is not an integer\ntrammel: input "who" is missing\n' +
      "  Give each as --input NAME=VALUE, or all of them as --input-file FILE.\n",
  );
});

it("the name of a file does nothing on a terminal", async () => {
  using place = new Place();
  place.file("b\u001b[2J.yaml", "name: b\nnodes: {a: {type: script, run: ls}}\n");
  const { stderr } = await trammel(["pin", "b\u001b[2J.yaml"], { place });
  expect(stderr).toBe("b\\u001b[2J.yaml calls no blueprint, so there is nothing to pin\n");
});
