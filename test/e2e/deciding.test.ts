import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { inboxShape } from "../../src/wire/inbox.ts";
import { runReportShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel, runIn } from "./support/cli.ts";

const gated = (node = "") => `name: g
entry: ask
nodes:
  ask: {type: human, mode: approval, prompt: "Ship it?"${node}}
  ship: {type: script, run: echo shipped > log}
edges:
  - {from: ask, when: success, to: ship}
  - {from: ask, when: failure, to: END}
`;

async function parked(place: Place): Promise<string> {
  place.file("b.yaml", gated());
  const ran = await trammel(["run", "-b", "b.yaml", "--detach", "--json"], { place });
  expect(ran.code).toBe(5);
  return String(lastLine(ran)["run"]);
}

it("tells a late answer who decided, when and how", async () => {
  using place = new Place();
  const run = await parked(place);
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(0);
  const late = await trammel(["answer", run, "ask", "no"], { place });
  expect(late.code).toBe(2);
  expect(late.stderr).toMatch(/: \S+ answered ask with yes at 20\S+Z, with trammel answer\n/);
});

it("takes no decision from inside a run", async () => {
  using place = new Place();
  const run = await parked(place);
  for (const [name, command] of [
    ["TRAMMEL_RUN", ["answer", run, "ask", "yes"]],
    ["TRAMMEL_NODE", ["settle", run, "ask", "--as", "done"]],
    ["TRAMMEL_NODE", ["resolve", run, "--node", "ask", "--as", "done", "--reason", "me"]],
  ] as const) {
    const refused = await trammel(command, { place, env: { [name]: "fix" } });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("not taken from inside a run")]);
  }
  expect((await trammel(["inbox"], { place })).stdout).toContain("ask: Ship it?");
});

it("a node that starts a run is asked nothing by it, and answers none", async () => {
  using place = new Place();
  place.file("inner.yaml", gated());
  const trammelBin = `${process.execPath} ${JSON.stringify(process.cwd())}/bin/trammel.js`;
  place.file(
    "b.yaml",
    `name: outer
entry: cheat
nodes:
  cheat:
    type: script
    run: |
      export TRAMMEL_HOME=$PWD/.inner
      yes | head -n 100 | script -qec '${trammelBin} run -b inner.yaml' /dev/null > inner.log
      ${trammelBin} run -b inner.yaml --detach; ${trammelBin} answer $(${trammelBin} inbox | head -n 1 | cut -d ' ' -f 1) ask yes 2> refused
`,
  );
  expect((await trammel(["run", "-b", "b.yaml"], { place })).code).toBe(1);
  expect(place.read("refused")).toContain("this is node cheat of run ");
  expect(place.read("inner.log")).toContain("there is no terminal to ask at");
  expect(existsSync(place.path("log"))).toBe(false);
});

it("refuses a run that nobody could decide about, before anything of it", async () => {
  using place = new Place();
  place.file("b.yaml", gated(", approvers: [no-such-user-here]"));
  const refused = await start(["run", "-b", "b.yaml", "--detach"], { place }).end;
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("none of its approvers is a user here: no-such-user-here");
  expect((await trammel(["runs"], { place })).stdout).not.toContain("running");
});

it("what halted a run is in the inbox, after the gates, with the command that decides, until somebody has", async () => {
  using place = new Place();
  place.file("stuck.yaml", "name: stuck\nescalate: [failure]\nnodes: {check: {type: script, run: test -e ready}}\n");
  const halted = await trammel(["run", "-b", "stuck.yaml", "--json"], { place });
  const run = String(lastLine(halted)["run"]);
  const asking = await parked(place);
  const { stdout } = await trammel(["inbox"], { place });
  expect(stdout).toContain(
    `${run}  check: escalated, exit code 1\n  Decide how to go on: trammel resolve ${run} --node check `,
  );
  expect(stdout.indexOf(asking)).toBe(0);
  const listed = inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout));
  expect(listed.waiting).toMatchObject([{ run: asking, node: "ask" }]);
  expect(listed.decisions).toMatchObject([{ run, status: "escalated", node: "check", reason: "exit code 1" }]);
  expect((await trammel(["resume", run], { place })).stderr).toContain(
    `trammel resolve ${run} --node check --as done|failed|again --reason TEXT`,
  );
  await trammel(["resolve", run, "--node", "check", "--as", "done", "--reason", "looked"], { place });
  expect((await trammel(["inbox"], { place })).stdout).not.toContain(run);
});

it("a question beside a halt is suspended, and asked again once a decision goes on with the run", async () => {
  using place = new Place();
  place.file("inner.yaml", "name: inner\nnodes: {ask: {type: human, mode: approval, prompt: Inside?}}\n");
  place.file(
    "b.yaml",
    `name: b
entry: go
escalate: [failure]
nodes:
  go: {type: script, run: "true"}
  ask: {type: human, mode: approval, prompt: Ship?}
  sub: {type: call, blueprint: inner.yaml}
  bad: {type: script, run: "until test -e asked; do sleep 0.01; done; exit 1"}
  ship: {type: script, run: echo shipped >> log}
edges: [{from: go, to: ask}, {from: go, to: sub}, {from: go, to: bad}, {from: ask, to: ship}, {from: sub, to: ship}]
`,
  );
  const running = start(["run", "-b", "b.yaml", "--detach", "--json"], { place });
  await running.until(/"gate.opened"/);
  await running.until(/"node.waiting"/);
  place.file("asked", "");
  const halted = await running.end;
  expect(halted.code).toBe(3);
  const run = String(lastLine(halted)["run"]);
  expect((await trammel(["show", run], { place })).stdout).toContain("1. suspended: the run halted while it waited");
  expect((await trammel(["inbox"], { place })).stdout).not.toContain("Ship?");
  for (const path of ["ask", "sub/ask"])
    expect(await trammel(["answer", run, path, "yes"], { place })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("It has halted: trammel inbox has the command that goes on with it."),
    });
  for (const node of ["ask", "sub"])
    expect((await trammel(["settle", run, node, "--as", "done"], { place })).stderr).toContain(
      `node ${node} of run ${run} has nothing to settle\n  what waits for a decision is bad`,
    );
  const decide = ["resolve", run, "--node", "bad", "--as", "done", "--reason", "looked", "--detach"];
  const decided = await trammel(decide, { place });
  expect(decided.code).toBe(5);
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(5);
  expect((await trammel(["answer", run, "sub/ask", "yes"], { place })).code).toBe(0);
  expect(place.read("log")).toBe("shipped\n");
  expect((await trammel(["replay", run], { place })).code).toBe(0);
});

it("a parked question says what may be answered", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: b
entry: where
nodes:
  where: {type: human, mode: choice, prompt: Where?, options: {north: null, south: {title: To the sea}}}
  what: {type: human, mode: form, prompt: What?, fields: {version: string, count: integer}}
edges:
  - {from: where, when: north, to: what}
  - {from: where, when: south, to: END}
`,
  );
  const run = String(lastLine(await trammel(["run", "-b", "b.yaml", "--detach", "--json"], { place }))["run"]);
  expect((await trammel(["show", run], { place })).stdout).toContain(
    "where: Where?\n      - north\n      - south: To the sea\n",
  );
  await trammel(["answer", run, "where", "north"], { place });
  const report = runReportShape.parse(JSON.parse((await trammel(["show", run, "--json"], { place })).stdout));
  expect(report.waiting).toMatchObject([{ node: "what", choices: ["version: string", "count: integer"] }]);
});

it("an answer to a run that died before it asked is told how the run goes on", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: dies
entry: work
nodes:
  work: {type: script, run: kill -9 $PPID}
  ask: {type: human, mode: approval, prompt: Go on?}
edges:
  - {from: work, when: success, to: ask}
`,
  );
  const { stdout } = await trammel(["run", "-b", "b.yaml", "--detach", "--json"], { place });
  const run = runIn(stdout);
  const early = await trammel(["answer", run, "ask", "yes"], { place });
  expect([early.code, early.stderr]).toEqual([
    2,
    expect.stringContaining(`interrupted: trammel resume ${run} goes on`),
  ]);
});

it("takes a long text and a form from standard input, and tells all fields that do not fit", async () => {
  using place = new Place();
  const ask = '{type: human, mode: form, prompt: "Fill", fields: {name: string, times: integer}}';
  place.file(
    "f.yaml",
    `name: f\nnodes:\n  a: ${ask}\n  b: {type: script, run: cat > said, stdin: "{a}"}\nedges: [{from: a, when: success, to: b}]\n`,
  );
  const run = String(lastLine(await trammel(["run", "-b", "f.yaml", "--detach", "--json"], { place }))["run"]);
  const piped = (text: string, ...args: readonly string[]) =>
    trammel(["answer", run, "a", ...args, "--stdin"], { place, input: text });
  expect((await piped('{"name": 1, "tims": 2}\n')).stderr).toBe(
    "trammel: a has no field tims; it has name, times\ntrammel: field name of a is not a string\ntrammel: field times of a is missing\n",
  );
  expect((await piped('{"name": "Ann",\n "times" 2}')).stderr).toMatch(/is no JSON object: .* \(line 2 column 10\)\n/);
  expect((await piped("a".repeat(limits.answerBytes + 1))).stderr).toContain("is longer than 256 KiB");
  expect((await piped("{}", "{}")).stderr).toContain("Leave one of them out.");
  expect((await trammel(["answer", run, "a"], { place })).stderr).toContain("pipe it in with --stdin");
  expect((await trammel(["show", run], { place })).stdout).toContain("? a: Fill");
  const name = "Ann Lee ".repeat(8_000);
  expect((await piped(`${JSON.stringify({ name, times: 2 })}\n`)).code).toBe(0);
  expect(JSON.parse(place.read("said"))).toEqual({ name, times: 2 });
});

it("takes an answer from a file as an editor writes it, with its mark at the beginning and its line break", async () => {
  using place = new Place();
  place.file("c.yaml", `name: c\nnodes:\n  a: {type: human, mode: choice, prompt: Where, options: [here, there]}\n`);
  const run = String(lastLine(await trammel(["run", "-b", "c.yaml", "--detach", "--json"], { place }))["run"]);
  const answered = await trammel(["answer", run, "a", "--stdin"], { place, input: "\uFEFFthere\r\n" });
  expect([answered.code, answered.stdout]).toEqual([0, "there\n"]);
});
