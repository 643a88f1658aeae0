import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lastLine, root } from "./support/cli.ts";
import { edit, Shop, started } from "./support/shop.ts";

const blueprint = (name: string): string => readFileSync(join(root, "examples/minions", `${name}.yaml`), "utf8");
const mend = [edit("basket;", "[...basket, thing];"), { say: "It adds the thing now." }] as const;
const ends = "git-commit git-push create-pr";

/** The test of the shop fails until its code is mended. */
it.each([
  ["feature", mend, "git-branch execution-guardian-check implement lint test type-check"],
  ["bugfix", [{ say: "The test shows it." }, ...mend], "git-branch reproduce-bug reproduced implement-fix lint test"],
  ["migration", mend, "git-branch execution-guardian-check implement-migration type-check test"],
  ["ci-fix", mend, "git-branch lint test type-check fix-ci lint test type-check"],
] as const)("%s goes from a task to a pull request, and merges nothing", async (name, script, way) => {
  await using shop = await Shop.open([...script], blueprint(name));
  const ran = await shop.run();
  expect(lastLine(ran)).toMatchObject({ status: "succeeded", exitCode: 0 });
  expect(started(ran).join(" ")).toBe(`${way} ${ends}`);
  expect(shop.git("log", "--format=%s", "origin/minion/T1")).toBe("minion: Let people add things\nfirst");
  expect(shop.git("show", "--name-only", "--format=", "minion/T1")).toBe("shop.js");
  expect(shop.git("log", "--format=%s", "main")).toBe("first");
  expect(readFileSync(shop.log, "utf8")).not.toMatch(/\bpr merge\b/);
  const counts = JSON.parse(shop.place.read(".claude/data/minion-state.json")) as unknown;
  const agents = started(ran).filter((node) => /^(implement|reproduce-|fix)/.test(node));
  expect(counts).toEqual({
    version: 1,
    tasks: { T1: Object.fromEntries(agents.map((node) => [node, { passes: 1, cap: node === "fix-ci" ? 2 : 1 }])) },
  });
});

it("a refactor begins only where the tests pass", async () => {
  const rewrite = edit("basket.concat(thing);", "[...basket, thing];");
  await using shop = await Shop.open([rewrite, { say: "It says what it does." }], blueprint("refactor"));
  const stuck = await shop.run();
  expect([lastLine(stuck)["status"], ...started(stuck)]).toEqual(["escalated", "git-branch", "test"]);
  expect(shop.place.read(".claude/memory/current-state.md")).toMatch(
    /^## Minion Escalation — \d\d\/\d\d\/\d{4} \d\d:\d\d AEST\ntask_id: T1\nstatus: ESCALATED\nnode: test\nreason: exit code 1\n$/,
  );
  shop.git("checkout", "--quiet", "main");
  shop.place.file("shop.js", "export const add = (basket, thing) => basket.concat(thing);\n");
  shop.git("commit", "--quiet", "-am", "mended");
  const ran = await shop.run();
  expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
  expect(shop.git("branch", "--show-current")).toBe("minion/T1-2");
});

it("an agent that commits by itself, on the branch of the run, is no failure", async () => {
  const commit = "git commit -qam 'I did it'";
  await using shop = await Shop.open(
    [mend[0], { call: [{ tool: "run", input: { command: commit } }] }, mend[1]],
    blueprint("feature"),
  );
  const ran = await shop.run();
  expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
  expect(shop.git("log", "--format=%s", "origin/minion/T1")).toBe("I did it\nfirst");
});

it("an agent that changes nothing stops before a pull request", async () => {
  await using shop = await Shop.open([{ say: "Nothing to do." }], blueprint("migration"));
  shop.place.file("shop.js", "export const add = (basket, thing) => [...basket, thing];\n");
  shop.git("commit", "--quiet", "-am", "mended");
  const ran = await shop.run();
  expect(lastLine(ran)).toMatchObject({ status: "escalated" });
  expect(ran.stderr).toContain("node: git-commit\niteration: 1/1\nreason: exit code 1: no changes to commit\n");
  expect(started(ran)).not.toContain("create-pr");
});

it("a pull request of another repository is none", async () => {
  await using shop = await Shop.open([...mend], blueprint("feature"));
  const ran = await shop.run([], undefined, { GH_MODE: "elsewhere" });
  expect(lastLine(ran)).toMatchObject({ status: "escalated", exitCode: 3 });
  expect(ran.stderr).toContain("node: create-pr\n");
});

it("a hook that refuses keeps the work, and stands in the escalation", async () => {
  await using shop = await Shop.open([...mend], blueprint("feature"));
  shop.hook("pre-commit", "echo no tickets, no commit >&2; exit 1");
  const ran = await shop.run();
  expect(lastLine(ran)).toMatchObject({ status: "escalated" });
  expect(ran.stderr).toContain("\nevidence: no tickets, no commit\nnext_action: ");
  expect(shop.git("diff", "HEAD", "--name-only")).toBe("shop.js");
});

it("in a worktree of its own the whole flow leaves the user's tree as it is", async () => {
  await using shop = await Shop.open([...mend], `${blueprint("feature")}workspace: {isolate: worktree}\n`);
  shop.place.file("notes.txt", "mine\n");
  const ran = await shop.run();
  expect(ran.stderr).toBe("");
  expect(lastLine(ran)).toMatchObject({ status: "succeeded" });
  expect(shop.git("branch", "--show-current")).toBe("main");
  expect(shop.git("show", "--name-only", "--format=", "origin/minion/T1")).toBe("shop.js");
});
