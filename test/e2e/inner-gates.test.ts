import { describe, expect, it } from "vitest";
import { inboxShape } from "../../src/wire/inbox.ts";
import { runListShape, runReportShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel } from "./support/cli.ts";

const release = `name: release
inputs: {what: string}
nodes:
  build: {type: script, run: "echo build >> log"}
  ok: {type: human, mode: approval, prompt: "Ship it?", show: ["{build}", "{inputs.what}"]}
  ship: {type: script, run: "echo ship >> log"}
edges: [{from: build, to: ok}, {from: ok, when: success, to: ship}, {from: ok, when: failure, to: END, as: failed}]
`;
const top = `name: top
nodes:
  before: {type: script, run: "echo before >> log"}
  sub: {type: call, blueprint: release.yaml, with: {what: "{task}"}}
  after: {type: script, run: "echo after >> log"}
edges: [{from: before, when: success, to: sub}, {from: sub, when: success, to: after}]
`;
const each = `name: each
nodes:
  list: {type: script, run: 'echo "[1, 2]"', output: json}
  items:
    type: map
    over: "{list}"
    parallel: 2
    do:
      entry: pick
      nodes:
        pick: {type: human, mode: choice, prompt: "Which?", options: [left, right], show: ["item {item}"]}
        note: {type: script, run: 'echo "$N $P" >> log', env: {N: "{item}", P: "{pick}"}}
      edges: [{from: pick, to: note}]
edges: [{from: list, when: success, to: items}]
`;

function site(): Place {
  const place = new Place();
  place.file("top.yaml", top);
  place.file("release.yaml", release);
  place.file("each.yaml", each);
  return place;
}

async function parked(place: Place, file: string): Promise<string> {
  const ran = await trammel(["run", "t", "-b", file, "--detach", "--json"], { place });
  expect(ran).toMatchObject({ code: 5 });
  return String(lastLine(ran)["run"]);
}

async function waiting(place: Place) {
  return inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout)).waiting;
}

const log = (place: Place): string => place.read("log");

describe("a gate inside a call", () => {
  it("parks the run, stands under its path wherever a person looks, and goes on with an answer to that path", async () => {
    using place = site();
    const run = await parked(place, "top.yaml");
    expect(await waiting(place)).toMatchObject([{ run, blueprint: "top", node: "sub/ok", prompt: "Ship it?" }]);
    const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--all", "--json"], { place })).stdout));
    expect(runs).toMatchObject([
      { run, status: "waiting", parent: null },
      { status: "waiting", parent: { run, node: "sub", pass: 1, item: null } },
    ]);
    expect((await trammel(["runs", "--all"], { place })).stdout).toMatch(/ waiting .* top .*\n.* waiting .* {3}sub /);
    expect((await trammel(["show", run], { place })).stdout).toMatch(
      /\? sub \(call\)\n[^]* {4}\? sub\/ok: Ship it\?\n {6}│ t\n/,
    );
    const shown = await trammel(["show", run, "--json"], { place });
    expect(runReportShape.parse(JSON.parse(shown.stdout)).waiting).toMatchObject([
      { node: "sub/ok", shown: ["", "t"] },
    ]);
    for (const args of [
      ["sub/ok", "sure"],
      ["ok", "yes"],
      ["sub", "yes"],
    ])
      expect(await trammel(["answer", run, ...args], { place })).toMatchObject({ code: 2, stdout: "" });
    const answered = await trammel(["answer", run, "sub/ok", "yes", "--plain"], { place });
    expect(answered).toMatchObject({ code: 0 });
    expect(answered.stderr).toMatch(/\n *[\d.]+s {4}sub\/ok answered with yes by \S+\n/);
    expect(log(place)).toBe("before\nbuild\nship\nafter\n");
    expect(await waiting(place)).toEqual([]);
  });

  it("tells the events of its run in their order, though what runs inside tells of processes meanwhile", async () => {
    using place = site();
    const run = await parked(place, "top.yaml");
    const { stdout } = await trammel(["answer", run, "sub/ok", "yes", "--json"], { place });
    const told = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { seq: number }).seq);
    expect(told).toEqual(Array.from(told, (_, index) => (told[0] ?? 0) + index));
    expect(told.length).toBeGreaterThan(8);
  });

  it("is answered by the run inside too, and a no fails the call", async () => {
    using place = site();
    const run = await parked(place, "top.yaml");
    const shown = await trammel(["show", run, "--json"], { place });
    const [inside] = runReportShape.parse(JSON.parse(shown.stdout)).inside;
    const answered = await trammel(["answer", inside?.run ?? "", "ok", "no"], { place });
    expect(answered).toMatchObject({ code: 1 });
    expect(log(place)).toBe("before\nbuild\n");
  });

  it("is asked at the terminal, and answered from another while it stands there", async () => {
    using place = site();
    const asked = start(["run", "t", "-b", "top.yaml"], { place, terminal: true });
    await asked.until(/sub\/ok: Ship it\?[^]*Approve\?/);
    const [gate] = await waiting(place);
    expect(await trammel(["answer", gate?.run ?? "", "sub/ok", "yes"], { place })).toMatchObject({ code: 0 });
    expect((await asked.end).code).toBe(0);
    expect(log(place)).toBe("before\nbuild\nship\nafter\n");
  });

  it("is asked again after kill -9, and what was done before it is not done again", async () => {
    using place = site();
    // Something else that goes on, so that the run is not parked.
    const beside = '  beside: {type: script, idempotent: true, run: "until test -e go; do sleep 0.05; done"}\n';
    const both = top.replace("nodes:\n", `nodes:\n${beside}`).replace("to: sub}", "to: [sub, beside]}");
    place.file("both.yaml", both.replace("name: top", "name: top\nentry: before"));
    const run = start(["run", "t", "-b", "both.yaml", "--detach", "--json"], { place });
    await run.until(/"node\.waiting"/);
    const [gate] = await waiting(place);
    run.child.kill("SIGKILL");
    await run.end;
    place.file("go", "");
    expect(await waiting(place)).toEqual([]);
    expect(await trammel(["answer", gate?.run ?? "", "sub/ok", "yes"], { place })).toMatchObject({ code: 0 });
    expect(log(place)).toBe("before\nbuild\nship\nafter\n");
  });

  it("goes with a stop of the parked run, the run inside first", async () => {
    using place = site();
    for (const file of ["top.yaml", "each.yaml"]) {
      const run = await parked(place, file);
      expect(await trammel(["stop", run], { place })).toMatchObject({ code: 0 });
      const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--all", "--json"], { place })).stdout));
      expect([...new Set(runs.map(({ status }) => status))]).toEqual(["stopped"]);
      expect(await waiting(place)).toEqual([]);
    }
  });
});

describe("gates inside a map", () => {
  it("wait side by side, and each is answered under its item", async () => {
    using place = site();
    const run = await parked(place, "each.yaml");
    expect((await waiting(place)).map(({ node }) => node).toSorted()).toEqual(["items[0]/pick", "items[1]/pick"]);
    const shown = await trammel(["show", run, "--json"], { place });
    const questions = runReportShape.parse(JSON.parse(shown.stdout)).waiting;
    expect(questions.map(({ node, shown: [text] }) => `${node} ${text}`).toSorted()).toEqual([
      "items[0]/pick item 1",
      "items[1]/pick item 2",
    ]);
    expect(await trammel(["answer", run, "items[1]/pick", "right"], { place })).toMatchObject({ code: 5 });
    expect(log(place)).toBe("2 right\n");
    expect(await trammel(["answer", run, "items[0]/pick", "middle"], { place })).toMatchObject({ code: 2 });
    expect(await trammel(["answer", run, "items[0]/pick", "left"], { place })).toMatchObject({ code: 0 });
    expect(log(place)).toBe("2 right\n1 left\n");
    const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--all", "--json"], { place })).stdout));
    expect(runs).toHaveLength(3);
    for (const one of runs)
      expect(await trammel(["replay", one.run], { place })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("the same"),
      });
  });

  it("are asked at the terminal one after the other", async () => {
    using place = site();
    const asked = start(["run", "t", "-b", "each.yaml"], { place, terminal: true });
    await asked.until(/One of 1–2/);
    expect(asked.stdout.match(/One of 1–2/g)).toHaveLength(1);
    asked.type("1\n");
    await asked.until(/One of 1–2[^]*One of 1–2/);
    asked.type("2\n");
    expect((await asked.end).code).toBe(0);
    const done = log(place).trim().split("\n").toSorted().join();
    expect(done).toMatch(/^(?:1 left,2 right|1 right,2 left)$/);
  });
});

it("a decision that an item needs is in the inbox beside the question that another one waits for", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: b
escalate: [failure]
nodes:
  list: {type: script, run: 'echo "[1, 2]"', output: json}
  each:
    type: map
    over: "{list}"
    parallel: 2
    do:
      entry: look
      nodes:
        look: {type: script, run: '[ "$N" = 2 ] || test -e ready', env: {N: "{item}"}}
        ask: {type: human, mode: approval, prompt: "Ship it?"}
      edges: [{from: look, when: success, to: ask}]
edges: [{from: list, when: success, to: each}]
`,
  );
  const run = await parked(place, "b.yaml");
  const inbox = async () => inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout));
  expect(await inbox()).toMatchObject({
    waiting: [{ run, node: "each[1]/ask" }],
    decisions: [{ run, blueprint: "b", status: "escalated", node: "each[0]/look" }],
  });
  const decide = `trammel resolve ${run} --node 'each[0]/look' --as done|failed|again`;
  expect((await trammel(["inbox"], { place })).stdout).toContain(decide);
  place.file("ready", "");
  const resolved = ["resolve", run, "--node", "each[0]/look", "--as", "again", "--reason", "ready", "--detach"];
  expect((await trammel(resolved, { place })).code).toBe(5);
  expect(await inbox()).toMatchObject({
    waiting: [{ node: "each[0]/ask" }, { node: "each[1]/ask" }],
    decisions: [],
  });
});
