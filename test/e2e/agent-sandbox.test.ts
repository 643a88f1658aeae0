import { hash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Step } from "../fixtures/acp-agent/main.ts";
import { receiptShape } from "../../src/wire/receipt.ts";
import { works } from "../sandboxes/ground.ts";
import { lastLine, Place, root, trammel } from "./support/cli.ts";

const agent = join(root, "test", "fixtures", "acp-agent", "main.ts");
/** What the agent is made of, seen in the box where it is here. */
const mounts = [root, realpathSync(join(root, "node_modules"))];

/** An agent in a box that does its steps, and then a look at what is in the box. */
function blueprint(steps: readonly Step[], work = ""): string {
  const command = `${process.execPath} ${agent} '${JSON.stringify([steps])}'`;
  return `
name: boxed
entry: box
nodes:
  box:
    type: provision
    image: host
    env: [GIVEN]
    mount: ${JSON.stringify(mounts)}
  work:
    type: agent_sandbox
    container: "{box}"
    prompt: "Do it: {task}"
    command: ${JSON.stringify(command)}
    ${work}
  look: { type: exec, container: "{box}", run: "cat /workspace/*.txt" }
edges:
  - { from: box, to: work }
  - { from: work, to: look }
  - { from: look, to: END }
`;
}

describe.runIf(works("bubblewrap"))("an agent in a box", () => {
  it("works in the box's workspace, with the box's environment, and its events are the run's", async () => {
    using place = new Place();
    place.file(
      "b.yaml",
      blueprint([
        { call: { kind: "edit", title: "make", write: "/workspace/made.txt", text: "made in the box" } },
        { env: "GIVEN" },
        { env: "ANTHROPIC_API_KEY" },
      ]),
    );
    const env = { GIVEN: "by name", ANTHROPIC_API_KEY: "canary-7f3" };
    const ran = await trammel(["run", "the task", "-b", "b.yaml", "--json"], { place, env });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(ran.stdout).toContain("GIVEN=by nameANTHROPIC_API_KEY=unset");
    expect(ran.stdout).toContain('"path":"made.txt"');
    expect(readdirSync(place.folder)).not.toContain("made.txt");
    const shown = await trammel(["show", String(lastLine(ran)["run"]), "--json"], { place });
    expect(shown.stdout).toContain("made in the box");
  });

  it("is given what the box holds, and what it reads outside of its context is told", async () => {
    using place = new Place();
    place.file("here.txt", "of this machine\n");
    const context = 'context: {include: ["src/*.md", "$ pwd; echo $GIVEN"], read: [src/**]}';
    const steps: Step[] = [
      { call: { kind: "read", title: "/workspace/src/a.md", ask: false } },
      { call: { kind: "read", title: "notes.md", ask: false } },
    ];
    const text = blueprint(steps, context)
      .replace("- { from: box, to: work }", "- { from: box, to: make }\n  - { from: make, to: work }")
      .replace(
        "  look:",
        '  make: { type: exec, container: "{box}", run: "mkdir src; echo in the box > src/a.md" }\n  look:',
      )
      .replace("cat /workspace/*.txt", "true");
    place.file("b.yaml", text);
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place, env: { GIVEN: "by name" } });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    const run = String(lastLine(ran)["run"]);
    const { contexts } = receiptShape.parse(JSON.parse((await trammel(["receipt", run], { place })).stdout));
    const [{ bundle, reads } = { bundle: null, reads: [] }] = contexts;
    expect(reads).toEqual([
      { path: "src/a.md", digest: hash("sha256", "in the box\n", "hex"), how: "given" },
      { path: "src/a.md", digest: null, how: "read" },
      { path: "notes.md", digest: null, how: "outside" },
    ]);
    const kept = readFileSync(join(place.home, "blobs", bundle?.slice(0, 2) ?? "", bundle?.slice(2) ?? ""), "utf8");
    expect(kept).toBe("--- src/a.md\nin the box\n\n--- $ pwd; echo $GIVEN\n/workspace\nby name\n");
    place.file("c.yaml", text.replace("read: [src/**]", "read: [src/**], only: require"));
    const refused = await trammel(["run", "x", "-b", "c.yaml"], { place });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("cannot hold it to globs")]);
    place.file("c.yaml", text.replace("read: [src/**]", "read: repository, only: require"));
    const seen = await trammel(["run", "x", "-b", "c.yaml"], { place });
    expect([seen.code, seen.stderr]).toEqual([2, expect.stringContaining("`box` mounts folders of this machine")]);
  });

  it("is held to its policy and its time, and gone with its node", async () => {
    using place = new Place();
    const push: Step = { call: { kind: "execute", title: "Push", command: "git push" } };
    place.file("denied.yaml", blueprint([push, { say: "Denied." }], "policy: {mode: read_only}"));
    const denied = await trammel(["run", "x", "-b", "denied.yaml", "--json"], { place });
    expect(denied.stdout).toContain('"request":"git push","decision":"denied"');
    place.file("slow.yaml", blueprint([{ hang: true }], "timeout: 3s"));
    const slow = await trammel(["run", "x", "-b", "slow.yaml", "--json"], { place });
    expect(slow.stdout).toContain("still at work when its time was over");
  });

  it("may listen on a port of the box", async () => {
    using place = new Place();
    const listening = blueprint([{ say: "Heard on the port." }], "port: 7000").replace(
      'command: "',
      'command: "busybox nc -l -p 7000 -e ',
    );
    place.file("b.yaml", listening.replace("cat /workspace/*.txt", "true"));
    const ran = await trammel(["run", "x", "-b", "b.yaml", "--json"], { place });
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    expect(ran.stdout).toContain("Heard on the port.");
  });

  it.each([["tools", "tools: [read]", "`tools` cannot hold"]])(
    "is refused with %s before anything runs",
    async (_name, work, why) => {
      using place = new Place();
      place.file("b.yaml", blueprint([], work));
      const ran = await trammel(["run", "x", "-b", "b.yaml"], { place });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(why);
    },
  );
});
