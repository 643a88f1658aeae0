import { execFileSync } from "node:child_process";
import { readdirSync, symlinkSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryFiles } from "../../scripts/files.ts";
import { testReportShape } from "../../src/wire/tests.ts";
import { Place, root, trammel } from "./support/cli.ts";

const release = `name: release
entry: build
outputs: { version: { type: string, from: "{build.version}" } }
nodes:
  build: { type: script, run: make, output: { version: string } }
  review: { type: human, prompt: Release it?, mode: approval, timeout: 2d, default: "yes" }
  settle: { type: wait, for: 3d }
  publish: { type: script, run: "exit 1", secrets: [TOKEN], env: { VERSION: "{build.version}" } }
  mend: { type: agent, prompt: "Mend it: {build}" }
edges:
  - { from: build, when: success, to: review }
  - { from: build, when: failure, to: mend }
  - { from: mend, to: END }
  - { from: review, when: success, to: settle }
  - { from: settle, to: publish }
`;

function placeWith(tests: string, blueprint = release): Place {
  const place = new Place();
  place.file("release.yaml", blueprint);
  place.file("release.test.yaml", tests);
  return place;
}

async function reportOf(place: Place, ...args: readonly string[]) {
  const ran = await trammel(["test", "--json", ...args], { place });
  return { ...ran, report: testReportShape.parse(JSON.parse(ran.stdout)) };
}

describe("trammel test", () => {
  it("passes for every example, each in less than ten seconds, and says what they walk", async () => {
    using place = new Place();
    const ran = await trammel(["test", join(root, "examples"), "--coverage", "--format", "json"], { place });
    expect(ran.stderr).toBe("");
    const { files, failed, coverage } = testReportShape.parse(JSON.parse(ran.stdout));
    expect({ code: ran.code, failed }).toEqual({ code: 0, failed: 0 });
    const slow = files.filter(({ tests }) => tests.reduce((sum, { ms }) => sum + ms, 0) >= 10_000);
    expect(slow.map(({ file }) => file)).toEqual([]);
    expect(coverage?.filter(({ percent }) => percent < 90)).toEqual([]);
    const all = repositoryFiles("examples/*.yaml", "examples/**/*.yaml").filter((file) => !file.endsWith(".test.yaml"));
    expect(coverage?.map(({ blueprint }) => relative(root, resolve(place.folder, blueprint))).toSorted()).toEqual(
      [...new Set(all)].toSorted(),
    );
  });

  it("lets days pass, answers gates, and needs no model, no key and no secret", async () => {
    using place = placeWith(`tests:
  - name: approved
    nodes: { build: { value: { version: 1.2.3 } }, review: { answer: yes, by: ann }, publish: success }
    expect:
      route: [build success, review success, settle success, publish success]
      outcome: succeeded
      outputs: { version: 1.2.3 }
  - name: nobody answers in two days
    nodes: { build: { stdout: '{"version": "2"}' }, review: timeout, publish: success }
    expect: { route: [build, review success, settle, publish], outputs: { version: "2" } }
  - name: declined
    nodes: { build: { value: { version: "1" } }, review: no }
    expect: { route: [build success, review failure], outcome: rejected, exit: 1, not_started: [settle, publish] }
  - name: what does not fit its schema is a failure
    nodes: { build: { value: { verison: "1" } }, mend: success }
    expect: { route: [build failure, mend success], outcome: succeeded }
`);
    const { code, stdout, stderr } = await trammel(["test"], { place });
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: "" });
    expect(stdout).toContain("4 passed");
  });

  it("shows both routes, marks where they part, and keeps the run", async () => {
    using place = placeWith(`tests:
  - name: goes wrong
    nodes: { build: { exit: 2, stderr: "no rule to make it\\n" }, mend: { outcome: failure, reason: cannot } }
    expect: { route: [build failure, mend success], outcome: succeeded }
`);
    const { code, stdout } = await trammel(["test", "release.yaml"], { place });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ goes wrong .* release\.test\.yaml:2\n/);
    expect(stdout).toMatch(
      / expected +actual\n +build failure +build failure\n +≠ mend success +mend failure: cannot\n/,
    );
    expect(stdout).toMatch(/outcome: expected succeeded, was failed: /);
    const [, where = "", run = ""] = /(TRAMMEL_HOME=.+) trammel show (\w+)/.exec(stdout) ?? [];
    const home = execFileSync("sh", ["-c", `${where}; printf %s "$TRAMMEL_HOME"`], { encoding: "utf8" });
    const shown = await trammel(["show", run, "--json"], { place, env: { TRAMMEL_HOME: home } });
    expect(JSON.parse(shown.stdout)).toMatchObject({ run, blueprint: "release", status: "failed" });
  });

  it("names a node that starts without a word about it, and starts no agent", async () => {
    using place = placeWith(`tests:
  - name: forgotten
    nodes: { build: failure }
    expect: { outcome: failed }
`);
    const { code, report } = await reportOf(place);
    expect(code).toBe(1);
    const said = report.files[0]?.tests.map(({ failures }) => failures[0]?.actual);
    expect(said?.[0]).toContain("agent mend started, and the test does not say what comes of it");
    expect(report.files[0]?.tests[0]?.run).toMatch(/^\w+$/);
  });

  it("takes a list as exactly the passes of a node", async () => {
    const loop = `name: release
entry: test
nodes:
  test: { type: script, run: "exit 1" }
  fix: { type: agent, prompt: Mend it., cap: 3 }
edges:
  - { from: test, when: failure, to: fix }
  - { from: fix, to: test }
`;
    using place = placeWith(
      `tests:
  - name: once too often
    nodes: { test: failure, fix: [success, success] }
    expect: { outcome: escalated }
  - name: a retry is an attempt of its pass
    nodes: { test: [failure, success], fix: [[{ outcome: error, before_effect: true }, success]] }
    config: { limits: { retries: 1 } }
    expect: { route: [test failure, fix success, test success], outcome: succeeded }
`,
      loop,
    );
    const { report } = await reportOf(place);
    const said = report.files[0]?.tests.map(({ failures }) => failures.map(({ actual }) => actual));
    expect(said?.[0]?.[0]).toBe(
      "agent fix#3 started, and the test does not say what comes of it; say it as in nodes: {fix: […, success]}",
    );
    expect(said?.[1]).toEqual([]);
  });

  it("says everything that is wrong with a test file, with its place, and runs nothing", async () => {
    using place = placeWith(`tests:
  - name: a
    nodes: { biuld: success, publish: ok, build: [] }
    fixture: gone
    expect: { outcome: success }
  - nmae: b
    expect: {}
`);
    const { code, stdout, stderr } = await trammel(["test"], { place });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const places = [...stderr.matchAll(/^release\.test\.yaml:(\d+:\d+): .*\[([\w-]+)\]$/gm)].map(
      ([, at, is]) => `${at} ${is}`,
    );
    expect(places).toEqual([
      "3:14 unknown-node",
      "3:39 invalid-value",
      "3:50 invalid-value",
      "4:14 invalid-value",
      "5:24 invalid-value",
      "6:5 unknown-field",
      "7:13 invalid-value",
    ]);
  });

  it("fails a test whose files cannot be written, and writes nothing through a link of its fixture", async () => {
    using place = placeWith(`tests:
  - name: a file that is a folder
    files: { a: x, a/b: y }
    nodes: { "*": failure }
    expect: { outcome: failed }
  - name: a link in the fixture
    fixture: fixture
    files: { out/told: x }
    nodes: { "*": failure }
    expect: { outcome: failed }
  - name: a link in the way of a node
    fixture: fixture
    nodes: { build: { exit: 1, files: { out/told: x } }, "*": failure }
    expect: { outcome: failed }
  - name: an effect that nothing leaves
    nodes: { "*": failure }
    effects: [deploy.log]
    expect: { outcome: failed }
  - name: an effect that must not be
    nodes: { "*": failure }
    effects: [deploy.log]
    expect: { outcome: failed, files: { deploy.log: null } }
`);
    place.file("outside/kept", "");
    place.file("fixture/a.txt", "");
    symlinkSync(place.path("outside"), place.path("fixture/out"));
    const { code, report } = await reportOf(place);
    expect(code).toBe(1);
    const found = report.files[0]?.tests.map(({ failures }) =>
      failures.map(({ what, actual }) => `${what}: ${actual}`),
    );
    expect(found).toEqual([
      [expect.stringMatching(/^files: a\/b cannot be written: /)],
      ["files: out/told leads out of the working folder by a link"],
      ["nodes: files of build: out/told leads out of the working folder by a link"],
      [expect.stringMatching(/^effects\.deploy\.log: not there; /)],
      [],
    ]);
    expect(readdirSync(place.path("outside"))).toEqual(["kept"]);
  });

  it("holds a script to the same rules as what it stands for", async () => {
    const guarded = `name: release
entry: write
nodes:
  write: { type: script, run: make, writes: [docs/**] }
`;
    using place = placeWith(
      `tests:
  - name: writes outside its scope
    files: { src/a.txt: "a" }
    nodes: { write: { files: { src/a.txt: "b", docs/b.txt: "b" } } }
    expect:
      outcome: failed
      files: { src/a.txt: "a", docs/b.txt: "b" }
`,
      guarded,
    );
    const { code, report } = await reportOf(place);
    expect({ code, report }).toMatchObject({ code: 0, report: { passed: 1 } });
  });

  it("speaks of nodes inside maps and calls by their path", async () => {
    const outer = `name: release
entry: list
nodes:
  list: { type: script, run: ls, output: json }
  each: { type: map, over: "{list}", do: { entry: ask, nodes: { ask: { type: human, mode: approval, prompt: Go on? }, do: { type: script, run: "exit 1" } }, edges: [{ from: ask, when: success, to: do }] } }
  tell: { type: call, blueprint: ./tell.yaml }
edges:
  - { from: list, when: success, to: each }
  - { from: each, to: tell }
`;
    using place = placeWith(
      `tests:
  - name: the second item fails
    nodes: { list: { value: [1, 2, 3] }, each/ask: yes, each/do: success, "each[1]/do": failure, tell/say: { files: { said.txt: yes } } }
    expect: { route: [list success, each failure, tell success], files: { said.txt: "yes" } }
  - name: somebody says no to the third item
    nodes: { list: { value: [1, 2, 3] }, each/ask: yes, "each[2]/ask": no, each/do: success, tell: success }
    expect: { route: [list success, each failure, tell success] }
  - name: a whole call is one outcome
    nodes: { list: { value: [1] }, each: success, tell: failure }
    expect: { route: [list success, each success, tell failure], outcome: failed }
`,
      outer,
    );
    place.file("tell.yaml", "name: tell\nnodes: { say: { type: script, run: 'exit 3' } }\nedges: []\n");
    const { code, report } = await reportOf(place);
    expect({ code, failures: report.files.flatMap(({ tests }) => tests.flatMap(({ failures }) => failures)) }).toEqual({
      code: 0,
      failures: [],
    });
  });

  it("tells where no test goes, and fails where that is too much", async () => {
    using place = placeWith(`tests:
  - name: approved
    nodes: { build: { value: { version: "1" } }, review: yes, publish: success }
    expect: { outcome: succeeded }
`);
    const { code, stdout, stderr } = await trammel(["test", "--min-coverage", "90"], { place });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^release\.yaml +4\/5 +3\/5 +70 %$/m);
    expect(stdout).toContain("  release.yaml:12:26: build failure → mend is never walked\n");
    expect(stdout).toContain("  release.yaml: mend never starts\n");
    expect(stderr).toContain("the tests of release.yaml walk 70 % of it, less than 90 %");
    expect((await trammel(["test", "--min-coverage", "70"], { place })).code).toBe(0);
    for (const bad of ["101", "1e2", "-1"]) {
      const refused = await trammel(["test", `--min-coverage=${bad}`], { place });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("It must be a whole number from 0 to 100.");
    }
  });

  it("runs the tests that -t names, and writes JUnit", async () => {
    using place = placeWith(`tests:
  - name: "a <first> & one"
    nodes: { build: failure, mend: failure }
    expect: { outcome: succeeded }
  - name: another
    nodes: { build: failure, mend: success }
    expect: { outcome: succeeded }
`);
    const { code, stdout } = await trammel(["test", "--format", "junit", "-t", "first"], { place });
    expect(code).toBe(1);
    expect(stdout).toContain('<testsuite name="release.test.yaml" tests="1" failures="1"');
    expect(stdout).toContain('name="a &lt;first&gt; &amp; one"');
    expect(stdout).toMatch(/<failure message="outcome">outcome: expected succeeded, was failed/);
    expect((await trammel(["test", "-t", "nowhere"], { place })).code).toBe(2);
  });
});
