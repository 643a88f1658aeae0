import { expect, it } from "vitest";
import { runReportShape } from "../../src/wire/run-report.ts";
import { Place, trammel } from "./support/cli.ts";

const mending = (mend: string): string => `name: mending
nodes:
  test:
    type: script
    run: 'echo "$(wc -l < todo) left"; test ! -s todo'
    progress: wc -l < todo
    next: {success: END, failure: mend}
  mend: {type: script, run: '${mend}', next: test}
entry: test
`;

it("a loop goes on while there is less to do, up to success", async () => {
  using place = new Place();
  place.file("todo", "1\n2\n3\n");
  place.file("b.yaml", mending("sed -i 1d todo"));
  expect((await trammel(["run", "t", "-b", "b.yaml"], { place })).code).toBe(0);
});

it("a used-up cap says how to grant passes, and the log why they were granted", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: l
nodes:
  test: {type: script, run: "false", next: {success: END, failure: mend}}
  mend: {type: script, cap: 1, run: "true", next: test}
entry: test
`,
  );
  const ran = await trammel(["run", "-b", "b.yaml"], { place });
  expect(ran.code).toBe(3);
  expect(ran.stderr).toMatch(/ --reason TEXT\n  For further passes of it: --as again --grant N\n$/);
  const run = /trammel show (\S+)/.exec(ran.stderr)?.[1] ?? "";
  const decision = ["--node", "mend", "--as", "again", "--grant", "1", "--reason", "one more look"];
  const refused = await trammel(["resolve", run, ...decision.with(3, "done")], { place });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("--grant gives passes to what is done again, and --as is done");
  const resolved = await trammel(["resolve", run, ...decision], { place });
  expect(resolved.code).toBe(3);
  expect(resolved.stderr).toMatch(/mend \(pass 2\) settled as again by \S+: one more look\n/);
  expect((await trammel(["show", run], { place })).stdout).not.toMatch(/^task/m);
});

it("a loop that makes no progress escalates, with both failures as evidence", async () => {
  using place = new Place();
  place.file("todo", "1\n2\n3\n");
  // One is done and another comes: the same number is left, and not the same ones.
  place.file("b.yaml", mending("sed -i 1d todo; echo 4 >> todo").replace('echo "$(wc -l < todo) left"', "cat todo"));
  const { code, stdout, stderr } = await trammel(["run", "t", "-b", "b.yaml"], { place });
  expect(code).toBe(3);
  expect(stdout).toContain(
    "node: test\niteration: 1/1\nreason: made no progress: 3 before, 3 now\nevidence: 2\n3\n2\n3\n4\nnext_action: ",
  );
  expect(stderr).toContain("halting, escalated: made no progress: 3 before, 3 now (test and test (pass 2))\n");
  const run = /trammel show (\S+)/.exec(stderr)?.[1] ?? "";
  expect((await trammel(["show", run], { place })).stdout).toMatch(/^evidence +test and test \(pass 2\)$/m);
  const shown = await trammel(["show", run, "--json"], { place });
  expect(runReportShape.parse(JSON.parse(shown.stdout)).evidence).toEqual([
    { node: "test", pass: 1, attempt: 1 },
    { node: "test", pass: 2, attempt: 1 },
  ]);
});

it("a loop inside a call that makes no progress escalates with both failures, too", async () => {
  using place = new Place();
  place.file("todo", "1\n2\n");
  place.file(
    "inner.yaml",
    mending("sed -i 1d todo; echo 3 >> todo").replace('echo "$(wc -l < todo) left"', "cat todo"),
  );
  place.file("b.yaml", "name: outer\nentry: sub\nnodes:\n  sub: {type: call, blueprint: ./inner.yaml}\n");
  const { code, stdout } = await trammel(["run", "t", "-b", "b.yaml"], { place });
  expect(code).toBe(3);
  expect(stdout).toContain("node: sub/test\n");
  expect(stdout).toContain("\nevidence: 1\n2\n2\n3\nnext_action: ");
});
