import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lastLine, Place, trammel } from "../e2e/support/cli.ts";
import { works } from "../sandboxes/ground.ts";
import { areThere, environment, key, mends, modelFor, mounts, reals, type Real } from "./ground.ts";

const node = realpathSync(process.execPath);

/** A repository whose check fails. */
function repository(place: Place): void {
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: place.path("repo") });
  mkdirSync(place.path("repo"));
  place.file("repo/sum.js", "export const sum = (a, b) => a - b;\n");
  place.file("repo/package.json", '{"type": "module"}');
  place.file(
    "repo/check.js",
    'import { sum } from "./sum.js";\nconsole.log("2 + 3 is", sum(2, 3));\nprocess.exit(sum(2, 3) === 5 ? 0 : 1);\n',
  );
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "one");
}

/** A task in a container: a box, a checkout in it, and an agent in it that mends what the check finds. */
const blueprint = (real: Real, first: string): string => `
name: containerized
inputs: {repo: string}
entry: box
nodes:
  box:
    type: provision
    image: host
    network: host
    env: ${JSON.stringify(Object.keys(real.reach(first)))}
    mount: ${JSON.stringify(mounts)}
  clone: {type: checkout, container: "{box}", repo: "{inputs.repo}", path: src}
  check: {type: exec, container: "{box}", workdir: src, run: ${JSON.stringify(`${node} check.js`)}}
  work:
    type: agent_sandbox
    container: "{box}"
    prompt: "Task: {task}"
    env: ${JSON.stringify(real.reach(first))}
    command: ${JSON.stringify(`${node} ${real.program} --acp`)}
  fix:
    type: agent_sandbox
    container: "{box}"
    cap: 2
    prompt: "The check fails: {check}"
    command: ${JSON.stringify(`${node} ${real.program} --acp`)}
edges:
  - {from: box, to: clone}
  - {from: clone, to: work}
  - {from: work, to: check}
  - {from: check, when: failure, to: fix}
  - {from: check, when: success, to: END}
  - {from: fix, to: check}
`;

describe.runIf(areThere && works("bubblewrap")).each(reals)("$name in a box", (real) => {
  test("mends a checkout until its check passes; the change is kept, the box is gone", async () => {
    using place = new Place();
    const note = { file_path: "/workspace/src/NOTE.md", content: "# Sums" };
    const first = await modelFor(
      [{ call: [{ tool: "write_file", input: note }] }, { say: "It is noted." }],
      onTestFinished,
    );
    const model = await modelFor(mends(real, "/workspace/src/sum.js"), onTestFinished);
    mkdirSync(place.path("home"));
    repository(place);
    place.file("b.yaml", blueprint(real, first.url));
    const args = ["run", "mend it", "-b", "b.yaml", "--input", "repo=./repo", "--json"];
    const ran = await trammel(args, { place, env: environment(real, place, model) });
    expect(ran.stderr).toBe("");
    expect(lastLine(ran)).toMatchObject({ status: "succeeded", usage: { inputTokens: 500 } });
    const checks = ran.stdout.split("\n").filter((line) => /"node.ended".*"node":"check"/.test(line));
    expect(checks.map((line) => /"outcome":"(\w+)"/.exec(line)?.[1])).toEqual(["failure", "success"]);
    expect(ran.stdout).toContain("It subtracted. Now it adds.");
    expect(JSON.stringify(model.requests[0]?.body)).toContain("The check fails: 2 + 3 is -1");
    expect(place.read("repo/sum.js")).toContain("a - b");
    const run = String(lastLine(ran)["run"]);
    const patch = readFileSync(join(place.home, "artifacts", run, "clone.patch"), "utf8");
    expect(JSON.stringify(first.requests[0]?.body)).toContain("Task: mend it");
    expect(patch).toContain("+# Sums");
    expect(patch).toContain("+export const sum = (a, b) => a + b;");
    const left = ["boxes", "records"].map((part) => join(place.home, "sandboxes", part)).filter((it) => existsSync(it));
    expect(left.flatMap((folder) => readdirSync(folder))).toEqual([]);
    expect(ran.stdout + ran.stderr + patch).not.toContain(key);
    expect(readdirSync(place.path("home"))).toEqual([]);
  });
});
