import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ToolBench } from "../../test/support/tool-bench.ts";
import { limits } from "../model/limits.ts";

let bench: ToolBench;

beforeEach(() => {
  bench = new ToolBench();
  bench.put("src/a.ts", "const one = 1;\nconst Two = 2;\r\n");
  bench.put("src/deep/b.ts", "const three = one;\n");
  bench.put("README.md", "# one\n");
  bench.put("out/built.js", "one\n");
  bench.put(".gitignore", "out/\n");
  bench.put("binary", new Uint8Array([0x6f, 0x6e, 0x65, 0]));
});

afterEach(() => bench.close());

function initRepository(): void {
  execFileSync("git", ["init", "-q"], { cwd: bench.workspace });
  execFileSync("git", ["add", "."], { cwd: bench.workspace });
}

const found = async (args: Parameters<ToolBench["call"]>[1]): Promise<string> =>
  (await bench.call("search", args)).output.text;
const listed = async (args: Parameters<ToolBench["call"]>[1] = {}): Promise<string> =>
  (await bench.call("list", args)).output.text;

describe("search", () => {
  test("answers file, line and text, without what git ignores", async () => {
    initRepository();
    expect(await found({ pattern: "one" })).toBe(
      "README.md:1: # one\nsrc/a.ts:1: const one = 1;\nsrc/deep/b.ts:1: const three = one;",
    );
  });

  test("works where there is no repository", async () => {
    expect(await found({ pattern: "\\bone\\b", path: "src" })).toBe(
      "src/a.ts:1: const one = 1;\nsrc/deep/b.ts:1: const three = one;",
    );
    expect(await found({ pattern: "one" })).toContain("out/built.js:1: one");
  });

  test("a pattern is a regular expression; case, glob and place narrow it", async () => {
    expect(await found({ pattern: "^const t\\w+", ignore_case: true })).toBe(
      "src/a.ts:2: const Two = 2;\nsrc/deep/b.ts:1: const three = one;",
    );
    expect(await found({ pattern: "2;$" })).toBe("src/a.ts:2: const Two = 2;");
    expect(await found({ pattern: "one", glob: "*.md" })).toBe("README.md:1: # one");
    expect(await found({ pattern: "one", glob: "src/**/b.ts" })).toBe("src/deep/b.ts:1: const three = one;");
    expect(await found({ pattern: "one", path: "src/a.ts" })).toBe("src/a.ts:1: const one = 1;");
    expect(await found({ pattern: "nothing like it" })).toBe("[no match]");
  });

  test("a file that was deleted but is still known to git, and a link in its place, are passed by", async () => {
    initRepository();
    writeFileSync(path.join(bench.folder, "outside.ts"), "one outside\n");
    execFileSync("rm", ["-r", "src/deep", "README.md"], { cwd: bench.workspace });
    execFileSync("mkdir", ["elsewhere"], { cwd: bench.folder });
    writeFileSync(path.join(bench.folder, "elsewhere/b.ts"), "one elsewhere\n");
    symlinkSync("../../elsewhere", bench.at("src/deep"));
    symlinkSync("../outside.ts", bench.at("README.md"));
    expect(await found({ pattern: "one" })).toBe("src/a.ts:1: const one = 1;");
  });

  test("a pattern that would take for ever is stopped", async () => {
    bench.put("trap.txt", `${"a".repeat(60)}!\n`);
    const result = await bench.call("search", { pattern: "(a+)+$" });
    expect(result).toMatchObject({
      outcome: "failure",
      problem: "the pattern takes too long; make it simpler, or search fewer files",
    });
  });

  test("a pattern that is none says so", async () => {
    expect((await bench.call("search", { pattern: "(" })).problem).toMatch(/^pattern: Invalid regular expression/);
  });

  test("matches and lines are bounded", async () => {
    bench.put("many.txt", `hit ${"x".repeat(1_000)}\n`.repeat(1_000));
    const lines = (await found({ pattern: "hit" })).split("\n");
    expect(lines).toHaveLength(limits.searchMatches + 1);
    expect(lines.at(-1)).toBe(`[only the first ${limits.searchMatches} matches; narrow the search]`);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(limits.searchLineCharacters + 40);
  });

  test("files that are passed by are counted; a place that is not there is said", async () => {
    bench.put("huge.txt", "one\n".repeat(600_000));
    expect(await found({ pattern: "one", path: "huge.txt" })).toBe(
      "[no match]\n[1 files of more than 2097152 bytes were not searched]",
    );
    expect((await bench.call("search", { pattern: "one", path: "gone" })).problem).toBe("gone does not exist");
  });

  test("shows no known secret, and none in part", async () => {
    bench.redactor.add("canary-7f3a");
    bench.put(".env", `KEY=canary-7f3a\nPAD=${"x".repeat(limits.searchLineCharacters - 9)}canary-7f3a\n`);
    expect(await found({ pattern: "KEY" })).toBe(".env:1: KEY=***");
    expect(await found({ pattern: "PAD" })).not.toContain("cana");
  });
});

describe("list", () => {
  test("shows one level, without what git ignores", async () => {
    initRepository();
    expect(await listed()).toBe(".gitignore\nREADME.md\nbinary\nsrc/");
    expect(await listed({ path: "src", depth: 3 })).toBe("a.ts\ndeep/b.ts");
    expect(await listed({ depth: 2 })).toBe(".gitignore\nREADME.md\nbinary\nsrc/a.ts\nsrc/deep/");
  });

  test("works where there is no repository", async () => {
    expect(await listed()).toBe(".gitignore\nREADME.md\nbinary\nout/\nsrc/");
  });

  test("says what cannot be listed", async () => {
    expect((await bench.call("list", { path: "README.md" })).problem).toBe("README.md is a file; use read");
    expect((await bench.call("list", { path: "gone" })).problem).toBe("gone does not exist");
  });

  test("is bounded", async () => {
    for (let index = 0; index < limits.listEntries + 5; index += 1)
      bench.put(`many/${String(index).padStart(5, "0")}`, "");
    const lines = (await listed({ path: "many" })).split("\n");
    expect(lines).toHaveLength(limits.listEntries + 1);
    expect(lines.at(-1)).toBe("[5 left out; list a folder further down]");
  });
});
