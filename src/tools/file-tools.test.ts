import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ToolBench } from "../../test/support/tool-bench.ts";
import { limits } from "../model/limits.ts";
import type { Reads } from "../ports/reads.ts";

let bench: ToolBench;

beforeEach(() => {
  bench = new ToolBench();
});

afterEach(() => bench.close());

test("a worktree, which lies in the data folder, is worked in like any other folder", async () => {
  const workspace = path.join(bench.dataFolder, "worktrees", "r1");
  bench.put(".trammel-data/worktrees/r1/a.txt", "one\n");
  expect(await bench.call("read", { path: "a.txt" }, { workspace })).toMatchObject({ outcome: "success" });
  expect(await bench.call("edit", { path: "a.txt", old_text: "one", new_text: "two" }, { workspace })).toMatchObject({
    outcome: "success",
  });
  expect(await bench.call("list", {}, { workspace })).toMatchObject({
    output: { text: expect.stringContaining("a.txt") },
  });
  expect((await bench.call("read", { path: "../../journal.db" }, { workspace })).problem).toMatch(/leads out/);
});

describe("read", () => {
  test("answers the text as it stands, or some lines of it", async () => {
    bench.put("a.txt", "1\r\n2\n3\n");
    expect(await bench.call("read", { path: "a.txt" })).toEqual({
      outcome: "success",
      output: { text: "1\r\n2\n3\n", bytes: 7 },
    });
    expect((await bench.call("read", { path: "a.txt", offset: 2, limit: 1 })).output.text).toBe("2");
    expect((await bench.call("read", { path: "a.txt", offset: 9 })).problem).toBe(
      "a.txt has 4 lines; offset 9 is beyond its end",
    );
  });

  test("of a large file shows the beginning and how to go on", async () => {
    bench.put("large.txt", Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join("\n"));
    const first = await bench.call("read", { path: "large.txt" });
    const next = /read on with offset (\d+)\]$/.exec(first.output.text)?.[1];
    expect(first.output.bytes).toBeLessThan(limits.toolOutputBytes);
    const second = await bench.call("read", { path: "large.txt", offset: Number(next), limit: 1 });
    expect(second.output.text).toMatch(new RegExp(`^line ${next}$`, "m"));
    expect(first.output.text).toContain(`\nline ${Number(next) - 1}\n[`);
  });

  test("one endless line is bounded", async () => {
    bench.put("min.js", "x".repeat(1_000_000));
    expect((await bench.call("read", { path: "min.js" })).output.bytes).toBeLessThan(limits.toolOutputBytes);
  });

  test("what cannot be read as text says so", async () => {
    bench.put("binary", new Uint8Array([1, 0, 2]));
    bench.put("latin", new Uint8Array([0xe9, 0x20]));
    mkdirSync(bench.at("folder"));
    const problem = async (name: string): Promise<unknown> => {
      const { outcome, problem: text } = await bench.call("read", { path: name });
      return [outcome, text];
    };
    expect(await problem("binary")).toEqual(["failure", "binary is no UTF-8 text"]);
    expect(await problem("latin")).toEqual(["failure", "latin is no UTF-8 text"]);
    expect(await problem("folder")).toEqual(["failure", "folder is a folder; use list"]);
    expect(await problem("gone")).toEqual(["failure", "gone does not exist"]);
  });

  test("shows no part of a secret at the cut", async () => {
    bench.redactor.add("canary-7f3a");
    bench.put("min.js", `${"x".repeat(limits.toolTextCharacters - 5)}canary-7f3a${"y".repeat(9)}`);
    expect((await bench.call("read", { path: "min.js" })).output.text).not.toContain("can");
  });

  test("shows no known secret, and neither does a diff", async () => {
    bench.redactor.add("canary-7f3a");
    bench.put(".env", "KEY=canary-7f3a\n");
    expect((await bench.call("read", { path: ".env" })).output.text).toBe("KEY=***\n");
    const { diffs } = await bench.call("write", { path: ".env", content: "KEY=canary-7f3a2\n" });
    expect(diffs).toEqual([{ path: ".env", before: "KEY=***\n", after: "KEY=***2\n" }]);
    expect(readFileSync(bench.at(".env"), "utf8")).toBe("KEY=canary-7f3a2\n");
  });
});

describe("write and edit", () => {
  test("write makes folders and tells what changed", async () => {
    expect(await bench.call("write", { path: "a/b/c.txt", content: "é\n" })).toEqual({
      outcome: "success",
      output: { text: "wrote a/b/c.txt (3 bytes)", bytes: 25 },
      diffs: [{ path: "a/b/c.txt", before: null, after: "é\n" }],
    });
    expect(readFileSync(bench.at("a/b/c.txt"), "utf8")).toBe("é\n");
    expect(readdirSync(bench.at("a/b"))).toEqual(["c.txt"]);
  });

  test("permissions of a file stay", async () => {
    bench.put("tool.sh", "old\n");
    chmodSync(bench.at("tool.sh"), 0o755);
    await bench.call("edit", { path: "tool.sh", old_text: "old", new_text: "new" });
    expect(statSync(bench.at("tool.sh")).mode & 0o777).toBe(0o755);
  });

  test("edit changes one exact place", async () => {
    bench.put("a.ts", "let a = 1;\nlet b = 1;\n");
    const result = await bench.call("edit", { path: "a.ts", old_text: "b = 1", new_text: "b = 2" });
    expect(result).toMatchObject({ outcome: "success", output: { text: "changed a.ts at line 2" } });
    expect(result.diffs).toEqual([
      { path: "a.ts", before: "let a = 1;\nlet b = 1;\n", after: "let a = 1;\nlet b = 2;\n" },
    ]);
    expect((await bench.call("edit", { path: "a.ts", old_text: "= ", new_text: "" })).problem).toMatch(
      /^a\.ts: old_text occurs 2 times/,
    );
  });

  test("a file that is no text is not changed by an edit", async () => {
    bench.put("latin", new Uint8Array([0x61, 0xe9]));
    expect((await bench.call("edit", { path: "latin", old_text: "a", new_text: "b" })).outcome).toBe("failure");
    expect([...readFileSync(bench.at("latin"))]).toEqual([0x61, 0xe9]);
  });

  test("a folder is not written over", async () => {
    mkdirSync(bench.at("folder"));
    expect((await bench.call("write", { path: "folder", content: "x" })).problem).toBe("folder is a folder; use list");
  });
});

describe("no path leads out of the workspace", () => {
  const calls = ["read", "write", "edit", "list", "search", "git_diff"] as const;

  test.each([
    ["absolute", "/etc/passwd", /is absolute/],
    ["upwards", "../outside.txt", /leads out of the workspace/],
    ["up from below", "a/../../outside.txt", /leads out of the workspace/],
    ["through a linked folder", "linked/outside.txt", /through a symbolic link/],
    ["through a linked file", "link.txt", /through a symbolic link/],
    ["through a dangling link", "dangling", /through a symbolic link/],
    ["a link in a circle", "circle", /through a symbolic link/],
    ["git's data", ".git/config", /belongs to git/],
    ["git's data in another case", "sub/.GIT/config", /belongs to git/],
    ["Trammel's data", ".trammel-data/journal.db", /belongs to Trammel/],
    ["a NUL byte", "a\0b", /NUL/],
  ])("%s", async (_name, given, problem) => {
    writeFileSync(path.join(bench.folder, "outside.txt"), "outside");
    symlinkSync("..", bench.at("linked"));
    symlinkSync("../outside.txt", bench.at("link.txt"));
    symlinkSync("../made", bench.at("dangling"));
    symlinkSync("circle", bench.at("circle"));
    for (const name of calls) {
      const args = { path: given, content: "x", old_text: "outside", new_text: "y", pattern: "outside" };
      const result = await bench.call(name, args);
      expect([name, result.outcome, result.problem]).toEqual([name, "failure", expect.stringMatching(problem)]);
    }
    expect(readFileSync(path.join(bench.folder, "outside.txt"), "utf8")).toBe("outside");
    expect(existsSync(path.join(bench.folder, "made"))).toBe(false);
  });

  test("a link inside it is followed", async () => {
    bench.put("real.txt", "text");
    symlinkSync("real.txt", bench.at("link"));
    expect((await bench.call("read", { path: "link" })).output.text).toBe("text");
    await bench.call("write", { path: "link", content: "new" });
    expect(readFileSync(bench.at("real.txt"), "utf8")).toBe("new");
    expect((await bench.call("read", { path: "./x/../real.txt" })).output.text).toBe("new");
  });
});

describe("for an agent that may read some files", () => {
  const told: unknown[] = [];
  const reads: Reads = {
    limited: true,
    among: (paths) => Promise.resolve(new Set(paths.filter((path) => path.startsWith("src/")))),
    gave: (path) => void told.push(`gave ${path}`),
    refused: (path) => (told.push(`refused ${path}`), `not ${path}`),
    made: (path) => void told.push(`made ${path}`),
    claimed: (path) => void told.push(`claimed ${path}`),
  };

  test("others are not read, listed, searched or edited, and what it reads is told", async () => {
    bench.put("src/a.txt", "needle a\n");
    bench.put("b.txt", "needle b\n");
    const call = (name: string, args: Parameters<ToolBench["call"]>[1]) => bench.call(name, args, { reads });
    expect((await call("read", { path: "src/a.txt" })).output.text).toContain("needle a");
    expect(await call("read", { path: "b.txt" })).toMatchObject({ outcome: "failure", problem: "not b.txt" });
    expect(await call("read", { path: "src/../b.txt" })).toMatchObject({ outcome: "failure" });
    const edit = { path: "b.txt", old_text: "needle", new_text: "pin" };
    expect(await call("edit", edit)).toMatchObject({ outcome: "failure", problem: "not b.txt" });
    expect((await call("list", { depth: 5 })).output.text).toBe("src/a.txt");
    expect((await call("search", { pattern: "needle" })).output.text).toBe("src/a.txt:1: needle a");
    expect(await call("search", { pattern: "needle", path: "b.txt" })).toMatchObject({ outcome: "failure" });
    await call("write", { path: "c.txt", content: "c" });
    expect(told).toEqual([
      "gave src/a.txt",
      "refused b.txt",
      "refused b.txt",
      "refused b.txt",
      "gave src/a.txt",
      "refused b.txt",
      "made c.txt",
    ]);
  });

  test("an edit does not undo what somebody wrote between its look at the file and its change", async () => {
    bench.put("src/a.txt", "one\n");
    const meanwhile = { ...reads, gave: () => bench.put("src/a.txt", "one and more\n") };
    const edit = { path: "src/a.txt", old_text: "one", new_text: "two" };
    expect(await bench.call("edit", edit, { reads: meanwhile })).toMatchObject({
      outcome: "failure",
      problem: "src/a.txt was changed meanwhile; read it again",
    });
    expect(readFileSync(bench.at("src/a.txt"), "utf8")).toBe("one and more\n");
  });
});
