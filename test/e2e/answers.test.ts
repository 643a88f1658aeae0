import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { inboxShape } from "../../src/wire/inbox.ts";
import { runEndShape, runListShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel } from "./support/cli.ts";

function gated(gate: string): string {
  return `name: g
entry: w
nodes:
  w: {type: script, run: "echo w >> log"}
  a: {type: human, ${gate}}
  b: {type: script, run: 'printf "%s" "$SAID" > said; echo b >> log', env: {SAID: "{a}"}}
edges:
  - {from: w, to: a}
  - {from: a, when: success, to: b}
  - {from: a, when: failure, to: END}
`;
}

async function waiting(place: Place) {
  return inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout)).waiting;
}

/** Parks a run at its gate and answers its id. */
async function parked(place: Place, gate: string): Promise<string> {
  place.file("b.yaml", gated(gate));
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  expect(ran.code).toBe(5);
  expect(runEndShape.parse(lastLine(ran))).toMatchObject({ status: "waiting", exitCode: 5 });
  return String(lastLine(ran)["run"]);
}

function log(place: Place): string {
  return place.read("log");
}

describe("a parked run", () => {
  it("reads waiting, stands in the inbox, and goes on with a yes", async () => {
    using place = new Place();
    const run = await parked(place, `mode: approval, prompt: "Ship it?"`);
    const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
    expect(runs).toMatchObject([{ run, status: "waiting" }]);
    expect(await waiting(place)).toMatchObject([{ run, node: "a", mode: "approval", prompt: "Ship it?" }]);
    const answered = await trammel(["answer", run, "a", "yes"], { place });
    expect(answered.code).toBe(0);
    expect(answered.stderr.replaceAll(/^ *[\d.]+s {2}/gm, "")).toMatch(
      /^resumed\na waits for a person: Ship it\?\na answered with yes by \S+\na success\nb started\nb success\n/,
    );
    expect(log(place)).toBe("w\nb\n");
    expect(await waiting(place)).toEqual([]);
  });

  it("goes on with a no, and b is not run", async () => {
    using place = new Place();
    const run = await parked(place, `mode: approval, prompt: "Ship it?"`);
    expect((await trammel(["answer", run, "a", "no"], { place })).code).toBe(1);
    expect(log(place)).toBe("w\n");
  });

  it("is said to be out of time once it is, and then goes on without an answer and a terminal", async () => {
    using place = new Place();
    const run = await parked(place, `mode: approval, prompt: "Ship it?", timeout: 1h`);
    const [soon] = await waiting(place);
    expect(Date.parse(soon?.until ?? "") - Date.parse(soon?.since ?? "")).toBeGreaterThan(3_590_000);
    expect((await trammel(["inbox"], { place })).stdout).not.toContain("time was up");
    expect((await trammel(["stop", run], { place })).code).toBe(0);
    const late = await parked(place, `mode: approval, prompt: "Ship it?", timeout: 2s`);
    const said = async (): Promise<string> => (await trammel(["inbox"], { place })).stdout;
    await expect.poll(said).toContain("time was up");
    expect(await said()).toMatch(new RegExp(`its time was up at \\S+Z: trammel resume ${late} --detach goes on`));
    expect(await said()).not.toContain("trammel answer");
    expect((await trammel(["resume", late], { place })).code).toBe(1);
    expect(log(place)).toBe("w\nw\n");
    expect(await waiting(place)).toEqual([]);
  });

  it.each([
    ["its no", "", 1],
    ["the default", ", default: yes", 0],
  ])("takes no answer after its time, which sets nothing off: %s decides later", async (_, more, code) => {
    using place = new Place();
    const run = await parked(place, `mode: approval, prompt: "Ship it?", timeout: 2s${more}`);
    await expect.poll(async () => (await trammel(["inbox"], { place })).stdout).toContain("time was up");
    const late = await trammel(["answer", run, "a", code === 0 ? "no" : "yes"], { place });
    const why = `its time was up at \\S+Z\n {2}trammel resume ${run} --detach goes on as if nobody had answered`;
    expect(late).toMatchObject({ code: 2, stderr: expect.stringMatching(why) });
    expect(log(place)).toBe("w\n");
    expect(await waiting(place)).toMatchObject([{ run, node: "a" }]);
    expect((await trammel(["resume", run, "--detach"], { place })).code).toBe(code);
    expect(log(place)).toBe(code === 0 ? "w\nb\n" : "w\n");
  });

  it("stays parked for what is no decision, no gate, no option and no field", async () => {
    using place = new Place();
    const run = await parked(place, `mode: approval, prompt: "Ship it?"`);
    for (const [node, said, why] of [
      ["a", "sure", '"sure" is neither yes nor no'],
      ["a", "", '"" is neither yes nor no'],
      ["b", "yes", "nothing waits for an answer at b"],
      ["a", `${"y".repeat(9999)} `, /"y{1,200}… is neither yes nor no/],
    ] as const) {
      const refused = await trammel(["answer", run, node, said], { place });
      expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(why) });
    }
    expect(await waiting(place)).toHaveLength(1);
    expect(log(place)).toBe("w\n");
  });

  it.each<[string, string, string, string]>([
    ["a text", `prompt: "Name?"`, "Ann Lee", "Ann Lee"],
    [
      "a form",
      `mode: form, prompt: "Fill", fields: {name: string, times: {type: integer, default: 2}}`,
      '{"name": "Ann"}',
      '{"name":"Ann","times":2}',
    ],
  ])("takes %s", async (_, gate, text, said) => {
    using place = new Place();
    const run = await parked(place, gate);
    expect((await trammel(["answer", run, "a", text], { place })).code).toBe(0);
    expect(place.read("said")).toBe(said);
  });

  it("is not failed by a resume where nobody can be asked, and goes on at a terminal", async () => {
    using place = new Place();
    const run = await parked(place, `mode: approval, prompt: "Ship it?"`);
    const refused = await trammel(["resume", run], { place });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("waits for a person");
    expect((await trammel(["resume", run, "--detach"], { place })).code).toBe(5);
    const asked = start(["resume", run], { place, terminal: true });
    await asked.until(/Approve\?/);
    asked.type("yes\n");
    expect((await asked.end).code).toBe(0);
    expect(log(place)).toBe("w\nb\n");
  });

  it("is stopped, though its blueprint has changed and the configuration cannot be read", async () => {
    using place = new Place();
    const run = await parked(place, `mode: approval, prompt: "Ship it?"`);
    place.file("b.yaml", "name: changed");
    place.file("trammel.yaml", "agnet: {}");
    const stopped = await trammel(["stop", run], { place });
    expect(stopped).toMatchObject({ code: 0, stdout: "", stderr: `run ${run} stopped\n` });
    expect(log(place)).toBe("w\n");
    const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
    expect(runs).toMatchObject([{ run, status: "stopped", reason: expect.stringMatching(/^stopped by /) }]);
    expect(await waiting(place)).toEqual([]);
    const again = await trammel(["stop", run], { place });
    expect(again).toMatchObject({ code: 2, stderr: `trammel: run ${run} is over: stopped\n` });
    const late = await trammel(["answer", run, "a", "yes"], { place });
    expect(late).toMatchObject({ code: 2, stderr: expect.stringMatching(/: the run ended at \S+Z: stopped by \S+\n/) });
    rmSync(place.path("trammel.yaml"));
    expect((await trammel(["replay", run], { place })).stdout).toMatch(/ events recomputed, the same\n$/);
  });

  it("is answered once, however many answer, and goes on once", async () => {
    const until = performance.now() + 20_000;
    for (let round = 0; round < 8 && performance.now() < until; round++) {
      using place = new Place();
      const run = await parked(place, `mode: approval, prompt: "Ship it?"`);
      const give = () => start(["answer", run, "a", "yes"], { place });
      const early = [give(), give()];
      // The third comes when one of them has the run already.
      await Promise.any(early.map((one) => one.until(/a waits for a person/)));
      const ends = await Promise.all([...early, give()].map((one) => one.end));
      const who =
        /^trammel: .* a of run \S+(?: was not taken)?: \S+ answered a with yes at \S+Z, with trammel answer$/m;
      const refused = { code: 2, stderr: expect.stringMatching(who) };
      expect(ends.toSorted((x, y) => Number(x.code) - Number(y.code))).toMatchObject([{ code: 0 }, refused, refused]);
      expect(log(place)).toBe("w\nb\n");
    }
  });
});

it("is answered or stopped, and never fails for it, where both come at once to a gate inside", async () => {
  const until = performance.now() + 20_000;
  for (let round = 0; round < 6 && performance.now() < until; round++) {
    using place = new Place();
    place.file("b.yaml", gated(`mode: approval, prompt: "Ship it?"`));
    place.file("o.yaml", "name: o\nentry: c\nnodes:\n  c: {type: call, blueprint: ./b.yaml}\n");
    const run = String(lastLine(await trammel(["run", "t", "-b", "o.yaml", "--detach", "--json"], { place }))["run"]);
    const answering = start(["answer", run, "c/a", "yes"], { place });
    if (round % 2 === 1) await answering.until(/resumed/);
    const stopping = start(["stop", run], { place });
    const [answered, stopped] = await Promise.all([answering.end, stopping.end]);
    const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
    const fits: Readonly<Record<string, boolean>> = {
      stopped: stopped.code === 0,
      succeeded: answered.code === 0 && log(place) === "w\nb\n",
    };
    expect(runs.map(({ status }) => fits[status] ?? status)).toEqual([true]);
  }
});

it.each([
  ["its answer", ["answer"], ["a", "yes"], "w\nb\n"],
  ["a stop", ["stop"], [], "w\n"],
])("takes a run over with %s where the process that should have taken it is killed", async (_, command, more, done) => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: two
entry: w
nodes:
  w: {type: script, run: echo w >> log}
  a: {type: human, mode: approval, prompt: "Ship it?"}
  long: {type: script, run: "[ -e began ] || { touch began; exec sleep 300; }", idempotent: true}
  b: {type: script, run: echo b >> log}
edges:
  - {from: w, to: a}
  - {from: w, to: long}
  - {from: a, when: success, to: b}
`,
  );
  const running = start(["run", "t", "-b", "b.yaml", "--detach"], { place });
  await expect.poll(() => existsSync(place.path("began"))).toBe(true);
  await expect.poll(() => waiting(place)).toHaveLength(1);
  const [one] = await waiting(place);
  running.child.kill("SIGSTOP");
  const telling = start([...command, one?.run ?? "", ...more], { place });
  await expect.poll(() => messages(place)).toBe(1);
  running.child.kill("SIGKILL");
  expect(await telling.end).toMatchObject({ code: 0 });
  expect(log(place)).toBe(done);
  const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
  expect(runs).toMatchObject([{ status: command[0] === "stop" ? "stopped" : "succeeded" }]);
  expect(messages(place)).toBe(0);
});

/** How many messages wait in the store. */
function messages(place: Place): number {
  const name = readdirSync(place.home).find((file) => file.endsWith(".db")) ?? "";
  using db = new DatabaseSync(place.path(join(".home", name)), { readOnly: true });
  return Number(db.prepare("SELECT count(*) AS n FROM mailbox").get()?.["n"]);
}

it("answers a run that waits at another terminal", async () => {
  using place = new Place();
  place.file("b.yaml", gated(`mode: approval, prompt: "Ship it?"`));
  const run = start(["run", "t", "-b", "b.yaml"], { place, terminal: true });
  await run.until(/Approve\?/);
  const [one] = await waiting(place);
  const answered = await trammel(["answer", one?.run ?? "", "a", "yes"], { place });
  expect(answered).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`answered a of run ${one?.run} with yes: `),
  });
  expect((await run.end).code).toBe(0);
  expect(existsSync(place.path("said"))).toBe(true);
});

it("stops a run whose engine was killed, and performs nothing of it", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: killed
entry: long
nodes:
  long: {type: script, run: "echo began >> log; exec sleep 300", idempotent: true, next: after}
  after: {type: script, run: echo after >> log}
`,
  );
  const running = start(["run", "t", "-b", "b.yaml", "--json"], { place });
  await running.until(/"node\.process"/);
  running.child.kill("SIGKILL");
  await running.end;
  const run = String(JSON.parse(running.stdout.split("\n")[0] ?? "")["run"]);
  const stopped = await trammel(["stop", run], { place });
  expect(stopped).toMatchObject({ code: 0, stderr: `run ${run} stopped\n` });
  const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
  expect(runs).toMatchObject([{ run, status: "stopped" }]);
  expect((await trammel(["resume", run], { place })).code).toBe(2);
  expect(existsSync(place.path("log")) ? log(place) : "").toMatch(/^(began\n)?$/);
});

it("stops a killed run together with the run inside it", async () => {
  using place = new Place();
  place.file(
    "inner.yaml",
    "name: inner\nentry: long\nnodes:\n  long: {type: script, run: echo began > log; exec sleep 300}\n",
  );
  place.file("b.yaml", "name: outer\nentry: sub\nnodes:\n  sub: {type: call, blueprint: ./inner.yaml}\n");
  const running = start(["run", "t", "-b", "b.yaml", "--json"], { place });
  await running.until(/"node\.started"/);
  await expect.poll(() => existsSync(place.path("log"))).toBe(true);
  running.child.kill("SIGKILL");
  await running.end;
  const run = String(JSON.parse(running.stdout.split("\n")[0] ?? "")["run"]);
  const stopped = await trammel(["stop", run], { place });
  expect(stopped.code).toBe(0);
  const [inner, outer] = stopped.stderr.trim().split("\n");
  expect(outer).toBe(`run ${run} stopped`);
  expect(inner).toMatch(/^run \S+ stopped$/);
  expect((await trammel(["replay", run], { place })).code).toBe(0);
});
