import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { check } from "../../check/check.ts";
import { CalleeLookup } from "./callee-lookup.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trammel-callees-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function problems(text: string): readonly string[] {
  const document = { name: "top.yaml", file: join(folder, "top.yaml"), text };
  put("top.yaml", text);
  const { diagnostics } = check(text, { calleeOf: new CalleeLookup(folder).of(document) });
  return diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

const calling = (reference: string, more = ""): string =>
  `name: top\nnodes:\n  a: {type: call, blueprint: ${reference}${more}}\n`;
const script = "nodes: {x: {type: script, run: ls}}\n";

test("a callee is found beside the document, by its name, and in the project's folder", () => {
  put("lib/a.yaml", `name: a\n${script}`);
  put(".trammel/blueprints/b.yaml", `name: b\n${script}`);
  for (const reference of ["lib/a.yaml", "lib/a", "b"]) expect(problems(calling(reference))).toEqual([]);
  const none = new CalleeLookup(folder).of({ name: "top.yaml", file: join(folder, "top.yaml"), text: "" })(
    "lib/c.yaml",
  );
  expect(none).toEqual({ problem: "there is no file lib/c.yaml" });
  expect(problems(calling("lib/c.yaml"))).toEqual([
    "bad-call: Call `a` cannot run `lib/c.yaml`: there is no file lib/c.yaml",
  ]);
});

test("a callee is held to its own callees, and a way back to the caller is told", () => {
  put("a.yaml", calling("b.yaml").replace("top", "a"));
  put("b.yaml", calling("a.yaml").replace("top", "b"));
  const [told, ...more] = problems(calling("a.yaml"));
  expect(told).toMatch(
    /^bad-call: Call `a` cannot run `a\.yaml`: it has a problem: .+ leads back to itself: .+a\.yaml → .+b\.yaml → .+a\.yaml$/,
  );
  expect(more).toEqual([]);
  expect(problems(calling("top.yaml"))[0]).toMatch(/leads back to itself/);
});

test("what a plug-in may supply is not judged, and a problem of the callee is named", () => {
  put("plug.yaml", "name: plug\nnodes: {x: {type: notify, channel: ops}}\n");
  put("bad.yaml", "name: bad\nnodes: {x: {type: script, rum: ls}}\n");
  expect(problems(calling("plug.yaml", ", with: {any: 1}"))).toEqual([]);
  expect(problems(calling("bad.yaml"))).toEqual([
    "bad-call: Call `a` cannot run `bad.yaml`: it has a problem: `rum` is no field of script node `x`; did you mean `run`?",
  ]);
});

test("each callee is read once, however many ways lead to it", () => {
  const levels = 14;
  for (let level = 0; level < levels; level += 1) {
    const next = level + 1 < levels ? `blueprint: l${level + 1}.yaml` : "";
    const node = next === "" ? "{type: script, run: ls}" : `{type: call, ${next}}`;
    put(
      `l${level}.yaml`,
      `name: l${level}\nentry: x\nnodes: {x: ${node}, y: ${node}, z: ${node}}\nedges:\n  - {from: x, when: success, to: [y, z]}\n`,
    );
  }
  const start = process.cpuUsage().user;
  expect(problems(calling("l0.yaml"))).toEqual([]);
  expect(process.cpuUsage().user - start).toBeLessThan(5_000_000);
});

test("untrusted text that a callee puts before a person, also further in, is refused where it is handed over", () => {
  const gate = (inputs: string): string =>
    `name: ask\ninputs: {what: ${inputs}}\nnodes: {g: {type: human, prompt: "Go on with {inputs.what} for {task}?"}}\n`;
  const between = (more: string): string =>
    `name: between\ninputs: {it: string}\nnodes: {c: {type: call, blueprint: ask.yaml, with: {what: "{inputs.it}"${more}}}}\n`;
  const top = (more: string): string =>
    `name: top\nnodes:\n  s: {type: script, run: ls}\n  k: {type: call, blueprint: between.yaml, with: {${more}}}\nedges: [{from: s, when: success, to: k}]\n`;
  const refused = (field: string): string =>
    `tainted-value: \`{s}\` in \`with.${field}\` of node \`k\`: text from a process would decide what a person is asked in \`between.yaml\``;
  put("ask.yaml", gate("string"));
  put("between.yaml", between(""));
  expect(problems(top('it: "{s}", task: "{s}"'))).toEqual([refused("it"), refused("task")]);
  expect(problems(top('it: "{task}"'))).toEqual([]);
  put("between.yaml", between(", task: fixed"));
  expect(problems(top('it: "{s}", task: "{s}"'))).toEqual([refused("it")]);
  for (const held of ["{type: string, enum: [a, b]}", "integer", '{type: string, pattern: "^[a-z]+$"}']) {
    put("ask.yaml", gate(held));
    expect(problems(top('it: "{s}"'))).toEqual([]);
  }
  put("ask.yaml", gate('{type: string, pattern: "[a-z ]+"}'));
  expect(problems(top('it: "{s}"'))).toEqual([refused("it")]);
  put("ask.yaml", gate('{type: string, pattern: "[a-z]+"}'));
  expect(problems(top('it: "{s}"'))).toEqual([]);
});

test("a callee that is not what the lock says is told at its call, wherever below it something changed", () => {
  put("deep.yaml", `name: deep\n${script}`);
  put("mid.yaml", calling("deep.yaml").replace("top", "mid"));
  const pinned = (): string | undefined => {
    const callee = new CalleeLookup(folder).of({ name: "top.yaml", file: join(folder, "top.yaml"), text: "" })(
      "mid.yaml",
    );
    return callee === undefined || "problem" in callee ? undefined : callee.hash;
  };
  const hash = pinned();
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  put("deep.yaml", `name: deep # as before\n${script}`);
  expect(pinned()).toBe(hash);
  put("deep.yaml", `name: deep\n${script.replace("ls", "ls -l")}`);
  expect(pinned()).not.toBe(hash);
  put("trammel.lock", JSON.stringify({ version: 1, pins: { "deep.yaml": "0".repeat(64) } }));
  expect(problems(calling("mid.yaml"))).toEqual([
    expect.stringMatching(
      /^bad-call: Call `a` cannot run `mid\.yaml`: it has a problem: Call `a`: `deep\.yaml` is not what trammel\.lock says/,
    ),
  ]);
});

test("what only the blueprint that is run can have is refused at the call, unless both have it", () => {
  put("sub.yaml", `name: sub\nworkspace: {isolate: worktree, protect: [x]}\nconcurrency: {key: "{task}"}\n${script}`);
  const told = (setting: string): string =>
    `bad-call: Call \`a\`: blueprint \`sub\` has \`${setting}\`, which only the blueprint that is run can have`;
  expect(problems(calling("sub.yaml"))).toEqual([told("workspace.isolate"), told("concurrency")]);
  const same = 'workspace: {isolate: worktree}\nconcurrency: {key: "{task}"}\n';
  expect(problems(calling("sub.yaml") + same)).toEqual([]);
  put("mid.yaml", calling("sub.yaml").replace("top", "mid"));
  expect(problems(calling("mid.yaml") + same)).toEqual([]);
});
