import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runEndShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel } from "./support/cli.ts";

/** Has its tree to itself, and ends when a file is there. */
const blueprint = `name: holder
entry: hold
workspace: {protect: ["*.lock"]}
nodes:
  hold: {type: script, run: "echo $NAME >> log; until test -e go; do sleep 0.05; done"}
`;

function begin(place: Place, name: string, ...options: string[]) {
  place.file("b.yaml", blueprint);
  return start(["run", "t", "-b", "b.yaml", "--json", ...options], { place, env: { NAME: name } });
}

it("waits for the tree that another run has, and then runs", async () => {
  using place = new Place();
  const first = begin(place, "first");
  await first.until(/"node\.process"/);
  const run = String(JSON.parse(first.stdout.split("\n")[0] ?? "")["run"]);
  const refused = await begin(place, "refused").end;
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`run ${run} (holder) is working in ${place.folder}`);
  expect(refused.stderr).toContain("--queue");
  const second = begin(place, "second", "--queue");
  await second.until(/^waiting: run \S+ \(holder\) is working in /m);
  expect(readFileSync(place.path("log"), "utf8")).toBe("first\n");
  writeFileSync(place.path("go"), "");
  expect((await first.end).code).toBe(0);
  const done = await second.end;
  expect(runEndShape.parse(lastLine(done))).toMatchObject({ status: "succeeded", exitCode: 0 });
  expect(readFileSync(place.path("log"), "utf8")).toBe("first\nsecond\n");
});

it("goes on when the run that it waits for is killed, and stops waiting when interrupted", async () => {
  using place = new Place();
  const first = begin(place, "first");
  await first.until(/"node\.process"/);
  const [second, third] = [begin(place, "second", "--queue"), begin(place, "third", "--queue")];
  await Promise.all([second.until(/^waiting: /m), third.until(/^waiting: /m)]);
  third.child.kill("SIGINT");
  expect((await third.end).code).toBe(130);
  first.child.kill("SIGKILL");
  await second.until(/"node\.process"/);
  writeFileSync(place.path("go"), "");
  expect((await second.end).code).toBe(0);
  expect(existsSync(place.path("log"))).toBe(true);
  expect(readFileSync(place.path("log"), "utf8")).not.toContain("third");
  expect((await trammel(["runs"], { place })).stdout).toMatch(/succeeded/);
});
