import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "../../src/model/json.ts";
import type { Script } from "../fixtures/model-server/script.ts";
import { serveModel } from "../fixtures/model-server/server.ts";
import { filesUnder, lastLine, Place, root, trammel } from "./support/cli.ts";

const key = `sk-canary/7f3+é"K'9=q`;
const other = "canary-of-another-vendor-9c2";

/** The ways in which a text can stand somewhere, each long enough to mean nothing else. */
function shapesOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return whole.slice(before === 0 ? 0 : 4, -4);
  });
  const url = [encodeURIComponent(text), new URLSearchParams({ k: text }).toString().slice(2)];
  const json = JSON.stringify(text).slice(1, -1);
  const shapes = [
    text,
    json,
    JSON.stringify(json).slice(1, -1),
    JSON.stringify(JSON.stringify(json).slice(1, -1)).slice(1, -1),
    hex,
    hex.toUpperCase(),
    hex.replaceAll(/..(?=.)/g, "$& "),
    ...base64,
    ...base64.map((one) => one.replaceAll("+", "-").replaceAll("/", "_")),
    ...url,
    ...url.map((one) => one.toLowerCase()),
  ];
  return shapes.map((shape) => Buffer.from(shape).toString("latin1"));
}

/** Says the key whole, in two pieces with a pause between them, in the middle of a character, and in every encoding. */
const leak = `
k=$(cat tokens.txt)
env
printf 'whole %s\\n' "$k"
printf %s "$k" | head -c 15; sleep 0.3; printf %s "$k" | tail -c +16; echo
for before in '' x xx; do printf '%s%s' "$before" "$k" | base64; done
printf %s "$k" | od -An -v -tx1 | tr -d ' \\n'; echo
printf %s "$k" | od -An -v -tx1 | tr -d ' \\n' | tr a-f A-F; echo
printf '%s\\n' "$k" >&2
`;

const encode = `const k = require("fs").readFileSync("tokens.txt", "utf8").trim();
console.log(encodeURIComponent(k), new URLSearchParams({ k }).toString(), JSON.stringify(k), JSON.stringify({ k: JSON.stringify(k) }));
`;

const blueprint = `
name: canary
entry: leak
escalate: [failure]
records: {state: state.md}
nodes:
  leak: {type: script, run: 'sh leak.sh; "$NODE" encode.cjs; false', env: {NODE: "${process.execPath}"}}
  model: {type: agent, prompt: "Look: {leak}", context: {include: [tokens.txt, "$ sh leak.sh"]}}
  agent: {type: agent, provider: acp, prompt: "{model}", context: {read: [src/**]}}
  last: {type: script, run: 'sh leak.sh >&2; echo "{}" > "$TRAMMEL_OUTPUT"; cat tokens.txt; exit 3'}
edges:
  - {from: leak, when: failure, to: model}
  - {from: leak, when: success, to: END}
  - {from: model, when: failure, to: agent}
  - {from: model, when: error, to: agent}
  - {from: model, when: success, to: agent}
  - {from: agent, when: error, to: last}
  - {from: agent, when: failure, to: last}
  - {from: agent, when: success, to: last}
`;

const says: Script = [
  {
    think: `Hm, ${key}.`,
    say: `I see ${key}!`,
    call: [
      { tool: "run", input: { command: 'sh leak.sh; echo "$MODEL_KEY $ANTHROPIC_API_KEY"' } },
      { tool: "read", input: { path: "tokens.txt" } },
      { tool: "search", input: { pattern: "canary" } },
      { tool: "write", input: { path: "copy.txt", content: `${key}\n${other}\n` } },
      { tool: key, input: { [key]: key } },
    ],
  },
  { status: 401, message: `Incorrect API key provided: ${key}` },
];

const steps = [
  [
    { env: "MODEL_KEY" },
    { say: "in pieces $HEAD" },
    { say: "$TAIL." },
    { think: "$KEY" },
    { call: { kind: "read", title: "tokens.txt", ask: false } },
    { call: { kind: "execute", title: "curl", command: "curl -H $KEY", text: "$KEY" } },
    { call: { kind: "edit", title: "edit $KEY", write: "FOLDER/copy2.txt", text: "$KEY" } },
    { fail: { code: -32_000, message: "not let in with $KEY" } },
  ],
];

it("a key shows in no prompt, event, journal, log, blob, cassette, error, block or environment, in whatever shape", async () => {
  using place = new Place();
  const model = await serveModel(says);
  try {
    const argv = JSON.stringify(steps).replaceAll("FOLDER", place.folder);
    const command = [process.execPath, join(root, "test/fixtures/acp-agent/main.ts"), argv];
    const agent = { provider: "ai", model: "compatible/x", baseUrl: model.url, key: "MODEL_KEY", command };
    place.file("trammel.yaml", JSON.stringify({ agent }));
    place.file(".config/trammel/config.yaml", `keys: {MODEL_KEY: ["${model.url}"]}\n`);
    place.file("tokens.txt", `${key}\n`);
    place.file("leak.sh", leak);
    place.file("encode.cjs", encode);
    place.file("canary.yaml", blueprint);
    const env = { MODEL_KEY: key, ANTHROPIC_API_KEY: other };
    const ran = await trammel(["run", "t", "-b", "canary.yaml", "--record", "tapes", "--json"], { place, env });
    expect(lastLine(ran)).toMatchObject({ status: "escalated", exitCode: 3 });
    const run = String(lastLine(ran)["run"]);
    const looks = [["show", run], ["show", run, "--json"], ["logs", run], ["receipt", run], ["runs"]];
    const looked = await Promise.all(looks.map((args) => trammel(args, { place, env })));
    const places = [
      ...[place.home, place.path("tapes")].flatMap(filesUnder),
      { name: "state.md", text: readFileSync(place.path("state.md"), "latin1") },
      ...[ran, ...looked].map(({ stdout, stderr }, at) => ({ name: `output ${at}`, text: latin1(stdout + stderr) })),
      ...model.requests.map(({ body }, at) => ({ name: `request ${at}`, text: latin1(toldTo(body)) })),
    ];
    const names = places.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["model.1.jsonl", "agent.1.jsonl", "request 1", "output 5"]));
    expect(ran.stderr).toContain("BLUEPRINT_ESCALATION");
    // What said it was heard, and the key was used where it belongs.
    expect(ran.stdout).toMatch(/whole \*{3}/);
    expect(ran.stdout).toContain("MODEL_KEY=***");
    expect(ran.stdout).toContain("not let in with ***");
    expect(JSON.stringify(model.requests[0]?.headers)).toContain(`Bearer sk-canary`);
    expect(existsSync(place.path("copy2.txt"))).toBe(true);
    const shapes = [...shapesOf(key), ...shapesOf(other)];
    const found = places.flatMap(({ name, text }) =>
      shapes.filter((shape) => text.includes(shape)).map((shape) => `${name}: ${shape}`),
    );
    expect(found).toEqual([]);
    // No child of a node has the variables; the agent has the key of its own provider and no other.
    expect(ran.stdout).not.toMatch(/ANTHROPIC_API_KEY=/);
    expect(ran.stdout.match(/MODEL_KEY=/g)).toEqual(["MODEL_KEY="]);
  } finally {
    await model.close();
  }
});

/** What a model is told: all but what it said itself. */
function toldTo(body: Json): string {
  const { messages } = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) }).parse(body);
  return JSON.stringify({ ...(body as object), messages: messages.filter(({ role }) => role !== "assistant") });
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
