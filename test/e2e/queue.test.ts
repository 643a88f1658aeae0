import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { identify, isAlive } from "../../src/runtime/processes/identity.ts";
import { runEndShape, runListShape, runSkippedShape } from "../../src/wire/run-report.ts";
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
  return held(place, name, ...options);
}

/** The blueprint as it is there. */
function held(place: Place, name: string, ...options: string[]) {
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
  await second.until(/^waiting: run \S+ \(holder\) is working in .*; next in the queue$/m);
  await place.until("log", "first\n");
  writeFileSync(place.path("go"), "");
  expect((await first.end).code).toBe(0);
  const done = await second.end;
  expect(runEndShape.parse(lastLine(done))).toMatchObject({ status: "succeeded", exitCode: 0 });
  expect(place.read("log")).toBe("first\nsecond\n");
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
  expect(place.read("log")).not.toContain("third");
  expect((await trammel(["runs"], { place })).stdout).toMatch(/succeeded/);
});

it("serves those that wait in their order, tells each its place, and lets nobody in between", async () => {
  using place = new Place();
  const first = begin(place, "first");
  await first.until(/"node\.process"/);
  const second = begin(place, "second", "--queue");
  await second.until(/next in the queue/);
  const third = begin(place, "third", "--queue");
  await third.until(/place 2 in the queue/);
  const listed = await trammel(["runs", "--json"], { place });
  expect(runListShape.parse(JSON.parse(listed.stdout)).queued).toMatchObject([
    { blueprint: "holder", place: 1, waitsFor: expect.stringContaining("is working in") },
    { blueprint: "holder", place: 2 },
  ]);
  expect((await trammel(["runs"], { place })).stderr).toMatch(
    /^waiting: run \S+ \(holder\): run \S+ \(holder\) is working in .*; next in the queue\nwaiting: .*; place 2 in the queue\n$/,
  );
  const run = (JSON.parse(listed.stdout) as { queued: { run: string }[] }).queued[0]?.run ?? "";
  for (const command of ["show", "resume"])
    expect((await trammel([command, run], { place })).stderr).toBe(
      `trammel: run ${run} has not begun: it waits in the queue\n  trammel runs says for what; trammel stop ${run} lets it go: nothing of it has happened.\n`,
    );
  // Killed without a word, it stands before nobody.
  second.child.kill("SIGKILL");
  await third.until(/; next in the queue/);
  const fourth = begin(place, "fourth", "--queue");
  await fourth.until(/place 2 in the queue/);
  const intruder = await begin(place, "intruder").end;
  expect(intruder.code).toBe(2);
  writeFileSync(place.path("go"), "");
  expect((await Promise.all([first.end, third.end, fourth.end])).map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(place.read("log")).toBe("first\nthird\nfourth\n");
});

it("lets a run that waits go when it is stopped, and nobody else", async () => {
  using place = new Place();
  const first = begin(place, "first");
  await first.until(/"node\.process"/);
  const [second, third] = [begin(place, "second", "--queue"), begin(place, "third", "--queue")];
  await Promise.all([second.until(/^waiting: /m), third.until(/^waiting: /m)]);
  const { stdout } = await trammel(["runs", "--json"], { place });
  const [one = "", other = ""] = (runListShape.parse(JSON.parse(stdout)).queued ?? []).map(({ run }) => run);
  expect(await trammel(["stop", one], { place })).toMatchObject({
    code: 0,
    stderr: `run ${one} left the queue: nothing of it has happened\n`,
  });
  expect((await Promise.any([second.end, third.end])).code).toBe(130);
  const left = await trammel(["runs", "--json"], { place });
  expect(runListShape.parse(JSON.parse(left.stdout)).queued).toMatchObject([{ run: other, place: 1 }]);
  writeFileSync(place.path("go"), "");
  expect((await first.end).code).toBe(0);
  expect((await Promise.all([second.end, third.end])).map(({ code }) => code)).toEqual(
    expect.arrayContaining([0, 130]),
  );
});

/** Shares its tree with all, and its key with none. */
const keyed = (concurrency: string) => `name: keyed
inputs: {pr: {type: string, default: "1"}}
concurrency: ${concurrency}
entry: hold
nodes:
  hold: {type: script, run: "echo $NAME >> log; until test -e go; do sleep 0.05; done"}
`;

it("holds runs with the same key apart, and no others", async () => {
  using place = new Place();
  place.file("b.yaml", keyed('{key: "pr-{inputs.pr}"}'));
  const first = held(place, "first");
  await place.until("log", "first\n");
  const refused = await held(place, "refused").end;
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/run \S+ \(keyed\) has the key "pr-1"/);
  const other = held(place, "other", "--input", "pr=2");
  await place.until("log", "first\nother\n");
  const detached = held(place, "detached", "--detach");
  await detached.until(/waiting: run \S+ \(keyed\) has the key "pr-1"; next in the queue/);
  writeFileSync(place.path("go"), "");
  for (const run of [first, other, detached]) expect((await run.end).code).toBe(0);
  expect(place.read("log")).toBe("first\nother\ndetached\n");
});

it.each([
  ["the tree", 'workspace: {protect: ["*.lock"]}'],
  ["the key", "concurrency: {key: one}"],
])("ends what a holder of %s that was killed left at work, before the next begins", async (_what, shares) => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: left
entry: a
${shares}
nodes:
  a: {type: script, run: "echo $$ > $NAME.pid; echo began > began; until test -e $NAME.go; do sleep 0.05; done"}
`,
  );
  const first = held(place, "first");
  await first.until(/"node\.process"/);
  await place.until("began", "began\n");
  const orphan = identify(Number(place.read("first.pid")));
  first.child.kill("SIGKILL");
  await first.end;
  if (orphan === null || !isAlive(orphan)) throw new Error("nothing was left at work");
  place.file("second.go", "");
  expect((await held(place, "second").end).code).toBe(0);
  expect(isAlive(orphan)).toBe(false);
});

it("skips a detached run where the blueprint says so, and lets all run where it says that", async () => {
  using place = new Place();
  place.file("b.yaml", keyed("{overlap: skip}"));
  const first = held(place, "first");
  await first.until(/"node\.process"/);
  const skipped = await held(place, "skipped", "--detach").end;
  expect(runSkippedShape.parse(lastLine(skipped))).toMatchObject({
    reason: expect.stringContaining(`has the key "keyed in ${place.folder}"`),
  });
  expect(skipped.code).toBe(0);
  expect((await held(place, "by hand").end).code).toBe(2);
  place.file("b.yaml", keyed("{key: one, overlap: allow}"));
  const both = [held(place, "a"), held(place, "b")];
  for (const run of both) await run.until(/"node\.process"/);
  writeFileSync(place.path("go"), "");
  for (const run of [first, ...both]) expect((await run.end).code).toBe(0);
});

it("prepares the worktree of a run that waits once, when its turn has come", async () => {
  using place = new Place();
  const isolated = keyed("{key: one}").replace(
    "entry:",
    `workspace: {isolate: worktree, setup: "echo x >> ${place.path("setups")}"}\nentry:`,
  );
  place.file(
    "b.yaml",
    isolated.replaceAll("log; until test -e go", `${place.path("log")}; until test -e ${place.path("go")}`),
  );
  for (const args of ["init -q", "add .", "-c user.name=a -c user.email=a@b commit -q -m one"])
    execFileSync("git", args.split(" "), { cwd: place.folder });
  const first = held(place, "first");
  await first.until(/"node\.process"/);
  const second = held(place, "second", "--queue");
  await second.until(/next in the queue/);
  expect(place.read("setups")).toBe("x\n");
  writeFileSync(place.path("go"), "");
  for (const run of [first, second]) expect((await run.end).code).toBe(0);
  expect(place.read("setups")).toBe("x\nx\n");
});

it.each([
  ['{key: "{hold}"}', "`{hold}` has no value yet when the key of a run is needed, before it begins"],
  ['{key: "{task}"}', "concurrency.key is empty for this run"],
])("refuses a key that says nothing: %s", async (concurrency, said) => {
  using place = new Place();
  place.file("b.yaml", keyed(concurrency));
  const refused = await start(["run", "-b", "b.yaml"], { place }).end;
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(said)]);
});

it("keeps the key of a parked run until somebody has answered, and the queue waits behind it", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: deploy
concurrency: {key: production}
entry: agree
nodes:
  agree: {type: human, mode: approval, prompt: "Ship it?"}
  ship: {type: script, run: echo shipped >> log}
edges:
  - {from: agree, when: success, to: ship}
`,
  );
  const parked = await held(place, "first", "--detach").end;
  expect(parked.code).toBe(5);
  const run = String(lastLine(parked)["run"]);
  const refused = await held(place, "refused").end;
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain(`run ${run} (deploy) is parked and has the key "production"`);
  expect(refused.stderr).toContain("trammel inbox");
  const second = held(place, "second", "--detach");
  await second.until(/^waiting: run \S+ \(deploy\) is parked and has the key "production"; next in the queue$/m);
  expect((await trammel(["answer", run, "agree", "yes"], { place })).code).toBe(0);
  expect((await second.end).code).toBe(5);
  const other = String(lastLine(await second.end)["run"]);
  const third = held(place, "third", "--queue");
  await third.until(/next in the queue/);
  expect((await trammel(["stop", other], { place })).code).toBe(0);
  // Nobody can be asked where it goes on.
  expect((await third.end).code).toBe(1);
  expect(place.read("log")).toBe("shipped\n");
});
