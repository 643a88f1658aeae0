import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastLine, Place, start, trammel, type Finished } from "../e2e/support/cli.ts";
import { runReportShape, type RunReport } from "../../src/wire/run-report.ts";
import { countOf, nap } from "../support/naps.ts";
import { document, expectNothingLeft, repository } from "./boxed.ts";
import { works } from "./ground.ts";

const there = works("bubblewrap");

async function shown(place: Place, run: string): Promise<RunReport> {
  return runReportShape.parse(JSON.parse((await trammel(["show", run, "--json"], { place })).stdout));
}

function idOf(ran: Finished): string {
  return String(lastLine(ran)["run"]);
}

function outputIn({ nodes }: RunReport, id: string): string | null | undefined {
  return nodes.find((node) => node.id === id)?.attempts.at(-1)?.output;
}

const box = "box: {type: provision, image: host, network: none}";
const list = `list: {type: script, run: "echo '[1, 2]'", output: json}`;

test.runIf(there)("a box of a callee is its own, and gone when the call ends; its patch is the callee's", async () => {
  using place = new Place();
  repository(place);
  place.file(
    "sub.yaml",
    document(
      box,
      'clone: {type: checkout, container: "{box}", repo: ./repo}',
      `work: {type: exec, container: "{box}", workdir: /workspace, run: "echo changed > a.txt"}`,
    ).replace("name: boxed", "name: sub"),
  );
  const left = `left: {type: script, run: 'ls "$BOXES" | wc -l', env: {BOXES: "${join(place.home, "sandboxes/records")}"}}`;
  place.file("top.yaml", document("sub: {type: call, blueprint: sub.yaml}", left));
  const ran = await trammel(["run", "t", "-b", "top.yaml", "--json"], { place });
  expect(ran).toMatchObject({ code: 0 });
  const report = await shown(place, idOf(ran));
  expect(outputIn(report, "left")?.trim()).toBe("0");
  const [inside] = report.inside;
  expect(outputIn(await shown(place, inside?.run ?? ""), "box")).toBe(`trammel-${inside?.run}-1-box`);
  const listed = await trammel(["artifacts", inside?.run ?? ""], { place });
  expect(listed.stdout).toContain(".patch");
  expectNothingLeft(place, idOf(ran));
});

test.runIf(there)("each item of a map makes a box of its own, or shares one that is around the map", async () => {
  using place = new Place();
  const own = `own: {type: map, over: "{list}", parallel: 2, do: {entry: mine, nodes: {mine: {type: provision, image: host, network: none}, use: {type: exec, container: "{mine}", run: "echo $N >> /workspace/n; cat /workspace/n", env: {N: "{item}"}}}, edges: [{from: mine, when: success, to: use}]}}`;
  const shared = `shared: {type: map, over: "{list}", do: {type: exec, container: "{box}", run: "echo $N >> /workspace/n; cat /workspace/n", env: {N: "{item}"}}}`;
  place.file("top.yaml", document(list, box, own, shared, `say: {type: script, run: cat, stdin: "{own} {shared}"}`));
  const ran = await trammel(["run", "t", "-b", "top.yaml", "--json"], { place });
  expect(ran).toMatchObject({ code: 0 });
  expect(outputIn(await shown(place, idOf(ran)), "say")).toBe('["1","2"] ["1","1\\n2"]');
  expectNothingLeft(place, idOf(ran));
});

test.runIf(there)("a box of a callee that waits for a person is made again around what was in it", async () => {
  using place = new Place();
  place.file(
    "sub.yaml",
    document(
      box,
      `write: {type: exec, container: "{box}", run: "echo kept > /workspace/f"}`,
      "ask: {type: human, mode: approval, prompt: Go on?}",
      `read: {type: exec, container: "{box}", run: "cat /workspace/f"}`,
    ).replace("name: boxed", "name: sub"),
  );
  place.file("top.yaml", document("sub: {type: call, blueprint: sub.yaml}"));
  const parked = await trammel(["run", "t", "-b", "top.yaml", "--detach", "--json"], { place });
  expect(parked).toMatchObject({ code: 5 });
  const run = idOf(parked);
  expect(await trammel(["answer", run, "sub/ask", "yes"], { place })).toMatchObject({ code: 0, stdout: "kept\n" });
  expectNothingLeft(place, run);
});

test.runIf(there)("what runs in a box of a callee is gone with a stop, and so is the box", async () => {
  using place = new Place();
  const log = "/workspace/started";
  place.file(
    "sub.yaml",
    document(
      box,
      `work: {type: exec, container: "{box}", run: "echo here; sleep ${nap("7796")}; true > ${log}"}`,
    ).replace("name: boxed", "name: sub"),
  );
  place.file("top.yaml", document("sub: {type: call, blueprint: sub.yaml}"));
  const running = start(["run", "t", "-b", "top.yaml", "--plain"], { place });
  await running.until(/sub\/work started/);
  const { stdout } = await trammel(["runs"], { place });
  const run = stdout.split(" ")[0] ?? "";
  await trammel(["stop", run], { place });
  expect((await running.end).code).toBe(130);
  expect(countOf("7796")).toBe(0);
  expectNothingLeft(place, run);
});

test.runIf(there)("a box of a callee that halted stays as long as a decision can go on with it", async () => {
  using place = new Place();
  place.file(
    "sub.yaml",
    `escalate: [failure]\n${document(
      box,
      `write: {type: exec, container: "{box}", run: "echo kept > /workspace/f"}`,
      `check: {type: exec, container: "{box}", run: "test -e /workspace/mended && cat /workspace/f"}`,
    ).replace("name: boxed", "name: sub")}`,
  );
  place.file("top.yaml", document("sub: {type: call, blueprint: sub.yaml}"));
  const halted = await trammel(["run", "t", "-b", "top.yaml", "--json"], { place });
  expect(halted).toMatchObject({ code: 3 });
  const run = idOf(halted);
  expect(readdirSync(join(place.home, "sandboxes/records"))).toHaveLength(1);
  const args = ["resolve", run, "--node", "sub", "--as", "done", "--reason", "seen"];
  expect(await trammel(args, { place })).toMatchObject({ code: 0 });
  expectNothingLeft(place, run);
});
