import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { serveModel } from "../fixtures/model-server/server.ts";
import { lastLine, Place, start, trammel, runIn } from "./support/cli.ts";

const edit = { tool: "edit", input: { path: "sum.js", old_text: "a - b", new_text: "a + b" } };

it("a recorded run goes on being recorded after a crash, and its cassettes are no change of the run", async () => {
  using place = new Place();
  const model = await serveModel([{ call: [edit] }, { say: "It adds." }, { say: "It was well done." }]);
  onTestFinished(() => model.close());
  place.file("trammel.yaml", `agent: {model: compatible/scripted, baseUrl: "${model.url}"}\n`);
  place.file("sum.js", "export const sum = (a, b) => a - b;\n");
  place.file(
    "mend.yaml",
    `name: mend
nodes:
  fix: {type: agent, prompt: Mend it}
  wait: {type: script, idempotent: true, run: until test -e go; do sleep 0.05; done}
  look: {type: agent, prompt: Look at it}
edges: [{from: fix, when: success, to: wait}, {from: wait, when: success, to: look}]
`,
  );
  execFileSync("git", ["init", "-q"], { cwd: place.folder });
  const crashed = start(["run", "x", "-b", "mend.yaml", "--record", "tapes", "--json"], { place });
  await crashed.until(/"node":"wait"/);
  crashed.child.kill("SIGKILL");
  await crashed.end;
  place.file("go", "");
  const run = runIn(crashed.stdout);
  expect((await trammel(["diff", run], { place })).stdout).not.toContain("tapes");
  const elsewhere = await trammel(["resume", run, "--record", "others"], { place });
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining("it goes on there") });
  expect(lastLine(await trammel(["resume", run, "--json"], { place }))).toMatchObject({ status: "succeeded" });
  expect(readdirSync(place.path("tapes")).toSorted()).toEqual(["fix.1.jsonl", "look.1.jsonl"]);
  const changed = (await trammel(["diff", run], { place })).stdout;
  expect(changed).toContain("sum.js");
  expect(changed).not.toContain("tapes");
});
