import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { runReportShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel } from "./support/cli.ts";

/** What people have seen engines of this kind do; docs/spec/hazards.md lists them. */
interface Ran {
  readonly code: number | null;
  readonly end: Record<string, unknown>;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(place: Place, document: string, ...more: readonly string[]): Promise<Ran> {
  place.file("b.yaml", document);
  const { code, stdout, stderr } = await trammel(["run", "t", "-b", "b.yaml", "--json", ...more], { place });
  return { code, stdout, stderr, end: lastLine({ code, signal: null, stdout, stderr }) };
}

function log(place: Place): string {
  return existsSync(place.path("log")) ? place.read("log") : "";
}

const note = (name: string): string => `${name}: {type: script, run: echo ${name} >> log`;

it("a join whose arms differ in length runs once, and sees what every arm said", async () => {
  using place = new Place();
  const { code } = await run(
    place,
    `name: join
entry: a
nodes:
  a: {type: script, run: echo a >> log, next: [b, c1]}
  b: {type: script, run: "sleep 0.2; printf late", next: d}
  c1: {type: script, run: echo c1 >> log, next: c2}
  c2: {type: script, run: printf early, next: d}
  d: {type: script, run: 'echo "d:$B|$C" >> log', env: {B: "{b}", C: "{c2}"}}
`,
  );
  expect([code, log(place)]).toEqual([0, "a\nc1\nd:late|early\n"]);
});

it("nobody is asked at a gate whose way was not taken", async () => {
  using place = new Place();
  const { code, stdout } = await run(
    place,
    `name: gate
entry: a
nodes:
  a: {type: script, run: exit 3}
  b: {type: script, run: echo b >> log, next: ask}
  ask: {type: human, mode: approval, prompt: "Go?"}
edges:
  - {from: a, when: success, to: b}
  - {from: a, when: failure, to: END}
`,
    "--detach",
  );
  expect([code, log(place)]).toEqual([1, ""]);
  expect(stdout).not.toContain("gate.opened");
});

it("a check that cannot start is no answer: it stops after the first, and no pass is spent on it", async () => {
  using place = new Place();
  const { code, end } = await run(
    place,
    `name: check
entry: check
nodes:
  check: {type: script, run: no-such-command-here, next: {success: END, failure: fix}}
  ${note("fix")}, cap: 3, next: check}
`,
  );
  expect([code, log(place)]).toEqual([1, ""]);
  expect(String(end["reason"])).toContain("exit code 127: a command was not found");
});

it.each([
  ["a loop of cap 5 runs five times and names the cap and the node", "cap: 5", "", 3, 5, /fix.*5/s],
  ["three nodes fit into three steps", "", "limits: {steps: 3}\n", 0, 3, /^null$/],
  [
    "the third node does not fit into two steps, and limit and node are named",
    "",
    "limits: {steps: 2}\n",
    4,
    2,
    /steps is 2.*c/s,
  ],
])("%s", async (_, cap, limits, exit, lines, said) => {
  using place = new Place();
  const looped = `name: looped
entry: check
nodes:
  check: {type: script, run: "false", next: {success: END, failure: fix}}
  ${note("fix")}, ${cap}, next: check}
`;
  const line = `name: line
entry: a
${limits}nodes:
  ${note("a")}, next: b}
  ${note("b")}, next: c}
  ${note("c")}}
`;
  const { code, end } = await run(place, cap === "" ? line : looped);
  expect([code, log(place).split("\n").length - 1]).toEqual([exit, lines]);
  expect(String(end["reason"])).toMatch(said);
});

it("what a failed node said is there for the node that mends it", async () => {
  using place = new Place();
  const { code } = await run(
    place,
    `name: said
entry: a
nodes:
  a: {type: script, run: "echo E42; exit 1", next: {failure: fix}}
  fix: {type: script, run: 'echo "fix $WHAT" >> log', env: {WHAT: "{a}"}}
`,
  );
  expect([code, log(place)]).toEqual([0, "fix E42\n\n"]);
});

it("a run whose last node failed has failed, and so has its command", async () => {
  using place = new Place();
  const { code, end } = await run(
    place,
    `name: last\nentry: a\nnodes:\n  ${note("a")}, next: b}\n  b: {type: script, run: exit 1}\n`,
  );
  expect([code, end["status"]]).toEqual([1, "failed"]);
});

it("a finished node is shown as finished after a resume, as the journal has it", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: shown
entry: a
nodes:
  ${note("a")}, next: b}
  b: {type: script, idempotent: true, run: "[ -e died ] || { touch died; kill -9 $PPID; sleep 5; }; echo b >> log"}
`,
  );
  await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
  const { runs } = JSON.parse((await trammel(["runs", "--json"], { place })).stdout) as {
    runs: { run: string; status: string }[];
  };
  expect(runs).toMatchObject([{ status: "interrupted" }]);
  const id = runs[0]?.run ?? "";
  expect((await trammel(["resume", id], { place })).code).toBe(0);
  const shown = runReportShape.parse(JSON.parse((await trammel(["show", id, "--json"], { place })).stdout));
  expect(shown.nodes.map(({ id, state }) => [id, state])).toEqual([
    ["a", "success"],
    ["b", "success"],
  ]);
  expect(log(place)).toBe("a\nb\n");
});

it("two hundred kilobytes reach the next command whole, never half of a command", async () => {
  using place = new Place();
  const { code } = await run(
    place,
    `name: large
entry: a
nodes:
  a: {type: script, run: "head -c 200000 /dev/zero | tr '\\\\0' x; echo TAIL", next: b}
  b: {type: script, run: 'wc -c < "$ALL_FILE" >> log; tail -c 5 "$ALL_FILE" >> log', env: {ALL: "{a}"}}
`,
  );
  expect([code, log(place).replaceAll(" ", "")]).toEqual([0, "200005\nTAIL\n"]);
});

it.each(["$ALL", "${ALL}", "${ALL:-}"])(
  "a command that would read nothing for a large value is an error: %s",
  async (read) => {
    using place = new Place();
    const { code, stdout } = await run(
      place,
      `name: large
entry: a
nodes:
  a: {type: script, run: "head -c 200000 /dev/zero | tr '\\\\0' x", next: b}
  b: {type: script, run: '! echo "${read}" | grep -q x && echo done > log', env: {ALL: "{a}"}}
`,
    );
    expect([code, existsSync(place.path("log"))]).toEqual([1, false]);
    expect(stdout).toContain(
      "b: the value of ALL is too large for a variable; it is in the file $ALL_FILE, or bind it to stdin",
    );
  },
);

it("braces in a value are not filled in, and the task is never a command", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: braces
entry: a
nodes:
  a: {type: script, run: cat value.txt, next: b}
  b: {type: script, run: 'printf "%s|%s" "$SAID" "$TASK" > log', env: {SAID: "{a}", TASK: "{task}"}}
`,
  );
  const value = "{task} {a} ${x} {{y}}";
  place.file("value.txt", value);
  const task = "$(touch pwned) `touch pwned` \"'; touch pwned #\n{a}";
  expect((await trammel(["run", task, "-b", "b.yaml"], { place })).code).toBe(0);
  expect(log(place)).toBe(`${value}|${task}`);
  expect(existsSync(place.path("pwned"))).toBe(false);
});

it("nodes may be called on, no and null", async () => {
  using place = new Place();
  const { code } = await run(
    place,
    `name: words\nentry: on\nnodes:\n  ${note("on")}, next: no}\n  ${note("no")}, next: "null"}\n  ${note('"null"')}}\n`,
  );
  expect([code, log(place)]).toEqual([0, "on\nno\nnull\n"]);
});

it("a no leads nowhere else, not after a draft anew, nor after an end and a restart", async () => {
  using place = new Place();
  place.file(
    "b.yaml",
    `name: drafts
entry: draft
nodes:
  ${note("draft")}, next: ask}
  ask: {type: human, mode: approval, prompt: "Post it?", next: {success: post, failure: draft}}
  ${note("post")}}
limits: {steps: 3}
`,
  );
  const ran = await trammel(["run", "t", "-b", "b.yaml", "--detach", "--json"], { place });
  const id = String(lastLine(ran)["run"]);
  expect((await trammel(["answer", id, "ask", "no"], { place })).code).toBe(4);
  await trammel(["resume", id, "--detach"], { place });
  await trammel(["answer", id, "ask", "yes"], { place });
  expect(log(place)).toBe("draft\ndraft\n");
});

const asking = `name: asking
entry: ask
nodes:
  ask: {type: human, mode: approval, prompt: "Go?", retries: 3, next: {success: go, failure: END}}
  ${note("go")}}
`;

it.each([
  ["a piped yes", "y\ny\ny\n"],
  ["nothing at all", ""],
])("an approval is not given by %s where there is no terminal: an error, no retry, no hang", async (_, input) => {
  using place = new Place();
  place.file("b.yaml", asking.replace(", retries: 3", ""));
  const ended = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place, input });
  expect([ended.code, log(place)]).toEqual([1, ""]);
  expect(ended.stdout.match(/"node\.started"/g)).toHaveLength(1);
});

it("the end of input at a terminal is no approval", async () => {
  using place = new Place();
  place.file("b.yaml", asking.replace(", retries: 3", ""));
  const running = start(["run", "t", "-b", "b.yaml"], { place, terminal: true });
  await running.until(/Approve\?/);
  running.type("\u0004");
  expect((await running.end).code).toBe(1);
  expect(log(place)).toBe("");
});
