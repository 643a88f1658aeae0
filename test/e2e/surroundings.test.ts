import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { SmallDisk } from "../support/small-disk.ts";
import { Place, root, runIn, trammel } from "./support/cli.ts";
import { committed } from "./support/repository.ts";

const blueprint = "name: b\nnodes:\n  a: {type: script, run: echo hello}\n";

describe.runIf(process.getuid?.() === 0)("a user that the system does not know", () => {
  const stranger = ["setpriv", "--reuid", "54321", "--clear-groups", "env", "-u", "HOME"];

  it("runs where TRAMMEL_HOME says, as in a container under a user id of its own", async () => {
    using place = new Place();
    const file = place.file("b.yaml", blueprint);
    spawnSync("chown", ["-R", "54321", place.folder]);
    const wrapper = [...stranger, "-u", "XDG_CONFIG_HOME"];
    const { code, stdout, stderr } = await trammel(["run", "-b", file], { place, wrapper });
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: "hello\n" });
    const stop = await trammel(["answer", "x", "a", "yes"], { place, wrapper });
    expect(stop).toMatchObject({ code: 2, stderr: "trammel: there is no run x\n  trammel runs lists them.\n" });
  });

  it("is told in one sentence that there is no place for a store", async () => {
    using place = new Place();
    const wrapper = [...stranger, "-u", "TRAMMEL_HOME"];
    expect(await trammel(["runs"], { place, wrapper })).toMatchObject({
      code: 6,
      stdout: "",
      stderr: "trammel: this user has no home folder\n  set TRAMMEL_HOME to a folder for the store\n",
    });
  });
});

it("keeps no state in the working folder where HOME is empty", async () => {
  using place = new Place();
  const { code } = await trammel(["doctor"], { place, env: { HOME: "", TRAMMEL_HOME: "relative" } });
  expect(code).toBe(0);
  const { userHome } = await import("../../src/config/user-home.ts");
  const before = process.env["HOME"];
  process.env["HOME"] = "";
  try {
    expect(userHome()).toMatch(/^\//);
  } finally {
    if (before === undefined) delete process.env["HOME"];
    else process.env["HOME"] = before;
  }
});

it("a TRAMMEL_HOME that is relative is one place, seen from where the command was started, and no child gets it", async () => {
  using place = new Place();
  mkdirSync(place.path("part"));
  place.file("b.yaml", 'name: b\nnodes:\n  a: {type: script, run: "echo home=$TRAMMEL_HOME"}\n');
  const env = { TRAMMEL_HOME: "state" };
  const ran = await trammel(["run", "-b", "b.yaml", "--cwd", "part"], { place, env });
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 0, stdout: "home=\n" });
  const stores = ["state", "part/state"].map((home) => existsSync(place.path(`${home}/trammel.db`)));
  expect(stores).toEqual([true, false]);
  expect((await trammel(["runs"], { place, env })).stdout).toContain("succeeded");
});

it("says that the folder it was started in is gone", async () => {
  using place = new Place();
  mkdirSync(place.path("gone"));
  const wrapper = ["sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh"];
  const { code, stdout, stderr } = await trammel(["runs"], { place, wrapper });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^trammel: the folder this was started in does not exist any more.*\n {2}.*\n$/);
});

describe.runIf(process.platform === "linux")("a full disk under standard output", () => {
  it.each([
    ["a list", ["list", "--json"]],
    ["a document", ["check", "b.yaml", "--format", "json"]],
    ["a run", ["run", "-b", "b.yaml", "--plain"]],
  ])("is no success: %s", (_, args) => {
    using place = new Place();
    place.file("b.yaml", blueprint);
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [`${root}/bin/trammel.js`, ...args], {
      cwd: place.folder,
      env: { ...process.env, TRAMMEL_HOME: place.home },
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    closeSync(full);
    expect(stderr).toContain("trammel: standard output cannot be written: ENOSPC");
    expect(status).toBe(1);
  });
});

it("lets many processes begin with one store at once, and none of them falls", async () => {
  using place = new Place();
  const file = place.file("b.yaml", blueprint);
  const one = (): Promise<unknown> =>
    trammel(["run", "-b", file], { place }).then(({ code, signal }) => ({ code, signal }));
  const ended = await Promise.all(Array.from({ length: 8 }, one));
  expect(ended).toEqual(ended.map(() => ({ code: 0, signal: null })));
  const { stdout } = await trammel(["runs", "--json"], { place });
  expect(JSON.parse(stdout)).toMatchObject({ runs: ended.map(() => ({ status: "succeeded" })) });
});

it.runIf(existsSync("/dev/zero"))("takes no device and no folder for a receipt", async () => {
  using place = new Place();
  for (const [file, why] of [
    ["/dev/zero", "it is no plain file"],
    [".", "it is a folder"],
  ] as const) {
    expect(await trammel(["verify", file], { place })).toMatchObject({
      code: 2,
      stderr: `trammel: ${file} cannot be read: ${why}\n`,
    });
  }
});

it("a configuration that is a link to nothing is told, and not taken for none", async () => {
  using place = new Place();
  place.file("b.yaml", blueprint);
  for (const file of ["trammel.yaml", ".config/trammel/config.yaml"]) {
    mkdirSync(dirname(place.path(file)), { recursive: true });
    symlinkSync("nowhere.yaml", place.path(file));
    expect(await trammel(["run", "-b", "b.yaml"], { place })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(`${file} cannot be read: it is a link that leads to nothing\n$`),
    });
    rmSync(place.path(file));
  }
});

describe("a folder for temporary files that cannot be used", () => {
  const document = "name: one\nnodes:\n  a: {type: script, run: echo said}\n";

  it.each(["/proc/below", "taken/below"])("is named at once, with what to do: %s", async (folder) => {
    using place = new Place();
    place.file("taken", "");
    place.file("b.yaml", document);
    const TMPDIR = resolve(place.folder, folder);
    // As people have it: Node then keeps what it compiled there, too.
    const options = { place, env: { TMPDIR, NODE_COMPILE_CACHE: undefined } };
    const said = `no temporary folder can be made in ${TMPDIR}: `;
    expect(await trammel(["demo"], options)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        new RegExp(`^trammel: ${said}.*\n {2}set TMPDIR to a folder with space that you may write to\n$`),
      ),
    });
    expect(await trammel(["check", "b.yaml"], options)).toMatchObject({ code: 0 });
    const ran = await trammel(["run", "-b", "b.yaml", "--json"], options);
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining(`"could_not_start","text":"${said}`) });
  });

  it("is named with what to do where it has no space for what a node may not change", async () => {
    using place = new Place();
    using disk = new SmallDisk(place.path("small"), "64k");
    const TMPDIR = disk.folder;
    place.file("large", "x".repeat(256 * 1024));
    place.file("b.yaml", "name: one\nnodes:\n  a: {type: script, run: echo x > out, writes: [out]}\n");
    const ran = await trammel(["run", "-b", "b.yaml", "--json"], { place, env: { TMPDIR } });
    const why =
      "its writes cannot be watched: no temporary file can be written in .*/small/.*: ENOSPC: .*; set TMPDIR to";
    expect(ran).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(new RegExp(`"could_not_start","text":"${why}`)),
    });
    expect(existsSync(place.path("out"))).toBe(false);
  });
});

it("says that the folder of the run is away, and its run does not go on without it", async () => {
  using place = committed({ "kept.txt": "one\n" });
  const gate = "  g: {type: human, mode: approval, prompt: Go on?}\n  b: {type: script, run: echo b}\n";
  const edges = "edges: [{from: a, to: g}, {from: g, when: success, to: b}, {from: g, when: failure, to: END}]\n";
  place.file("b.yaml", `name: w\nnodes:\n  a: {type: script, writes: ["*"], run: echo a > a.txt}\n${gate}${edges}`);
  place.file("inside/here.txt", "");
  const parked = await trammel(["run", "-b", "b.yaml", "--cwd", "inside", "--detach", "--json"], { place });
  const id = runIn(parked.stdout);
  renameSync(place.path("inside"), place.path("away"));
  const isAway = {
    code: 2,
    stderr: expect.stringMatching(/\/inside(?: is not there\. Put it back|\n {2}put it back)/),
  };
  expect(await trammel(["answer", id, "g", "yes"], { place })).toMatchObject(isAway);
  expect(await trammel(["diff", id], { place })).toMatchObject(isAway);
  renameSync(place.path("away"), place.path("inside"));
  expect(await trammel(["answer", id, "g", "yes"], { place })).toMatchObject({ code: 0, stdout: "b\n" });
});
