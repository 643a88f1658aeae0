import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lastLine, root, trammel } from "./support/cli.ts";
import { edit, Shop, started } from "./support/shop.ts";

const mended = "export const add = (basket, thing) => [...basket, thing];\n";
const agent = join(root, "test", "fixtures", "acp-agent", "main.ts");

const feature = `
name: feature
flow: git-branch → implement → lint → [fix-lint] → test → [fix-ci] → git-commit → git-push → create-pr
escalate: [cap, no_progress, error, failure]
records: {state: state.md, counters: .claude/counts.json, timezone: Australia/Brisbane}
`;

describe("a flow of stock nodes", () => {
  it("goes from the task to a pull request, and an agent mends what the check found", async () => {
    await using shop = await Shop.open(
      [
        edit("basket;", "[...basket];"),
        { say: "Done." },
        edit("[...basket]", "[...basket, thing]"),
        { say: "It left the thing out." },
      ],
      feature,
    );
    const ran = await shop.run();
    expect(lastLine(ran)).toMatchObject({ status: "succeeded", exitCode: 0 });
    expect(shop.git("branch", "--show-current")).toBe("minion/T1");
    expect(shop.git("log", "-1", "--format=%s", "origin/minion/T1")).toBe("minion: Let people add things");
    expect(shop.git("show", "HEAD:shop.js")).toContain("[...basket, thing]");
    expect(shop.git("status", "--porcelain", "-uno")).toBe("");
    expect(readFileSync(shop.log, "utf8")).toContain("pr create --title minion: Let people add things");
    expect(started(ran)).toEqual("git-branch implement lint test fix-ci test git-commit git-push create-pr".split(" "));
  });

  it("is escalated at the hard cap, with nothing committed and nothing asked of GitHub", async () => {
    await using shop = await Shop.open([edit("basket;", "[...basket];"), { say: "Done." }], feature);
    const ran = await shop.run();
    expect(lastLine(ran)).toMatchObject({ status: "escalated", exitCode: 3 });
    expect(started(ran).filter((node) => node === "fix-ci").length).toBeLessThanOrEqual(2);
    expect(ran.stderr).toContain("BLUEPRINT_ESCALATION\ntask_id: T1\n");
    expect(shop.git("log", "--format=%s")).toBe("first");
    expect(() => readFileSync(shop.log)).toThrow("ENOENT");
  });

  it("is escalated where the agent that mends code edits the test, which is then as it was", async () => {
    await using shop = await Shop.open(
      [
        edit("basket;", "[...basket];"),
        { say: "Done." },
        edit('["egg"]', "[]", "shop.test.js"),
        { say: "All pass now." },
      ],
      feature,
    );
    const ran = await shop.run();
    expect(lastLine(ran)).toMatchObject({ status: "escalated", exitCode: 3 });
    expect(ran.stderr).toContain("node: fix-ci\n");
    expect(ran.stderr).toContain("it changed what it may not: shop.test.js (taken back)");
    expect(shop.git("status", "--porcelain", "-uno")).toBe("M shop.js");
  });

  it("is escalated where an agent plants a hook, which is gone before anything is committed", async () => {
    const plant = "printf '#!/bin/sh\\ntouch planted\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit";
    await using shop = await Shop.open(
      [
        { call: [{ tool: "run", input: { command: plant } }] },
        edit("basket;", "[...basket, thing];"),
        { say: "Done." },
      ],
      feature,
    );
    const ran = await shop.run();
    expect(lastLine(ran)).toMatchObject({ status: "escalated", exitCode: 3 });
    expect(ran.stderr).toContain("node: implement\n");
    expect(ran.stderr).toContain("it changed what it may not: .git/hooks/pre-commit (taken back)");
    expect(existsSync(shop.place.path(".git/hooks/pre-commit"))).toBe(false);
  });

  it("tells reviewers what an agent read outside of its context", async () => {
    const read = { kind: "read", title: "/etc/hostname", ask: false };
    await using shop = await Shop.open([{ say: "Never asked." }], feature);
    const steps = [[{ call: read }, { overwrite: shop.place.path("shop.js"), text: mended }, { say: "Done." }]];
    const command = JSON.stringify([process.execPath, agent, JSON.stringify(steps)]);
    shop.place.file(
      "trammel.yaml",
      `agent: {provider: acp, command: ${command}}\ncommands: {lint: "true", test: node --test}\n`,
    );
    shop.git("commit", "--quiet", "-am", "agent");
    const ran = await shop.run();
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    const outside = realpathSync("/etc/hostname");
    expect(readFileSync(shop.log, "utf8")).toContain(
      `Files that the agents read outside of their context:\n\n    ${outside}`,
    );
    const run = String(lastLine(ran)["run"]);
    const shown = await trammel(["show", run], { place: shop.place });
    expect(shown.stdout).toContain(`! read outside its context: ${outside}`);
  });

  it("is escalated where an agent leaves the branch of the run, with nothing committed elsewhere", async () => {
    await using shop = await Shop.open(
      [
        { call: [{ tool: "run", input: { command: "git checkout -q main" } }] },
        edit("basket;", "[...basket, thing];"),
        { say: "Done." },
      ],
      feature,
    );
    const ran = await shop.run();
    expect(lastLine(ran)).toMatchObject({ status: "escalated", exitCode: 3 });
    expect(ran.stderr).toContain("evidence: HEAD is on main, and not on minion/T1, which this run made\n");
    expect(shop.git("log", "--format=%s", "--branches")).toBe("first");
  });

  it("is not in its own way: what it wrote of an escalation is no change of the next run, and is not committed", async () => {
    await using shop = await Shop.open(
      [{ say: "Nothing to do." }, edit("basket;", "[...basket, thing];"), { say: "Done." }],
      feature,
    );
    shop.place.file("feature.yaml", feature.replace("[fix-ci] → ", ""));
    shop.git("commit", "--quiet", "-am", "flow");
    expect(lastLine(await shop.run())).toMatchObject({ status: "escalated" });
    expect(shop.git("status", "--porcelain", "-uall").split("\n")).toEqual(["?? .claude/counts.json", "?? state.md"]);
    expect(shop.place.read("state.md")).toMatch(
      /^## Minion Escalation — \d\d\/\d\d\/\d{4} \d\d:\d\d AEST\ntask_id: T1\nstatus: ESCALATED\nnode: test\nreason: /,
    );
    expect(lastLine(await shop.run(["--task-id", "T2"]))).toMatchObject({ status: "succeeded" });
    expect(shop.git("show", "--name-only", "--format=", "minion/T2")).toBe("shop.js");
  });

  it("asks for the risk to be taken, and keeps that over a rerun", async () => {
    await using shop = await Shop.open([edit("basket;", "[...basket, thing];"), { say: "Done." }], feature);
    const guarded = feature.replace("git-branch →", "execution-guardian-check → git-branch →");
    shop.place.file("feature.yaml", guarded);
    shop.git("commit", "--quiet", "-am", "flow");
    const refused = await shop.run([], "Drop the production database");
    expect(lastLine(refused)).toMatchObject({ status: "escalated" });
    expect(refused.stderr).toContain("a person who takes it upon them starts the run with --accept-risk");
    const ran = await shop.run(["--accept-risk"], "Drop the production database");
    expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
    const again = await trammel(["rerun", String(lastLine(ran)["run"]), "--json"], {
      place: shop.place,
      env: shop.env,
    });
    expect(started(again).slice(0, 2)).toEqual(["execution-guardian-check", "git-branch"]);
  });

  it("stops before any agent where the tree has changes", async () => {
    await using shop = await Shop.open([{ say: "Never asked." }], feature);
    shop.place.file("notes.txt", "mine\n");
    const ran = await shop.run();
    expect(lastLine(ran)).toMatchObject({ status: "escalated" });
    expect(started(ran)).toEqual(["git-branch"]);
    expect(ran.stderr).toContain("the working tree has changes; commit or stash them first");
  });
});
