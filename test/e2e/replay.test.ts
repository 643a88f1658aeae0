import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { chain } from "../../src/hosts/embedded/chain.ts";
import { replayShape, whatIfShape } from "../../src/wire/replay.ts";
import { runEndShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, trammel } from "./support/cli.ts";

const mending = `name: mending
entry: test
nodes:
  test: {type: script, run: "test -e mended", next: {success: pack, failure: mend}}
  mend: {type: script, run: touch mended, next: test}
  pack: {type: script, run: echo packed}
`;

async function ran(place: Place): Promise<string> {
  place.file("b.yaml", mending);
  const finished = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
  return runEndShape.parse(lastLine(finished)).run;
}

it("recomputes a run from its events, the same, and runs nothing", async () => {
  using place = new Place();
  const run = await ran(place);
  place.file("b.yaml", "name: changed");
  const text = await trammel(["replay", run], { place });
  expect(text).toMatchObject({ code: 0, stderr: "" });
  expect(text.stdout).toMatch(/^\S+: \d+ events recomputed, the same\n$/);
  const json = await trammel(["replay", run, "--json"], { place });
  expect(replayShape.parse(JSON.parse(json.stdout))).toMatchObject({ run, difference: null });
});

it("recomputes with the limits that the run was bound to, whatever configuration says now", async () => {
  using place = new Place();
  place.file("trammel.yaml", "limits: {steps: 2}\n");
  const run = await ran(place);
  expect((await trammel(["show", run], { place })).stdout).toMatch(/^limits +steps 2$/m);
  place.file("trammel.yaml", "limits: {steps: 3}\n");
  expect(await trammel(["replay", run], { place })).toMatchObject({ code: 0, stderr: "" });
});

/** Makes the last record of a run say another end, in a chain that holds. */
function decideAnew(place: Place, run: string): void {
  const db = new DatabaseSync(join(place.home, "trammel.db"));
  const records = db
    .prepare(
      "SELECT journal.id, seq, events, at, version, lower(hex(hash)) AS hash, body FROM journal JOIN runs ON runs.id = journal.run WHERE runs.run = ? ORDER BY seq DESC LIMIT 2",
    )
    .all(run);
  const [last, before] = records.map(({ id, seq, events, at, version, hash, body }) => ({
    id: Number(id),
    hash: String(hash),
    record: {
      seq: Number(seq),
      events: Number(events),
      at: Number(at),
      version: Number(version),
      body: String(body).replace('"status":"succeeded"', '"status":"failed"'),
    },
  }));
  if (last === undefined || before === undefined) throw new Error(`run ${run} has no two records`);
  const hash = chain(before.hash, run, last.record);
  db.prepare("UPDATE journal SET body = ?, hash = unhex(?) WHERE id = ?").run(last.record.body, hash, last.id);
  db.close();
}

it("names the first event that is not what the engine decides, in a run inside too", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    'name: b\nnodes:\n  list: {type: script, run: "echo \'[1, 2]\'", output: json}\n  each: {type: map, over: "{list}", do: {type: script, run: "true"}}\nedges: [{from: list, when: success, to: each}]\n',
  );
  const finished = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
  const { run } = runEndShape.parse(lastLine(finished));
  const text = await trammel(["replay", run], { place });
  expect(text.stdout).toMatch(/^\S+: \d+ events, and \d+ of 2 runs inside it recomputed, the same\n$/);
  const was = replayShape.parse(JSON.parse((await trammel(["replay", run, "--json"], { place })).stdout));
  expect(was.inside.map(({ path, difference }) => [path, difference])).toEqual([
    ["each[0]", null],
    ["each[1]", null],
  ]);
  decideAnew(place, was.inside[1]?.run ?? "");
  const changed = await trammel(["replay", run], { place });
  expect(changed.code).toBe(1);
  expect(changed.stdout).toMatch(/^\S+ \(each\[1\]\): event \d+ differs, /);
  expect(changed.stdout).toMatch(/^ {2}recorded {4}run\.finished: failed$/m);
  expect(changed.stdout).toMatch(/^ {2}recomputed {2}run\.finished: succeeded$/m);
  rmSync(place.home, { recursive: true });
});

it("tells what would have gone another way with another blueprint", async () => {
  using place = new Place();
  const run = await ran(place);
  place.file(
    "capped.yaml",
    mending.replace("{type: script, run: touch mended,", "{type: script, run: touch mended, cap: 1,"),
  );
  const same = await trammel(["replay", run, "--with", "capped.yaml"], { place });
  expect([same.code, same.stdout]).toEqual([0, `${run} with capped.yaml: the same\n`]);
  place.file("strict.yaml", mending.replace("failure: mend", "failure: END"));
  const json = await trammel(["replay", run, "--with", "strict.yaml", "--json"], { place });
  expect(whatIfShape.parse(JSON.parse(json.stdout))).toMatchObject({
    before: { status: "succeeded" },
    after: { status: "failed", reason: expect.stringContaining("test: exit code 1") },
    starts: [
      { node: "mend", before: 1, after: 0 },
      { node: "pack", before: 1, after: 0 },
      { node: "test", before: 2, after: 1 },
    ],
    assumed: [],
  });
});

const around = `name: around
nodes:
  list: {type: script, run: "echo '[1, 2, 3]'", output: json}
  sub: {type: call, blueprint: sub.yaml}
  each: {type: map, over: "{list}", do: {entry: odd, nodes: {odd: {type: script, run: 'test $N -ne 2', env: {N: "{item}"}}, said: {type: script, run: echo odd}}, edges: [{from: odd, when: success, to: said}, {from: odd, when: failure, to: said}]}}
  last: {type: script, run: echo last}
edges:
  - {from: list, when: success, to: sub}
  - {from: sub, when: success, to: each}
  - {from: each, when: success, to: last}
`;
const sub = `name: sub
entry: test
nodes:
  test: {type: script, run: "test -e mended", next: {success: END, failure: mend}}
  mend: {type: script, run: touch mended, next: test}
`;

describe("another blueprint for a run with calls and maps", () => {
  async function ranAround(place: Place): Promise<string> {
    place.file("sub.yaml", sub);
    place.file("around.yaml", around);
    const finished = await trammel(["run", "t", "-b", "around.yaml", "--json"], { place });
    expect(finished.code).toBe(0);
    return runEndShape.parse(lastLine(finished)).run;
  }

  async function tried(place: Place, run: string, file: string) {
    const json = await trammel(["replay", run, "--with", file, "--json"], { place });
    expect(json.code).toBe(0);
    return whatIfShape.parse(JSON.parse(json.stdout));
  }

  it("is the same where it is", async () => {
    using place = new Place();
    const run = await ranAround(place);
    const text = await trammel(["replay", run, "--with", "around.yaml"], { place });
    expect([text.code, text.stdout]).toEqual([0, `${run} with around.yaml: the same\n`]);
  });

  it("goes another way by what happens inside a map, and says where", async () => {
    using place = new Place();
    const run = await ranAround(place);
    place.file(
      "strict.yaml",
      around.replace("{from: odd, when: failure, to: said}", "{from: odd, when: failure, to: END}"),
    );
    const seen = await tried(place, run, "strict.yaml");
    expect(seen).toMatchObject({
      before: { status: "succeeded" },
      after: { status: "failed", reason: "each: 1 of 3 items failed: odd: exit code 1" },
      starts: [{ node: "last", before: 1, after: 0 }],
      assumed: [],
      changed: [],
      inside: [{ path: "each[1]", after: { status: "failed" }, starts: [{ node: "said", before: 1, after: 0 }] }],
    });
    const text = await trammel(["replay", run, "--with", "strict.yaml"], { place });
    expect(text.stdout).toMatch(/^ {2}each\[1\]: failed \(odd: exit code 1\); it was succeeded$/m);
    expect(text.stdout).toMatch(/^ {2}each\[1\]\/said: 1 → 0 starts$/m);
  });

  it("goes another way by what a callee has become, up to an escalation in it", async () => {
    using place = new Place();
    const run = await ranAround(place);
    place.file("sub.yaml", sub.replace("next: {success", "cap: 1, next: {success"));
    const seen = await tried(place, run, "around.yaml");
    expect(seen).toMatchObject({
      after: { status: "escalated" },
      halts: { before: [], after: [{ cause: "escalated", node: "sub/test" }] },
      starts: [
        { node: "each", before: 1, after: 0 },
        { node: "last", before: 1, after: 0 },
      ],
      inside: [{ path: "sub", starts: [{ node: "test", before: 2, after: 1 }] }],
    });
  });

  it("is tried on a run inside as well: an item is played to the body of the map", async () => {
    using place = new Place();
    const run = await ranAround(place);
    const { inside } = replayShape.parse(JSON.parse((await trammel(["replay", run, "--json"], { place })).stdout));
    const item = inside.find(({ path }) => path === "each[1]")?.run ?? "";
    expect(await tried(place, item, "around.yaml")).toMatchObject({ starts: [], inside: [] });
    const none = await trammel(["replay", item, "--with", "sub.yaml"], { place });
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("sub.yaml has no such map") });
  });
});

describe.runIf(process.platform === "linux")("replay starts no process and no model", () => {
  /** Programs that a command and all under it executed, itself included, and processes that they forked. */
  async function started(
    place: Place,
    args: readonly string[],
  ): Promise<{ code: number | null; programs: number; forks: number }> {
    const log = place.path("strace.log");
    const calls = "trace=execve,execveat,fork,vfork,clone,clone3,connect";
    const { code } = await trammel(args, { place, wrapper: ["strace", "-f", "-qq", "-e", calls, "-o", log] });
    const lines = readFileSync(log, "utf8").split("\n");
    const forks = lines.filter((line) => /\b(?:v?fork|clone3?)\(/.test(line) && !line.includes("CLONE_THREAD"));
    // A network name or an address: the sockets of a machine alone do not lead out of it.
    expect(lines.filter((line) => /connect\(.*AF_INET/.test(line))).toEqual([]);
    return {
      code,
      programs: lines.filter((line) => /\bexecve(?:at)?\(.* = 0$/.test(line)).length,
      forks: forks.length,
    };
  }

  it("neither where the journal is recomputed, nor where another blueprint is tried", async () => {
    using place = new Place();
    const run = await ran(place);
    place.file("strict.yaml", mending.replace("failure: mend", "failure: END"));
    expect(await started(place, ["replay", run])).toEqual({ code: 0, programs: 1, forks: 0 });
    const tried = await started(place, ["replay", run, "--with", "strict.yaml"]);
    expect(tried).toEqual({ code: 0, programs: 1, forks: 0 });
    const rules = '{pass: {match: "."}, miss: {match: never}}';
    const decided = `test: {type: decide, question: "Which?", about: "{task}", options: ${rules}, by: [rules], next: {pass: pack, miss: mend}}`;
    place.file("decided.yaml", mending.replace(/test: .*/, decided));
    const judged = await started(place, ["replay", run, "--with", "decided.yaml"]);
    expect(judged).toEqual({ code: 0, programs: 1, forks: 0 });
    place.file("sub.yaml", sub);
    place.file("around.yaml", around);
    const wrapping = await trammel(["run", "t", "-b", "around.yaml", "--json"], { place });
    const outer = runEndShape.parse(lastLine(wrapping)).run;
    expect(await started(place, ["replay", outer])).toEqual({ code: 0, programs: 1, forks: 0 });
    const inside = await started(place, ["replay", outer, "--with", "around.yaml"]);
    expect(inside).toEqual({ code: 0, programs: 1, forks: 0 });
    // What is looked for is seen where it is.
    const real = await started(place, ["run", "t", "-b", "b.yaml"]);
    expect(real.programs).toBeGreaterThan(1);
    expect(real.forks).toBeGreaterThan(0);
  });
});

it("names a run that is not there", async () => {
  using place = new Place();
  await ran(place);
  const { code, stderr } = await trammel(["replay", "nope"], { place });
  expect([code, stderr]).toEqual([2, "trammel: there is no run nope\n  trammel runs lists them.\n"]);
});
