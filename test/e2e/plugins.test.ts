import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { healthShape } from "../../src/wire/health.ts";
import { blueprintListShape } from "../../src/wire/blueprint-list.ts";
import { runReportShape } from "../../src/wire/run-report.ts";
import { lastLine, Place, start, trammel, runIn } from "./support/cli.ts";

const root = join(import.meta.dirname, "../..");

/** A package as somebody would publish it: it depends on nothing but the public entry. */
const source = `
import { definePlugin } from "@trammel/trammel/plugin";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

export default definePlugin({
  name: "notes",
  nodes: [
    {
      type: "note",
      class: "deterministic",
      fields: {
        file: { type: { kind: "string" }, required: true, description: "Where it is written." },
        times: { type: { kind: "integer" }, references: true, description: "How often." },
        text: { type: { kind: "string" }, references: true, description: "What is written." },
      },
      missing: (node) => (node.fields.file.startsWith("/") ? "file must be relative" : null),
      async perform(context) {
        const { file, times = 1 } = context.node.fields;
        const text = context.node.fields.text ?? (await context.environment()).TEXT ?? "";
        appendFileSync(join(context.cwd, file), (text + "\\n").repeat(times));
        return { outcome: "success", output: { text: "noted", bytes: 5 }, ports: { times } };
      },
    },
    {
      type: "shell",
      class: "deterministic",
      fields: { run: { type: { kind: "string" }, required: true, description: "What sh runs." } },
      async perform(context) {
        const { node, can, cwd, signal, outputBytes } = context;
        const env = await context.environment();
        const onStart = (process) => context.report({ kind: "process", process });
        const argv = ["sh", "-c", node.fields.run];
        const result = await can.processes.run({ argv, cwd, env, outputBytes, timeoutMs: 60000, onStart }, signal);
        if (result.end.kind === "cancelled") return { outcome: "cancelled", reason: { code: "cancelled", text: "stopped" } };
        return { outcome: result.end.kind === "exit" && result.end.code === 0 ? "success" : "failure", output: result.stdout };
      },
    },
    { type: "ponder", class: "agentic", fields: {}, perform: async () => ({ outcome: "failure", reason: { code: "exit", text: "no idea" } }) },
  ],
});
`;

const blueprint = `name: b
nodes:
  say: {type: script, run: echo hello}
  keep: {type: note, file: notes.txt, times: 2, env: {TEXT: "{say}"}}
  tell: {type: script, run: 'echo "$SAID $N"', env: {SAID: "{keep}", N: "{keep.times}"}}
edges: [{from: say, when: success, to: keep}, {from: keep, when: success, to: tell}]
`;

/** A project with the package installed, as npm would. */
function site(named = "@acme/notes"): Place {
  const place = new Place();
  place.file(
    "node_modules/@acme/notes/package.json",
    '{"name": "@acme/notes", "type": "module", "exports": "./index.js"}',
  );
  place.file("node_modules/@acme/notes/index.js", source);
  const link = place.path("node_modules/@trammel/trammel");
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(root, link);
  place.file("trammel.yaml", `plugins: ["${named}"]\n`);
  place.file("b.yaml", blueprint);
  return place;
}

describe("a node type of a plug-in", () => {
  it("is checked, listed and carried out like a built-in one, and its ports are values", async () => {
    using place = site();
    place.file(".trammel/blueprints/b.yaml", blueprint);
    expect(await trammel(["check", "b.yaml"], { place })).toMatchObject({ code: 0 });
    const { blueprints } = blueprintListShape.parse(JSON.parse((await trammel(["list", "--json"], { place })).stdout));
    expect(blueprints.filter(({ shipped }) => !shipped)).toMatchObject([{ name: "b", valid: true }]);
    expect((await trammel(["show", "b.yaml"], { place })).stdout).toMatch(/■ keep {2}note/);
    const ran = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
    expect(ran).toMatchObject({ code: 0 });
    expect(place.read("notes.txt")).toBe("hello\n\nhello\n\n");
    const run = String(lastLine(ran)["run"]);
    const { nodes } = runReportShape.parse(JSON.parse((await trammel(["show", run, "--json"], { place })).stdout));
    expect(nodes.find(({ id }) => id === "tell")?.attempts[0]?.output).toBe("noted 2\n");
    expect((await trammel(["replay", run], { place })).stdout).toMatch(/ events recomputed, the same\n$/);
  });

  it("refuses fields that it does not have, and a run that it cannot carry out, before anything happens", async () => {
    using place = site();
    place.file("b.yaml", blueprint.replace("times: 2", "tims: 2"));
    const checked = await trammel(["check", "b.yaml"], { place });
    expect(checked).toMatchObject({ code: 2 });
    expect(checked.stdout).toContain("`tims` is no field of note node `keep`; did you mean `times`? [unknown-field]");
    place.file("b.yaml", blueprint.replace("notes.txt", "/notes.txt"));
    const ran = await trammel(["run", "t", "-b", "b.yaml"], { place });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('note "keep": file must be relative') });
  });

  it("gets its fields with their references filled in, where it asks for that, and of the types it declares", async () => {
    using place = site();
    const counted = (count: string, text: string): string => `name: b
nodes:
  say: {type: script, run: "echo '${count}'", output: json}
  keep: {type: note, file: notes.txt, times: "{say.n}", text: "${text}"}
edges: [{from: say, when: success, to: keep}]
`;
    place.file("b.yaml", counted('{\\"n\\": 2}', "{say.n} of {task}"));
    expect(await trammel(["run", "t", "-b", "b.yaml"], { place })).toMatchObject({ code: 0 });
    expect(place.read("notes.txt")).toBe("2 of t\n2 of t\n");
    place.file("b.yaml", counted('{\\"n\\": \\"x\\"}', "a"));
    const unfit = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(unfit)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("`times` of keep does not fit"),
    });
    place.file("b.yaml", counted("{}", "{sya}"));
    const unknown = await trammel(["check", "b.yaml"], { place });
    expect(unknown).toMatchObject({ code: 2, stdout: expect.stringContaining("[unknown-reference]") });
  });

  it("works inside calls and maps, from a path too", async () => {
    using place = site("./plugins/notes.js");
    place.file("plugins/notes.js", source);
    place.file("sub.yaml", "name: sub\nnodes: {keep: {type: note, file: notes.txt}}\n");
    const each = `{type: map, over: "{list}", do: {type: note, file: notes.txt, env: {TEXT: "{item}"}}}`;
    place.file(
      "top.yaml",
      `name: top\nnodes:\n  list: {type: script, run: "echo '[1, 2]'", output: json}\n  sub: {type: call, blueprint: sub.yaml}\n  each: ${each}\nedges: [{from: list, when: success, to: sub}, {from: sub, when: success, to: each}]\n`,
    );
    expect(await trammel(["run", "t", "-b", "top.yaml"], { place })).toMatchObject({ code: 0 });
    expect(place.read("notes.txt")).toBe("\n1\n2\n");
  });

  it("counts as an agent where it says so: its passes are charged and capped", async () => {
    using place = site();
    place.file(
      "b.yaml",
      "name: b\nentry: p\nnodes:\n  p: {type: ponder, cap: 2}\nedges: [{from: p, when: failure, to: p}, {from: p, when: success, to: END}]\n",
    );
    const ran = await trammel(["run", "t", "-b", "b.yaml", "--plain"], { place });
    expect(ran).toMatchObject({ code: 3, stdout: expect.stringContaining("node: p\niteration: 2/2\n") });
  });

  it.each([
    ["tokens: 100", "limits.tokens is 100, and agent p has not said how many it used"],
    ["cost: 1 USD", "limits.cost is 1 USD, and agent p has not said what it used"],
  ])("is not started again under a budget (%s) where it does not say what it used", async (budget, said) => {
    using place = site();
    place.file(
      "b.yaml",
      `name: b\nlimits: {${budget}}\nentry: p\nnodes:\n  p: {type: ponder, cap: 5}\nedges: [{from: p, when: failure, to: p}, {from: p, when: success, to: END}]\n`,
    );
    const ran = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
    expect(ran.code).toBe(4);
    expect(lastLine(ran)).toMatchObject({ status: "limit", reason: expect.stringContaining(said) });
    expect(ran.stdout.match(/"node\.ended"/g)).toHaveLength(1);
  });

  it("ends with everything it started when it is stopped, and goes on after kill -9", async () => {
    using place = site();
    place.file(
      "b.yaml",
      'name: b\nnodes: {s: {type: shell, idempotent: true, run: "echo on >> log; until test -e go; do sleep 0.05; done"}}\n',
    );
    const first = start(["run", "t", "-b", "b.yaml", "--json"], { place });
    await first.until(/"node\.process"/);
    await place.until("log", "on\n");
    first.child.kill("SIGKILL");
    await first.end;
    place.file("go", "");
    const run = runIn(first.stdout);
    expect(await trammel(["resume", run], { place })).toMatchObject({ code: 0 });
    expect(place.read("log")).toBe("on\non\n");
  });
});

describe("a plug-in that ends the process it runs in", () => {
  it.each([
    ["process.exit(0)", "calls exit"],
    ["Promise.reject(new Error('late'))", "leaves a rejection to nobody"],
    ["setTimeout(() => { throw new Error('late') })", "throws where nobody catches"],
  ])("%s: is no success, and the run is interrupted", async (code) => {
    using place = new Place();
    const body = `${code}; await new Promise((done) => setTimeout(done, 60000)); return { outcome: "success" };`;
    const node = `{ type: "end", class: "deterministic", fields: {}, async perform() { ${body} } }`;
    place.file("end.mjs", `export default { name: "ends", nodes: [${node}] };`);
    place.file("trammel.yaml", "plugins: [./end.mjs]\n");
    place.file("b.yaml", "name: b\nnodes: {e: {type: end}}\n");
    const ran = await trammel(["run", "t", "-b", "b.yaml", "--json"], { place });
    expect(ran).toMatchObject({ code: 70, stderr: expect.stringContaining("was ended before its command had") });
    const { stdout } = await trammel(["runs", "--json"], { place });
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ status: "interrupted" }] });
  });
});

describe("plug-ins for editors and for people", () => {
  it("are in the schema of blueprints, with their fields", async () => {
    using place = site();
    const printed = await trammel(["schema"], { place });
    const fits = new Ajv({ strict: false }).compile(JSON.parse(printed.stdout));
    const of = (node: object): boolean => fits({ name: "b", nodes: { keep: { type: "note", ...node } } });
    expect(of({ file: "a", times: 2, timeout: "1m", env: { A: "b" } })).toBe(true);
    expect([of({ times: 2 }), of({ file: 7 }), of({ file: "a", tims: 2 })]).toEqual([false, false, false]);
  });

  it("are told by doctor, with what they bring or why they cannot be loaded", async () => {
    using place = site();
    place.file("broken.js", "throw new Error('it is broken');");
    place.file("trammel.yaml", 'plugins: ["@acme/notes", ./broken.js]\n');
    const { checks } = healthShape.parse(JSON.parse((await trammel(["doctor", "--json"], { place })).stdout));
    expect(checks.filter(({ name }) => name === "plug-in")).toEqual([
      { name: "plug-in", status: "ok", detail: "notes brings note, shell, ponder", mend: null },
      {
        name: "plug-in",
        status: "optional",
        detail: expect.stringContaining("plug-in ./broken.js cannot be loaded: it is broken"),
        mend: expect.stringContaining("A plug-in is a module"),
      },
    ]);
  });
});

describe("a plug-in that is gone", () => {
  it("does not keep a parked run from being stopped, inside a call either", async () => {
    using place = site();
    const parked = `name: sub\nnodes:\n  ask: {type: human, mode: approval, prompt: Go on?}\n  keep: {type: note, file: notes.txt, times: 2, cap: 3}\n  more: {type: ponder, note: why}\nedges: [{from: ask, when: success, to: keep}, {from: keep, when: success, to: more}, {from: ask, when: failure, to: END}]\n`;
    place.file("sub.yaml", parked);
    place.file("top.yaml", "name: top\nnodes:\n  sub: {type: call, blueprint: sub.yaml}\n");
    const ran = await trammel(["run", "t", "-b", "top.yaml", "--detach", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "waiting" });
    const away = [place.path("node_modules/@acme"), place.path("trammel.yaml")];
    for (const file of away) renameSync(file, `${file}.away`);
    const run = String(lastLine(ran)["run"]);
    const resumed = await trammel(["resume", run], { place });
    expect(resumed).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown type `note`") });
    expect(await trammel(["stop", run], { place })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`run ${run} stopped\n`),
    });
    // What it left can be replayed once the plug-in is back.
    for (const file of away) renameSync(`${file}.away`, file);
  });
});

describe("plug-ins of a configuration", () => {
  it("are not loaded where nothing uses them", async () => {
    using place = site("./broken.js");
    place.file("broken.js", "throw new Error('loaded');");
    place.file("b.yaml", "name: b\nnodes: {a: {type: script, run: echo a}}\n");
    expect(await trammel(["run", "t", "-b", "b.yaml"], { place })).toMatchObject({ code: 0, stdout: "a\n" });
  });

  it.each([
    ["throws", "./p.js", "throw new Error('it is broken');", "plug-in ./p.js cannot be loaded: it is broken"],
    ["is a file that is not there", "./gone.js", "", "plug-in ./gone.js cannot be loaded: there is no file /"],
    ["is not there", "@acme/gone", "", "plug-in @acme/gone cannot be loaded: Cannot find module '@acme/gone'"],
    ["exports nothing", "./p.js", "export const x = 1;", "plug-in ./p.js: the module has no default export"],
    [
      "has no function to perform",
      "./p.js",
      "export default {name: 'p', nodes: [{type: 'p', class: 'deterministic', fields: {}}]};",
      "plug-in ./p.js: `nodes.0.perform` is not as it has to be: must be a function",
    ],
    [
      "takes the name of a built-in type",
      "./p.js",
      "export default {name: 'p', nodes: [{type: 'script', class: 'deterministic', fields: {}, perform() {}}]};",
      "plug-in p: the node type script is built in; give yours another name",
    ],
  ])("one that %s is named with its place", async (_, named, text, message) => {
    using place = site(named);
    place.file("p.js", text);
    for (const args of [
      ["check", "b.yaml"],
      ["run", "t", "-b", "b.yaml"],
    ]) {
      const refused = await trammel(args, { place });
      expect(refused).toMatchObject({ code: 2 });
      expect(refused.stderr).toContain(`trammel.yaml:1:11: ${message}`);
    }
  });
});
