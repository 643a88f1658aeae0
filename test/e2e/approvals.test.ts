import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { inboxShape } from "../../src/wire/inbox.ts";
import { lastLine, Place, root, start, trammel } from "./support/cli.ts";

/** A repository, so that there is a tree to approve. */
function repository(): Place {
  const place = new Place();
  place.file(".gitignore", ".home\n.config\ndone\ngo\nrefused*\nreached\n");
  place.file("code.txt", "one\n");
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
  ])
    execFileSync("git", args, { cwd: place.folder });
  return place;
}

const gated = `name: gated
entry: ask
nodes:
  ask: {type: human, mode: approval, prompt: "Ship it?"}
  ship: {type: script, run: cat code.txt >> done}
edges:
  - {from: ask, when: success, to: ship}
  - {from: ask, when: failure, to: END}
`;

async function parked(place: Place): Promise<string> {
  place.file("b.yaml", gated);
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  expect(ran.code).toBe(5);
  return String(lastLine(ran)["run"]);
}

async function waiting(place: Place) {
  return inboxShape.parse(JSON.parse((await trammel(["inbox", "--json"], { place })).stdout)).waiting;
}

it("a yes that was given for another tree is turned away, and the gate asks again", async () => {
  using place = repository();
  const run = await parked(place);
  const asked = await waiting(place);
  place.file("code.txt", "two\n");
  const late = await trammel(["answer", run, "ask", "yes"], { place });
  expect([late.code, late.stderr]).toEqual([
    2,
    expect.stringContaining("ask asks something else now, since the tree changed"),
  ]);
  expect(late.stderr).toContain(`trammel show ${run}`);
  const [, before = "", now = ""] = /^ {2}What changed in the tree: git diff (\w+) (\w+)$/m.exec(late.stderr) ?? [];
  expect(place.git("diff", before, now)).toContain("-one\n+two");
  expect(existsSync(place.path("done"))).toBe(false);
  const again = await waiting(place);
  expect(again.map(({ node }) => node)).toEqual(["ask"]);
  expect(again).not.toEqual(asked);
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(0);
  expect(place.read("done")).toBe("two\n");
});

it("a yes for one command is none for another", async () => {
  using place = repository();
  const run = await parked(place);
  place.file("b.yaml", gated.replace("cat code.txt >> done", "echo other >> done"));
  const changed = await trammel(["answer", run, "ask", "yes"], { place });
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringContaining("another version of its blueprint")]);
  const opened = async (): Promise<readonly unknown[]> => {
    const { stdout } = await trammel(["logs", run, "--json"], { place });
    const lines = stdout.split("\n").filter(Boolean);
    return lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ type }) => type === "gate.opened");
  };
  expect((await trammel(["resume", run, "--accept-changes", "--detach"], { place })).code).toBe(5);
  const digests = new Set((await opened()).map((one) => (one as { digest: string }).digest));
  expect(digests.size).toBe(2);
  expect(existsSync(place.path("done"))).toBe(false);
});

const slowly = `name: slowly
entry: w
nodes:
  w: {type: script, run: "true", next: [ask, slow]}
  ask: {type: human, mode: approval, prompt: "Ship it?"}
  slow: {type: script, run: "until [ -e go ]; do sleep 0.05; done; echo changed > code.txt", next: ship}
  ship: {type: script, run: cat code.txt >> done}
edges:
  - {from: ask, when: success, to: ship}
  - {from: ask, when: failure, to: END}
`;

it.each([
  ["no", 1, false],
  ["yes", 0, true],
])(
  "what was approved before the tree changed is asked again before the next node starts: %s",
  async (said, exit, done) => {
    using place = repository();
    place.file("b.yaml", slowly);
    const running = start(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
    await running.until(/"gate\.opened"/);
    const run = String((JSON.parse(running.stdout.split("\n")[0] ?? "") as { run: string }).run);
    expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(0);
    place.file("go", "");
    // Nothing has begun that would have to be kept alive meanwhile.
    expect((await running.end).code).toBe(5);
    expect(await waiting(place)).toContainEqual(expect.objectContaining({ node: "ship" }));
    expect(existsSync(place.path("done"))).toBe(false);
    // Whose question it is, so that only those whom that gate names are heard.
    expect(running.stdout).toMatch(/"gate\.opened".*"node":"ship".*"of":"ask"/);
    const settled = await trammel(["settle", run, "ship", "--as", "done", "--detach"], { place });
    expect([settled.code, settled.stderr]).toEqual([
      2,
      expect.stringContaining(`ship of run ${run} waits for an answer`),
    ]);
    const answered = await trammel(["answer", run, "ship", said], { place });
    expect(answered.code).toBe(exit);
    expect(answered.stderr).not.toMatch(/unconfirmed|settled/);
    expect(existsSync(place.path("done"))).toBe(done);
    const { stdout } = await trammel(["show", run], { place });
    expect(stdout).toMatch(new RegExp(`^ {4}ask answered again by \\S+ at \\S+Z: ${said}$`, "m"));
    expect(stdout).toMatch(/^ {4}answered by \S+ at \S+Z: yes$/m);
  },
);

it("two gates before one node are each asked again once, though the run is parked with each", async () => {
  using place = repository();
  const other = "{from: other, when: success, to: ship}\n  - {from: other, when: failure, to: END}\n";
  const both = slowly
    .replace("[ask, slow]", "[ask, other, slow]")
    .replace("  slow:", '  other: {type: human, mode: approval, prompt: "Pay for it?"}\n  slow:');
  place.file("b.yaml", `${both}  - ${other}`);
  const running = start(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  await running.until(/"gate\.opened".*"gate\.opened"/s);
  const run = String((JSON.parse(running.stdout.split("\n")[0] ?? "") as { run: string }).run);
  for (const gate of ["ask", "other"]) expect((await trammel(["answer", run, gate, "yes"], { place })).code).toBe(0);
  place.file("go", "");
  expect((await running.end).code).toBe(5);
  const first = await waiting(place);
  expect(first.map(({ node }) => node)).toEqual(["ship"]);
  expect((await trammel(["answer", run, "ship", "yes"], { place })).code).toBe(5);
  const second = await waiting(place);
  expect(second.map(({ node }) => node)).toEqual(["ship"]);
  expect(existsSync(place.path("done"))).toBe(false);
  expect((await trammel(["answer", run, "ship", "yes"], { place })).code).toBe(0);
  expect(place.read("done")).toBe("changed\n");
  const { stdout } = await trammel(["logs", run, "--json"], { place });
  const opened = stdout.match(/"gate\.opened".*"of":"(ask|other)"/g) ?? [];
  // Each is told as the run is parked, and by the engine that takes its answer where it has to ask.
  expect(new Set(opened.map((line) => /"of":"(\w+)"/.exec(line)?.[1]))).toEqual(new Set(["ask", "other"]));
  expect(stdout.match(/"gate\.answered".*"node":"ship"/g)).toHaveLength(2);
});

it("a yes before a wait is asked for again where the tree changed while that lasted", async () => {
  using place = repository();
  const waits = gated
    .replace("  ship:", "  pause: {type: wait, for: 1s}\n  touch: {type: wait, for: 1ms}\n  ship:")
    .replace(
      "when: success, to: ship}",
      "when: success, to: pause}\n  - {from: pause, to: touch}\n  - {from: touch, to: ship}",
    );
  place.file("b.yaml", waits);
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  const run = String(lastLine(ran)["run"]);
  const answering = start(["answer", run, "ask", "yes", "--json"], { place });
  await answering.until(/"node\.started".*"pause"/);
  place.file("code.txt", "two\n");
  expect((await answering.end).code).toBe(5);
  expect(existsSync(place.path("done"))).toBe(false);
  expect((await waiting(place)).map(({ node }) => node)).toEqual(["ship"]);
  expect((await trammel(["answer", run, "ship", "yes"], { place })).code).toBe(0);
  expect(place.read("done")).toBe("two\n");
});

it("is asked again by the next engine where one died while it asked: nothing had begun", async () => {
  using place = repository();
  place.file("b.yaml", slowly);
  const running = start(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  await running.until(/"gate\.opened"/);
  const run = String((JSON.parse(running.stdout.split("\n")[0] ?? "") as { run: string }).run);
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(0);
  place.file("go", "");
  await running.until(/"gate\.opened".*"ship"/);
  running.child.kill("SIGKILL");
  await running.end;
  const resumed = await trammel(["resume", run, "--detach", "--json"], { place });
  expect(resumed.code).toBe(5);
  expect(resumed.stdout).toMatch(/"gate\.opened".*"ship"/);
  expect(existsSync(place.path("done"))).toBe(false);
  expect((await trammel(["answer", run, "ship", "yes"], { place })).code).toBe(0);
  expect(place.read("done")).toBe("changed\n");
});

it("what a crash broke off is asked about again where its command is another one by then", async () => {
  using place = repository();
  place.file("b.yaml", gated.replace("run: cat code.txt >> done", "idempotent: true, run: exec sleep 60"));
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  const run = String(lastLine(ran)["run"]);
  const answering = start(["answer", run, "ask", "yes", "--json"], { place });
  await answering.until(/"node\.process"/);
  answering.child.kill("SIGKILL");
  await answering.end;
  place.file("b.yaml", place.read("b.yaml").replace("exec sleep 60", "echo other >> done"));
  expect((await trammel(["resume", run, "--accept-changes", "--detach"], { place })).code).toBe(5);
  expect(existsSync(place.path("done"))).toBe(false);
  expect((await waiting(place)).map(({ node }) => node)).toEqual(["ship"]);
  expect((await trammel(["answer", run, "ship", "yes"], { place })).code).toBe(0);
  expect(place.read("done")).toBe("other\n");
});

it("stands where nothing changed meanwhile, and then nobody is asked twice", async () => {
  using place = repository();
  place.file("b.yaml", slowly.replace("echo changed > code.txt", "true"));
  const running = start(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  await running.until(/"gate\.opened"/);
  const run = String((JSON.parse(running.stdout.split("\n")[0] ?? "") as { run: string }).run);
  expect((await trammel(["answer", run, "ask", "yes"], { place })).code).toBe(0);
  place.file("go", "");
  expect((await running.end).code).toBe(0);
  expect(running.stdout.match(/"gate\.opened"/g)).toHaveLength(1);
});

it("is not given by what the run itself started, though it clears its environment", async () => {
  using place = repository();
  const command = `${process.execPath} ${root}/bin/trammel.js answer "$TRAMMEL_RUN" ask yes`;
  const clear = `env -i PATH="$PATH" TRAMMEL_HOME="$PWD/.home"`;
  place.file(
    "b.yaml",
    `name: cheat
entry: w
nodes:
  w: {type: script, run: "true", next: [ask, cheat]}
  ask: {type: human, mode: approval, prompt: "Ship it?", next: {success: ship, failure: END}}
  ship: {type: script, run: echo shipped >> done}
  cheat:
    type: script
    run: |
      until ${clear} ${process.execPath} ${root}/bin/trammel.js inbox | grep -q ask; do :; done
      ${clear} ${command} 2> refused; echo $? >> refused
      TRAMMEL_HOME="$PWD/.home" ${command} 2> refused-too; echo $? >> refused-too
`,
  );
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  for (const file of ["refused", "refused-too"]) {
    const said = place.read(file);
    expect(said).toContain("a decision is not taken from inside a run, and this is node cheat");
    expect(said).toMatch(/\n2\n$/);
  }
  expect(ran.code).toBe(5);
  expect(existsSync(place.path("done"))).toBe(false);
});
