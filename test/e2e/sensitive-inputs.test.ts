import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { filesUnder, lastLine, Place, trammel } from "./support/cli.ts";

const value = "canary/of an input";

const callee = `
name: callee
inputs: {v: {type: string}}
outputs: {x: {type: "enum[p, q]", from: "{inputs.v}"}}
entry: a
nodes:
  a: {type: script, run: "true"}
`;

/** What each node makes of the input is told in a sentence of ours, which passes no boundary of a process. */
const blueprint = `
name: sensitive
inputs:
  key: {type: string, sensitive: true}
  more: {type: json, sensitive: true}
outputs: {x: {type: "enum[p, q]", from: "{said}-{inputs.key}"}}
entry: read
nodes:
  read: {type: tool, tool: read, args: {path: "{inputs.key}"}}
  write: {type: tool, tool: write, args: {path: "/{inputs.key}", content: x}}
  search: {type: tool, tool: search, args: {pattern: "({inputs.key}"}}
  items: {type: map, over: "{inputs.more.list}", do: {entry: one, nodes: {one: {type: tool, tool: read, args: {path: "{item}"}}}}}
  call: {type: call, blueprint: callee.yaml, with: {v: "{inputs.key}"}}
  said: {type: script, run: 'echo "said $DEEP"', env: {DEEP: "{inputs.more.deep.key}"}}
  ask: {type: human, mode: approval, prompt: "Use {inputs.key}?", show: ["{inputs.key}"]}
edges:
  - {from: read, when: failure, to: write}
  - {from: write, when: failure, to: search}
  - {from: search, when: failure, to: items}
  - {from: items, when: failure, to: call}
  - {from: call, when: error, to: said}
  - {from: said, when: failure, to: ask}
`;

it("a sensitive input shows in no reason, question, refusal, journal or event, whatever a node makes of it", async () => {
  using place = new Place();
  place.file("callee.yaml", callee);
  place.file("b.yaml", blueprint);
  place.file("strict.yaml", callee.replace("type: string", "type: string, sensitive: true"));
  const refused = await trammel(["run", "-b", "strict.yaml", "--input", `v=${value}`], { place });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("which {inputs.v} does not fit")]);
  const more = JSON.stringify({ list: [`${value} 1`, `${value} 2`], deep: { key: `deep ${value}` } });
  const inputs = ["--input", `key=${value}`, "--input", `more=${more}`];
  const ran = await trammel(["run", "-b", "b.yaml", ...inputs, "--json", "--detach"], { place });
  expect(lastLine(ran)).toMatchObject({ status: "waiting" });
  expect(ran.stdout).toContain('"Use ***?"');
  expect(ran.stdout).toContain("*** does not exist");
  const run = String(lastLine(ran)["run"]);
  const looks = [["show", run], ["logs", run], ["inbox"], ["inbox", "--json"], ["runs"]];
  const looked = await Promise.all(looks.map((args) => trammel(args, { place })));
  const places = [
    ...filesUnder(place.home).filter(({ name }) => name !== `${run}.json`),
    ...[refused, ran, ...looked].map(({ stdout, stderr }, at) => ({ name: `output ${at}`, text: stdout + stderr })),
  ];
  expect(places.map(({ name }) => name)).toContain("trammel.db");
  expect(ran.stdout).toContain("said ***");
  expect(places.flatMap(({ name, text }) => (text.includes("canary") ? [name] : []))).toEqual([]);
});

it("a sensitive input too large for a variable or a question is in no file that outlives its process, nor shown in part", async () => {
  using place = new Place();
  place.file(
    "large.yaml",
    `name: large
inputs: {key: {type: string, sensitive: true}}
entry: a
nodes:
  ask: {type: human, mode: approval, prompt: "Use {inputs.key}?", show: ["{inputs.key}", "{inputs.key} and more"]}
  a: {type: script, run: 'tail -c 4 "$KEY_FILE" > seen; wc -c < "$KEY_FILE"; dirname "$KEY_FILE" > where', env: {KEY: "{inputs.key}"}}
edges: [{from: a, when: success, to: ask}, {from: ask, to: END}]
`,
  );
  const large = `canary${"é".repeat(50_000)}-end`;
  const shows = (text: string): boolean => /canary|éé/.test(text);
  place.file("inputs.json", JSON.stringify({ key: large }));
  const ran = await trammel(["run", "-b", "large.yaml", "--input-file", "inputs.json", "--detach", "--json"], {
    place,
  });
  expect(ran).toMatchObject({ code: 5, stdout: expect.stringContaining(`"${Buffer.byteLength(large)}\\n"`) });
  expect(ran.stdout).toContain('"Use ***?"');
  expect(shows(ran.stdout)).toBe(false);
  const kept = filesUnder(place.home).filter(({ name }) => name !== `${String(lastLine(ran)["run"])}.json`);
  expect(readFileSync(place.path("seen"), "utf8")).toBe("-end");
  expect(existsSync(readFileSync(place.path("where"), "utf8").trim())).toBe(false);
  expect(kept.flatMap(({ name, text }) => (shows(text) ? [name] : []))).toEqual([]);
});
