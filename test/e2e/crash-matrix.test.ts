import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testReportShape } from "../../src/wire/tests.ts";
import { Place, root, trammel } from "./support/cli.ts";

/** Three steps, the second of which may be repeated after a crash. */
function ship(deploy: string): string {
  return `name: ship
entry: build
nodes:
  build: { type: script, run: echo built > built.txt }
  deploy: { type: script, run: "${deploy}", idempotent: true }
  tell: { type: script, run: echo told >> told.txt }
edges:
  - { from: build, when: success, to: deploy }
  - { from: deploy, when: success, to: tell }
`;
}

const tests = `tests:
  - name: ships
    run: [build, deploy, tell]
    effects: [deploys.log, told.txt]
    expect: { outcome: succeeded, files: { built.txt: "built\\n" } }
`;

async function matrix(place: Place) {
  const ran = await trammel(["test", "--crash-matrix", "--json"], { place });
  const { files } = testReportShape.parse(JSON.parse(ran.stdout));
  return { code: ran.code, tests: files.flatMap((file) => file.tests) };
}

describe("trammel test --crash-matrix", () => {
  it("passes where what may be repeated leaves the same, however often an engine dies", async () => {
    using place = new Place();
    place.file("ship.yaml", ship("echo deployed > deploys.log"));
    place.file("ship.test.yaml", tests);
    const { code, tests: ran } = await matrix(place);
    expect(ran.map(({ failures }) => failures)).toEqual([[]]);
    expect(code).toBe(0);
    // A commit opens the run and one ends each node, each with a death before and after it.
    expect(ran[0]?.crashes).toBeGreaterThanOrEqual(2 * 4);
  });

  it("finds a node that is said to be repeatable and is not", async () => {
    using place = new Place();
    place.file("ship.yaml", ship("echo deployed >> deploys.log"));
    place.file("ship.test.yaml", tests);
    const { code, tests: ran } = await matrix(place);
    expect(code).toBe(1);
    expect(ran[0]?.failures.length).toBeGreaterThan(0);
    expect(new Set(ran[0]?.failures.map(({ what }) => what.replace(/ (before|after) commit \d+/, "")))).toEqual(
      new Set(["crash: effects.deploys.log"]),
    );
    expect(ran[0]?.failures[0]).toMatchObject({ expected: "deployed\n", actual: "deployed\ndeployed\n" });
    const shown = await trammel(["show", ran[0]?.run ?? "", "--json"], {
      place,
      env: { TRAMMEL_HOME: ran[0]?.home ?? "" },
    });
    expect(JSON.parse(shown.stdout)).toMatchObject({ blueprint: "ship", status: "succeeded" });
  });

  it("finds a probe that overlooks what was done", async () => {
    using place = new Place();
    const probed = ship("true").replace(
      "echo told >> told.txt",
      'echo told >> told.txt, effect: { probe: "test -e overlooked", done: exit 0 }',
    );
    place.file("ship.yaml", probed);
    place.file("ship.test.yaml", tests.replace("deploys.log, ", ""));
    const { code, tests: ran } = await matrix(place);
    expect(code).toBe(1);
    expect(ran[0]?.failures.map(({ actual }) => actual)).toContain("told\ntold\n");
  });

  it("sees what was done in nothing but the repository, and does not have it done again", async () => {
    using place = new Place();
    place.file(
      "release.yaml",
      `name: release
entry: commit
nodes:
  commit: { type: script, run: "test $(git rev-list --count HEAD) = 1 && git commit -q --allow-empty -m empty" }
  tag: { type: script, run: "git tag -a v1 -m v1" }
edges: [{ from: commit, when: success, to: tag }]
`,
    );
    place.file(
      "release.test.yaml",
      `tests:
  - name: releases
    git: true
    run: [commit, tag]
    expect: { outcome: succeeded }
`,
    );
    const { code, tests: ran } = await matrix(place);
    // Neither can be done a second time.
    expect(ran.map(({ failures }) => failures)).toEqual([[]]);
    expect(code).toBe(0);
    expect(ran[0]?.crashes).toBeGreaterThanOrEqual(2 * 3);
  });

  it("goes on through waits, gates, loops and what runs inside", async () => {
    using place = new Place();
    place.file(
      "long.yaml",
      `name: long
entry: list
nodes:
  list: { type: script, run: ls, output: json, idempotent: true }
  each: { type: map, over: "{list}", do: { type: script, run: make } }
  ask: { type: human, mode: approval, prompt: Go on? }
  pause: { type: wait, for: 3d }
  test: { type: script, run: make test }
  fix: { type: agent, prompt: "Mend it: {test}", cap: 2 }
edges:
  - { from: list, when: success, to: each }
  - { from: each, when: success, to: ask }
  - { from: ask, when: success, to: pause }
  - { from: pause, to: test }
  - { from: test, when: failure, to: fix }
  - { from: fix, to: test }
`,
    );
    place.file(
      "long.test.yaml",
      `tests:
  - name: long
    nodes:
      list: { value: [1, 2] }
      each/do: success
      ask: yes
      test: [failure, success]
      fix: { files: { mended.txt: "yes" } }
    expect:
      route: [list, each, ask success, pause, test failure, fix, test success]
      outcome: succeeded
      files: { mended.txt: "yes" }
`,
    );
    const { code, tests: ran } = await matrix(place);
    expect(ran.map(({ failures }) => failures)).toEqual([[]]);
    expect(code).toBe(0);
    expect(ran[0]?.crashes).toBeGreaterThan(2 * 8);
  });

  it("goes on under a budget, of agents that may be repeated and of others", async () => {
    using place = new Place();
    place.file(
      "bounded.yaml",
      `name: bounded
limits: { tokens: 1k }
nodes:
  a: { type: agent, prompt: Do a., idempotent: true }
  b: { type: call, blueprint: ./inner.yaml }
  c: { type: agent, prompt: Do c. }
edges: [{ from: a, to: b }, { from: b, to: c }]
`,
    );
    place.file("inner.yaml", "name: inner\nnodes:\n  d: { type: agent, prompt: Do d. }\n");
    const nodes = (d: number): string => `nodes: { a: { tokens: 400 }, b/d: { tokens: ${d} }, c: { tokens: 100 } }`;
    place.file(
      "bounded.test.yaml",
      `tests:
  - { name: enough, ${nodes(500)}, expect: { outcome: succeeded } }
  - { name: too much, ${nodes(600)}, expect: { outcome: limit, reason: "c: limits.tokens is 1000, and 1000 are used" } }
`,
    );
    const { code, tests: ran } = await matrix(place);
    expect(ran.map(({ failures }) => failures)).toEqual([[], []]);
    expect(code).toBe(0);
  });

  it("passes for the flow from a task to a pull request, with a real branch and a real commit", async () => {
    using place = new Place();
    const feature = join(root, "examples/minions/feature.test.yaml");
    const args = ["test", feature, "-t", "goes from a task", "--crash-matrix", "--json"];
    const ran = await trammel(args, { place });
    const report = testReportShape.parse(JSON.parse(ran.stdout));
    expect(report.files.flatMap(({ tests: all }) => all.flatMap(({ failures }) => failures))).toEqual([]);
    expect(report.files[0]?.tests[0]?.crashes).toBeGreaterThanOrEqual(2 * 9);
  }, 240_000);
});
