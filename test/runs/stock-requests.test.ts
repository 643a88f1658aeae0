import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ended, StockBench } from "./stock-bench.ts";

let bench: StockBench;
beforeEach(() => {
  bench = new StockBench();
});
afterEach(() => bench[Symbol.dispose]());

function perform(name: string, variables: Readonly<Record<string, string>> = {}): Ended {
  return bench.perform(name, variables);
}

describe("create-pr", () => {
  const asked = (): string => readFileSync(join(bench.folder, "gh.log"), "utf8");

  test("opens one, labelled, and answers with its URL; the second time it is found", () => {
    const url = "https://github.com/acme/shop/pull/7";
    expect(perform("create-pr")).toMatchObject({ exit: 0, out: url });
    expect(asked()).toContain("pr create --title minion: Add a basket --body Add a basket\nwith two handles");
    expect(asked()).toContain("--label minion-generated");
    expect(perform("create-pr")).toMatchObject({ exit: 0, out: url });
    expect(asked().match(/pr create/g)).toHaveLength(1);
    expect(asked()).not.toMatch(/merge(?!ing)/);
  });

  test("takes one that was merged or closed for none", () => {
    const url = "https://github.com/acme/shop/pull/7";
    writeFileSync(join(bench.folder, "gh.log.pr"), "https://github.com/acme/shop/pull/6\n");
    expect(perform("create-pr", { GH_STATE: "MERGED" })).toMatchObject({ exit: 0, out: url });
    expect(asked()).toContain("pr create");
  });

  test.each([".github/pull_request_template.md", "docs/PULL_REQUEST_TEMPLATE.md", "pull_request_template.txt"])(
    "takes the template of the repository for the body: %s",
    (file) => {
      bench.commit(file, "## What\n");
      perform("create-pr");
      expect(asked()).toContain("--body ## What");
    },
  );

  test("takes the template that the records name, and says where that is not committed", () => {
    bench.write(".github/pull_request_template.md", "## What\n");
    bench.write("minion.md", "## Why\n");
    expect(perform("create-pr", { TRAMMEL_PR_TEMPLATE: "minion.md" })).toMatchObject({
      exit: 1,
      err: expect.stringContaining("records.pr_template is minion.md, which is not committed"),
    });
    bench.git("add", "-A");
    bench.git("commit", "--quiet", "-m", "template");
    perform("create-pr", { TRAMMEL_PR_TEMPLATE: "minion.md" });
    expect(asked()).toContain("--body ## Why");
    rmSync(join(bench.folder, "gh.log.pr"));
    const elsewhere = join(bench.folder, "mine.md");
    writeFileSync(elsewhere, "## Mine\n");
    perform("create-pr", { TRAMMEL_PR_TEMPLATE: elsewhere });
    expect(asked()).toContain("--body ## Mine");
  });

  test("shows nobody what a planted link leads to", () => {
    writeFileSync(join(bench.folder, "secret"), "s3cret\n");
    mkdirSync(join(bench.repository, ".github"));
    symlinkSync(join(bench.folder, "secret"), join(bench.repository, ".github/pull_request_template.md"));
    bench.git("add", "-A");
    bench.git("commit", "--quiet", "-m", "template");
    perform("create-pr");
    expect(asked()).toContain("pr create");
    expect(asked()).not.toContain("s3cret");
  });

  test("cuts a title that GitHub would refuse", () => {
    perform("create-pr", { TASK: "é".repeat(400) });
    expect(asked()).toContain(`--title minion: ${"é".repeat(200)} --body`);
  });

  test("says that gh is not there by the exit code of a command that could not start", () => {
    expect(perform("create-pr", { PATH: join(bench.folder, "nothing") }).exit).toBe(127);
  });

  test.each(["fails", "silent", "elsewhere"])("is a failure when gh %s", (mode) => {
    const { exit, err } = perform("create-pr", { GH_MODE: mode });
    expect(exit).toBe(1);
    expect(err).not.toBe("");
  });
});

describe("execution-guardian-check", () => {
  test.each([
    ["Rename a helper", 0, "low"],
    ["Add a DB migration for baskets", 0, "medium"],
    ["Delete stale rows in production", 1, "high"],
    ["Reproduce the specific dropdown bug", 0, "low"],
  ])("%s", (task, exit, risk) => {
    const ended = perform("execution-guardian-check", { TASK: task });
    expect([ended.exit, JSON.parse(ended.ports)]).toEqual([exit, { risk }]);
  });

  test("goes on with a high risk that a person has taken upon them", () => {
    const TASK = "Drop the production database";
    expect(perform("execution-guardian-check", { TASK }).err).toContain("--accept-risk");
    const ended = perform("execution-guardian-check", { TASK, TRAMMEL_ACCEPT_RISK: "1" });
    expect([ended.exit, ended.ports]).toEqual([0, '{"risk": "high"}\n']);
  });
});

test("system-supervisor-quick-audit names file and line of a violation", () => {
  expect(perform("system-supervisor-quick-audit").exit).toBe(0);
  mkdirSync(join(bench.repository, ".claude/memory"), { recursive: true });
  bench.write(".claude/memory/current-state.md", "fine\nVIOLATION: layer\n");
  expect(perform("system-supervisor-quick-audit")).toMatchObject({
    exit: 1,
    out: ".claude/memory/current-state.md:2:VIOLATION: layer",
  });
  writeFileSync(join(bench.folder, "state.md"), "fine\n");
  expect(perform("system-supervisor-quick-audit", { TRAMMEL_STATE_FILE: join(bench.folder, "state.md") }).exit).toBe(0);
});

describe("the patterns of an audit", () => {
  const audit = (TRAMMEL_AUDIT_PATTERNS: string): Ended =>
    perform("system-supervisor-quick-audit", { TRAMMEL_AUDIT_PATTERNS });

  test("name file and line of each hit in what is tracked", () => {
    bench.write("b.ts", "one\nconst x: any = 1;\n// @ts-ignore\n");
    expect(audit(": any\\b\n@ts-ignore").exit).toBe(0);
    bench.git("add", "-A");
    expect(audit(": any\\b\n@ts-ignore")).toMatchObject({
      exit: 1,
      out: expect.stringContaining("b.ts:2:const x: any = 1;\nb.ts:3:// @ts-ignore"),
    });
  });

  test("may begin with a dash, as that of a private key does", () => {
    bench.write("id.pem", "-----BEGIN PRIVATE KEY-----\n");
    bench.git("add", "-A");
    const ended = audit("-----BEGIN");
    expect([ended.exit, ended.out]).toEqual([1, expect.stringContaining("id.pem:1:-----BEGIN PRIVATE KEY-----")]);
    expect(audit("--open-files-in-pager=false").exit).toBe(0);
  });

  test("that are none are no answer", () => {
    expect(audit("(").exit).toBe(126);
  });
});
