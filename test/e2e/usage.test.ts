import { existsSync, mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Place, start, trammel } from "./support/cli.ts";

describe("arguments", () => {
  it.each<[string, readonly string[], RegExp]>([
    ["an unknown command", ["chekc"], /^trammel: unknown command 'chekc'\n\(Did you mean check\?\)\n$/],
    [
      "an unknown command that is near none",
      ["secret", "frobnicate"],
      /^trammel: unknown command 'frobnicate'\n  Usage: trammel secret \[options\] \[command\]\n  What these are is told by: trammel secret --help\n$/,
    ],
    [
      "an unknown option",
      ["check", "--formt", "json", "b.yaml"],
      /^trammel: unknown option '--formt'\n\(Did you mean --format\?\)\n$/,
    ],
    [
      "a value that is not allowed",
      ["check", "--format", "xml", "b.yaml"],
      /It must be one of text, json, sarif, github\.\n$/,
    ],
    [
      "a missing argument",
      ["logs"],
      /^trammel: missing required argument 'run'\n  Usage: trammel logs \[options\] <run>\n  What these are is told by: trammel logs --help\n$/,
    ],
    [
      "a missing option",
      ["fork", "RUN"],
      /^trammel: required option '--at <node>' not specified\n  Usage: trammel fork \[options\] <run>\n  What these are is told by: trammel fork --help\n$/,
    ],
    ["a number that is none", ["runs", "--limit", "many"], /It must be a whole number from 1 on\.\n$/],
    [
      "an empty path",
      ["run", "--cwd", "", "-b", "b.yaml"],
      /^trammel: option '--cwd <dir>' .* It must not be empty\.\n$/,
    ],
    [
      "an argument that a terminal would obey",
      ["\u001b]0;title\u0007chekc"],
      /^trammel: unknown command '\\u001b]0;title\\u0007chekc'\n/,
    ],
    ["a line break in an argument", ["chekc\ntrammel: fake"], /^trammel: unknown command 'chekc\\ntrammel: fake'\n/],
    ["a line break in a value", ["list", "--x=a\ntrammel: fake"], /^trammel: unknown option '--x=a\\ntrammel: fake'\n/],
    [
      "a line break in the name of a run",
      ["show", "x\nfake"],
      /^trammel: there is no run and no blueprint x\\nfake\n {2}\S.*\n$/,
    ],
    [
      "a line break in the name of a file",
      ["run", "-b", "x\nfake.yaml"],
      /^trammel: there is no file x\\nfake.yaml\n$/,
    ],

    ["help on what is none", ["help", "chekc"], /^trammel: unknown command 'chekc'\n\(Did you mean check\?\)\n$/],
    [
      "a target that is neither a run nor a blueprint",
      ["show", "featur"],
      /^trammel: there is no run and no blueprint featur; did you mean feature\?\n/,
    ],
    ["an excess argument", ["runs", "all"], /^trammel: too many arguments/],
  ])("%s is refused in one sentence", async (_, args, message) => {
    using place = new Place();
    const { code, stdout, stderr } = await trammel(args, { place });
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("shows help on standard output when asked, and on standard error with 2 when nothing was asked", async () => {
    using place = new Place();
    const asked = await trammel(["--help"], { place });
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({ code: 0, stderr: "" });
    expect(asked.stdout).toContain("check");
    expect(asked.stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const bare = await trammel([], { place });
    expect({ code: bare.code, stdout: bare.stdout }).toEqual({ code: 2, stdout: "" });
    expect(bare.stderr).toContain("Usage: trammel");
  });

  it("carries out nothing that help is asked about", async () => {
    using place = new Place();
    place.file("trammel.yaml", "default: b.yaml\n");
    place.file("b.yaml", "name: b\nnodes:\n  a: {type: script, run: touch ran}\n");
    for (const words of [["--", "run"], ["run"], ["nothing", "run"]]) await trammel(["help", ...words], { place });
    expect(existsSync(place.path("ran"))).toBe(false);
    expect((await trammel(["run"], { place })).code).toBe(0);
    expect(existsSync(place.path("ran"))).toBe(true);
  });

  it("tells the exit codes of a run where its options are told", async () => {
    using place = new Place();
    const { stdout } = await trammel(["run", "--help"], { place });
    expect(stdout).toMatch(/\nExit codes:\n {2}0 succeeded, [^]*130 stopped\n$/);
  });

  it("prints the version of the package", async () => {
    using place = new Place();
    const manifest = await import("../../package.json", { with: { type: "json" } });
    expect(await trammel(["--version"], { place })).toMatchObject({
      code: 0,
      stdout: `${manifest.default.version}\n`,
      stderr: "",
    });
  });
});

describe("a reader that goes away", () => {
  it.each([
    ["help", ["--help"]],
    ["version", ["--version"]],
    ["a list", ["runs", "--json"]],
  ])("is no crash: %s", async (_, args) => {
    using place = new Place();
    const command = start(args, { place });
    command.child.stdout?.destroy();
    const { code, stderr } = await command.end;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("a store that cannot be used", () => {
  const commands = [["runs"], ["runs", "--json"], ["show", "x"], ["logs", "x"], ["stop", "x"]];

  it.each(commands.map((args) => [args.join(" "), args]))(
    "ends `%s` with 6 and one message, never with an empty list",
    async (_, args) => {
      using place = new Place();
      place.file("file", "");
      const { code, stdout, stderr } = await trammel(args, { place, env: { TRAMMEL_HOME: place.path("file/home") } });
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^trammel: .+\n {2}.+\n$/);
      expect(code).toBe(6);
    },
  );

  it("says that a file is no store", async () => {
    using place = new Place();
    mkdirSync(place.home);
    place.file(
      ".home/trammel.db",
      "this is not a database, but it is long enough to look like one to a careless reader. ".repeat(40),
    );
    const { code, stdout, stderr } = await trammel(["runs", "--json"], { place });
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain(".home/trammel.db");
  });
});

describe("a run that does not exist", () => {
  it.each([
    ["show", ""],
    ["logs", ""],
    ["resume", ""],
    ["stop", ""],
    ["answer", "", "gate", "yes"],
    ["settle", "", "node", "--as", "done"],
  ])("is what an empty id names, though there is a run that begins with it: %s", async (...args) => {
    using place = new Place();
    const file = place.file("b.yaml", "name: b\nnodes:\n  a: {type: script, run: 'true'}\n");
    expect(await trammel(["run", "-b", file], { place })).toMatchObject({ code: 0 });
    expect(await trammel(args, { place })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "trammel: the id of the run is empty\n  trammel runs lists them.\n",
    });
  });

  it.each([["diff"], ["logs"], ["stop"]])("%s says so", async (command) => {
    using place = new Place();
    expect(await trammel([command, "nope"], { place })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "trammel: there is no run nope\n  trammel runs lists them.\n",
    });
  });

  it.each([
    [["stop", "nope"]],
    [["resume", "nope"]],
    [["rerun", "nope"]],
    [["undo", "nope"]],
    [["fork", "nope", "--at", "a"]],
    [["answer", "nope", "a", "yes"]],
    [["settle", "nope", "a", "--as", "done"]],
    [["resolve", "nope", "--node", "a", "--as", "done", "--reason", "me"]],
  ])("%s makes no store to say so", async (args) => {
    using place = new Place();
    const { code, stderr } = await trammel(args, { place });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "trammel: there is no run nope\n  trammel runs lists them.\n",
    });
    expect(existsSync(place.home)).toBe(false);
  });
});
