import { describe, expect, it } from "vitest";
import { runListShape, runReportShape } from "../../src/wire/run-report.ts";
import { Place, start, trammel, runIn } from "./support/cli.ts";

const top = `name: top
nodes:
  list: {type: script, run: "echo '[1, 2, 3]'", output: json}
  each: {type: map, over: "{list}", parallel: 2, do: {type: script, run: 'echo "$((N * N))"', env: {N: "{item}"}}}
  sub: {type: call, blueprint: lib/sub.yaml, with: {who: "{each.2}"}}
  say: {type: script, run: cat, stdin: "{each} {sub.greeting}"}
edges:
  - {from: list, when: success, to: each}
  - {from: each, when: success, to: sub}
  - {from: sub, when: success, to: say}
  - {from: say, to: END}
`;

const sub = `name: sub
inputs: {who: string}
outputs: {greeting: {type: string, from: "{hi}"}}
nodes:
  hi: {type: script, run: 'printf "hello %s" "$TRAMMEL_INPUT_WHO"'}
`;

/** The first node of the callee may run again, and waits until the file `go` is there. */
const waiting = `name: sub
nodes:
  a: {type: script, run: "echo a >> log"}
  b: {type: script, idempotent: true, run: "echo b >> log; until test -e go; do sleep 0.05; done"}
edges: [{from: a, when: success, to: b}]
`;

const calling = `name: top
nodes:
  before: {type: script, run: "echo before >> log"}
  sub: {type: call, blueprint: sub.yaml}
  after: {type: script, run: "echo after >> log"}
edges: [{from: before, when: success, to: sub}, {from: sub, when: success, to: after}]
`;

describe("a blueprint that calls and maps", () => {
  it("prints what came of it, lists one run, and shows those inside", async () => {
    using place = new Place();
    place.file("top.yaml", top);
    place.file("lib/sub.yaml", sub);
    const ran = await trammel(["run", "t", "-b", "top.yaml"], { place });
    expect(ran).toMatchObject({ code: 0, stdout: '["1","4","9"] hello 9\n' });
    const { runs } = runListShape.parse(JSON.parse((await trammel(["runs", "--json"], { place })).stdout));
    expect(runs.map(({ blueprint }) => blueprint)).toEqual(["top"]);
    const shown = await trammel(["show", runs[0]?.run ?? "", "--json"], { place });
    const { inside } = runReportShape.parse(JSON.parse(shown.stdout));
    expect(inside.map(({ node, item, status }) => `${node} ${item} ${status}`).toSorted()).toEqual([
      "each 0 succeeded",
      "each 1 succeeded",
      "each 2 succeeded",
      "sub null succeeded",
    ]);
    const child = await trammel(["show", inside.find(({ node }) => node === "sub")?.run ?? ""], { place });
    expect(child.stdout).toContain("hello 9");
  });

  it("gives nobody an output that is not of its declared type, and says so at the node that said it", async () => {
    using place = new Place();
    place.file("top.yaml", "name: top\nnodes:\n  count: {type: call, blueprint: sub.yaml}\n");
    place.file("said.json", '{"n": "many"}');
    const node = "{type: script, run: cat said.json, output: json}";
    place.file("sub.yaml", `name: sub\noutputs: {n: {type: integer, from: "{say.n}"}}\nnodes:\n  say: ${node}\n`);
    const run = await trammel(["run", "t", "-b", "top.yaml"], { place });
    expect(run).toMatchObject({ code: 1 });
    expect(run.stderr).toContain('count/say failure: outputs.n is declared `integer`, and {say.n} is "many"');
    expect(run.stderr).toContain('failed: count: say: outputs.n is declared `integer`, and {say.n} is "many"');
  });

  it("is checked against the lock beside it, and only where there is one", async () => {
    using place = new Place();
    place.file("top.yaml", calling.replace("sub.yaml}", "sub.yaml, with: {who: you}}"));
    place.file("sub.yaml", sub);
    const checked = (): ReturnType<typeof trammel> => trammel(["check", "top.yaml"], { place });
    expect(await checked()).toMatchObject({ code: 0, stdout: expect.not.stringContaining("unpinned-call") });
    place.file("trammel.lock", '{"version": 1, "pins": {}}');
    const loose = await checked();
    expect(loose).toMatchObject({ code: 0, stdout: expect.stringContaining("[unpinned-call]") });
    place.file("trammel.lock", `{"version": 1, "pins": {"sub.yaml": "${"0".repeat(64)}"}}`);
    const changed = await checked();
    expect(changed).toMatchObject({ code: 2, stdout: expect.not.stringContaining("unpinned-call") });
    expect(changed.stdout).toMatch(/^top\.yaml:\d+:\d+: Call .+ pinned 0{12}, found [0-9a-f]{12} \[changed-callee\]/);
    place.file("trammel.lock", "{}");
    expect(await checked()).toMatchObject({ code: 2, stderr: expect.stringContaining("trammel.lock does not hold") });
  });

  it("refuses a callee that is not the one that was pinned, with both hashes, until it is pinned anew", async () => {
    using place = new Place();
    place.file("top.yaml", top);
    place.file("lib/sub.yaml", sub);
    expect(await trammel(["pin", "top.yaml"], { place })).toMatchObject({ code: 0 });
    const pinned = place.read("trammel.lock");
    place.file("lib/sub.yaml", sub.replace("hello", "goodbye"));
    const refused = await trammel(["run", "t", "-b", "top.yaml"], { place });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/pinned [0-9a-f]{12}, found [0-9a-f]{12}\n.*trammel pin top\.yaml/);
    expect(pinned).toContain(/pinned ([0-9a-f]{12})/.exec(refused.stderr)?.[1]);
    const found = /found ([0-9a-f]{12})/.exec(refused.stderr)?.[1] ?? "";
    const checked = await trammel(["check", "top.yaml"], { place });
    expect(checked).toMatchObject({ code: 2, stdout: expect.stringContaining(`found ${found} [changed-callee]`) });
    await trammel(["pin", "top.yaml"], { place });
    expect(await trammel(["check", "top.yaml"], { place })).toMatchObject({ code: 0 });
    expect(await trammel(["run", "t", "-b", "top.yaml"], { place })).toMatchObject({ code: 0 });
  });

  it("refuses one that leads back to itself, and one with problems", async () => {
    using place = new Place();
    place.file("a.yaml", "name: a\nnodes: {x: {type: call, blueprint: b.yaml}}\n");
    place.file("b.yaml", "name: b\nnodes: {x: {type: call, blueprint: a}}\n");
    const loop = await trammel(["run", "t", "-b", "a.yaml"], { place });
    expect(loop).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/calls itself: .*a\.yaml → .*b\.yaml → .*a\.yaml/),
    });
    place.file("b.yaml", "name: b\nnodes: {x: {type: nothing}}\n");
    const broken = await trammel(["run", "t", "-b", "a.yaml"], { place });
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown type") });
  });

  it("goes on after kill -9 inside the callee, with the callee that it began with, and does nothing twice", async () => {
    using place = new Place();
    place.file("top.yaml", calling);
    place.file("sub.yaml", waiting);
    const run = start(["run", "t", "-b", "top.yaml", "--json"], { place });
    await run.until(/"node\.process"[^\n]*"node":"sub"[^]*"node\.process"[^\n]*"node":"sub"/);
    await place.until("log", "before\na\nb\n");
    run.child.kill("SIGKILL");
    await run.end;
    const id = runIn(run.stdout);
    place.file("go", "");
    place.file("sub.yaml", waiting.replaceAll("echo", "echo changed"));
    expect(await trammel(["resume", id], { place })).toMatchObject({ code: 0 });
    expect(place.read("log")).toBe("before\na\nb\nb\nafter\n");
  });

  it("escalates with the node of the callee, and goes on from a decision about it", async () => {
    using place = new Place();
    place.file("top.yaml", calling);
    place.file(
      "sub.yaml",
      'name: sub\nescalate: [failure]\nnodes: {x: {type: script, run: "echo x >> log; echo oops >&2; test -e go"}}\n',
    );
    const ran = await trammel(["run", "t", "-b", "top.yaml"], { place });
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain("\nnode: sub/x\niteration: 1/1\nreason: exit code 1: oops\nevidence: oops\n");
    const id = /trammel resolve (\S+) --node sub\/x/.exec(ran.stderr)?.[1] ?? "";
    place.file("go", "");
    const args = ["resolve", id, "--node", "sub/x", "--as", "again", "--reason", "go is there"];
    expect(await trammel(args, { place })).toMatchObject({ code: 0 });
    expect(place.read("log")).toBe("before\nx\nx\nafter\n");
  });
});

it("what a run gives, and an item of a map, is what came of a race, not what its loser or a cleanup said", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: b
finally: tidy
entry: list
nodes:
  list: {type: script, run: 'echo "[1]"', output: json}
  each:
    type: map
    over: "{list}"
    do:
      entry: begin
      nodes:
        begin: {type: script, run: "true", next: [fast, slow]}
        fast: {type: script, run: echo fast, next: won}
        slow: {type: script, run: "until test -e won; do sleep 0.05; done; echo slow", next: won}
        won: {type: script, join: any, losers: drain, run: "touch won; echo won"}
  told: {type: script, run: cat, stdin: "{each}"}
  tidy: {type: script, run: echo tidy}
edges: [{from: list, when: success, to: each}, {from: each, when: success, to: told}]
`,
  );
  expect(await trammel(["run", "-b", "b.yaml"], { place })).toMatchObject({ code: 0, stdout: '["won"]\n' });
});
