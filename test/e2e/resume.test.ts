import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runEndShape, runReportShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel, runIn } from "./support/cli.ts";

/** The second node may run again, and waits until the file `go` is there. */
const again = `name: k
entry: a
nodes:
  a: {type: script, run: "echo a >> log"}
  b: {type: script, idempotent: true, run: "echo b >> log; until test -e go; do sleep 0.05; done"}
edges:
  - {from: a, to: b}
`;

/** Kills the engine while `b` runs, and answers the run's id. */
async function killed(place: Place): Promise<string> {
  place.file("b.yaml", again);
  const run = start(["run", "t", "-b", "b.yaml", "--json"], { place });
  await run.until(/"node\.process"[^\n]*"node":"b"/);
  await place.until("log", "a\nb\n");
  run.child.kill("SIGKILL");
  await run.end;
  return runIn(run.stdout);
}

function log(place: Place): string {
  return place.read("log");
}

describe("resume", () => {
  it("goes on where the run was, and shows one history of it", async () => {
    using place = new Place();
    const id = await killed(place);
    place.file("go", "");
    const resumed = await trammel(["resume", id, "--json"], { place });
    expect(runEndShape.parse(lastLine(resumed))).toMatchObject({ run: id, status: "succeeded", exitCode: 0 });
    expect(log(place)).toBe("a\nb\nb\n");
    const shown = runReportShape.parse(JSON.parse((await trammel(["show", id, "--json"], { place })).stdout));
    expect(shown.status).toBe("succeeded");
    expect(shown.nodes.map(({ id: node, state }) => [node, state])).toEqual([
      ["a", "success"],
      ["b", "success"],
    ]);
  });

  it("refuses limits of the configuration that changed since, says which, and takes them", async () => {
    using place = new Place();
    place.file("trammel.yaml", "limits: {steps: 2}\ncommands: {lint: make lint}\n");
    const id = await killed(place);
    place.file("go", "");
    place.file("trammel.yaml", "limits: {steps: 1, time: 1h}\n");
    const refused = await trammel(["resume", id], { place });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr.split("\n")).toEqual([
      `trammel: run ${id} started with another version of the configuration that its blueprint is bound to`,
      '  configuration: commands.lint is gone: "make lint"',
      "  configuration: limits.steps: 2 → 1",
      "  configuration: limits.timeMs is new: 3600000",
      expect.stringContaining("--accept-changes"),
      "",
    ]);
    // What was claimed under the old ones goes on.
    expect(await trammel(["resume", id, "--accept-changes"], { place })).toMatchObject({ code: 0 });
    expect((await trammel(["show", id], { place })).stdout).toMatch(/^limits +steps 1, time 1h$/m);
    expect(await trammel(["replay", id], { place })).toMatchObject({ code: 0 });
  });

  it("refuses a blueprint that changed since, names the way on, and takes it", async () => {
    using place = new Place();
    const id = await killed(place);
    place.file("go", "");
    place.file("b.yaml", again.replace("echo b >> log", "echo changed >> log"));
    const refused = await trammel(["resume", id], { place });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(
      /^trammel: run \S+ started with another version of its blueprint\n {2}nodes\.b\.run: "echo b >> log.* → "echo changed >> log.*\n {2}.*--accept-changes/,
    );
    expect(log(place)).toBe("a\nb\n");
    const accepted = await trammel(["resume", id, "--accept-changes"], { place });
    expect(accepted.code).toBe(0);
    expect(log(place)).toBe("a\nb\nchanged\n");
  });

  it("asks at a terminal what became of each attempt that nobody knows of, and goes on from there", async () => {
    using place = new Place();
    const hangs = (name: string): string => `{type: script, run: "touch ${name}; sleep 60"}`;
    place.file(
      "b.yaml",
      `name: two\nentry: s\nnodes:
  s: {type: script, run: "true", next: [a, b]}
  a: ${hangs("a")}
  b: ${hangs("b")}
  c: {type: script, run: touch c}
edges: [{from: a, to: c}, {from: b, to: c}]\n`,
    );
    const run = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    await run.until(/"node\.process"[^]*"node\.process"[^]*"node\.process"/);
    run.child.kill("SIGKILL");
    await run.end;
    const id = runIn(run.stdout);
    const left = start(["resume", id], { place, terminal: true });
    await left.until(/a: was running when the engine died[^]*One of 1–4/);
    left.type("\u0004");
    expect((await left.end).code).toBe(3);
    expect((await trammel(["resume", id], { place })).stderr).toContain(`trammel settle ${id} a --as`);
    const asked = start(["resume", id], { place, terminal: true });
    await asked.until(/\na: [^]*One of 1–4/);
    asked.type("done\r");
    await asked.until(/\nb: [^]*One of 1–4/);
    expect(existsSync(place.path("c"))).toBe(false);
    asked.type("1\r");
    expect((await asked.end).code).toBe(0);
    expect(existsSync(place.path("c"))).toBe(true);
  });

  it("goes on with the definition it keeps when the file is gone", async () => {
    using place = new Place();
    const id = await killed(place);
    place.file("go", "");
    rmSync(place.path("b.yaml"));
    expect((await trammel(["resume", id], { place })).code).toBe(0);
    expect(log(place)).toBe("a\nb\nb\n");
  });

  it("has one winner", async () => {
    using place = new Place();
    const id = await killed(place);
    const racing = [1, 2, 3].map(() => start(["resume", id, "--json"], { place }));
    const first = await Promise.race(racing.map(async (one) => ((await one.end).code, one)));
    expect((await first.end).code).toBe(2);
    place.file("go", "");
    const codes = await Promise.all(racing.map(async (one) => (await one.end).code));
    expect(codes.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([0, 2, 2]);
    expect(log(place)).toBe("a\nb\nb\n");
  });

  it("refuses a run that is over and one that another process executes", async () => {
    using place = new Place();
    place.file("done.yaml", `name: d\nnodes:\n  a: {type: script, run: "true"}\n`);
    const done = await trammel(["run", "t", "-b", "done.yaml", "--json"], { place });
    const over = await trammel(["resume", String(lastLine(done)["run"])], { place });
    expect(over).toMatchObject({ code: 2, stdout: "" });
    expect(over.stderr).toMatch(/has ended: succeeded\n.*trammel fork .* --at NODE.*trammel rerun /);
    place.file("b.yaml", again);
    const live = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    await live.until(/"node\.process"[^\n]*"node":"b"/);
    const id = runIn(live.stdout);
    const busy = await trammel(["resume", id], { place });
    expect(busy).toMatchObject({ code: 2, stdout: "" });
    expect(busy.stderr).toContain(`is executed by process ${live.child.pid}`);
    place.file("go", "");
    expect((await live.end).code).toBe(0);
  });
});

describe("a store that may not be written", () => {
  it("refuses a run with one sentence and 6, and is left as it was", async () => {
    using place = new Place();
    place.file("b.yaml", `name: d\nnodes:\n  a: {type: script, run: "touch ran"}\n`);
    mkdirSync(place.home);
    chmodSync(place.folder, 0o777);
    chmodSync(place.home, 0o555);
    const wrapper = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const { code, stdout, stderr } = await trammel(["run", "t", "-b", "b.yaml"], { place, wrapper });
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toMatch(/^trammel: .*\.home.*\n {2}.+\n$/);
    expect(execFileSync("ls", ["-A", place.home], { encoding: "utf8" })).toBe("");
    expect(() => readFileSync(place.path("ran"))).toThrow("ENOENT");
  });
});
