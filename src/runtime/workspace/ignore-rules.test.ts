import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { linesAtRoot, linesWithin, rulesOf } from "./ignore-rules.ts";

const folders = ["", "a", "a/b", "a/b/a", "[x] *", "line\nbreak"] as const;
const names = ["a", "b", "ab", "a.o", "#c", "!d", "sp ", "\\e", "[x]", ".x"] as const;

const part = fc.constantFrom(...names, "*", "**", "*.o", "?", "\\#c", "\\!d", "sp\\ ", "\\[x]", "[ab]", ".*", "a*");
const pattern = fc
  .tuple(fc.boolean(), fc.boolean(), fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean(), fc.boolean())
  .map(
    ([not, fromHere, parts, folderOnly, more]) =>
      `${not ? "!" : ""}${fromHere ? "/" : ""}${parts.join("/")}${folderOnly ? "/" : ""}${more ? "  \r" : ""}`,
  );
const lines = fc.array(fc.oneof({ weight: 9, arbitrary: pattern }, fc.constantFrom("", "#", "# a", "/", "!")), {
  maxLength: 4,
});

test("rules of any folders, said at the root, ignore what Git ignores", () => {
  const root = mkdtempSync(join(tmpdir(), "trammel-ignore-rules-"));
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "core.excludesFile=/dev/null", ...args], { cwd: root, encoding: "utf8" });
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  try {
    git("init", "--quiet", "--template=");
    for (const folder of folders)
      for (const name of names) {
        put(join(folder, `of ${name}`, name), "");
        if (!folders.some((one) => one === join(folder, name))) put(join(folder, name), "");
      }
    fc.assert(
      fc.property(fc.tuple(...folders.map(() => lines)), (all) => {
        const said: string[] = [];
        for (const [n, folder] of folders.entries()) {
          const text = (all[n] ?? []).join("\n");
          put(join(folder, ".gitignore"), text);
          said.push(...linesAtRoot(folder, text));
        }
        const file = join(root, ".git", "said");
        writeFileSync(file, said.map((line) => `${line}\n`).join(""));
        const listed = (...how: readonly string[]): readonly string[] =>
          git("ls-files", "-z", "--others", ...how).split("\0");
        expect(listed(`--exclude-from=${file}`)).toEqual(listed("--exclude-per-directory=.gitignore"));
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("what rules say of a folder in their tree", () => {
  const rules = ["*.o", "out/", "/pkg/app/dist", "!/pkg/*/dist/keep", "/other/x", "pkg/**/tmp/", "**/app/gen", "/pkg"];
  expect(linesWithin(rules, "pkg/app")).toEqual([
    "*.o",
    "out/",
    "/dist",
    "!/dist/keep",
    "/**/tmp/",
    "/gen",
    "/**/app/gen",
  ]);
});

test("no rule takes long, whatever it says", () => {
  const many = 1_000_000;
  expect(linesAtRoot("", `a${" ".repeat(many)}b${" ".repeat(many)}`)).toEqual([`a${" ".repeat(many)}b`]);
  expect(linesAtRoot("", `a${"\\".repeat(many + 1)}${" ".repeat(many)}`)).toEqual([`a${"\\".repeat(many + 1)} `]);
  expect(linesWithin([`${"**/a/".repeat(50)}b`], "a/".repeat(25).slice(0, -1))).toHaveLength(26);
});

test("a tree that was one then has the rules of then, and those inside it", () => {
  const own = { root: "pkg", lines: ["own"], tracked: ["own"] };
  const deeper = { root: "pkg/deeper", lines: ["deep"], tracked: [] };
  const all = [{ root: "", lines: ["/pkg/x"], tracked: [] }, own, deeper];
  expect(rulesOf("pkg", all)).toEqual([
    { ...own, root: "" },
    { ...deeper, root: "deeper" },
  ]);
  expect(rulesOf("pkg/new", all)).toEqual([{ root: "", lines: ["/**/own"], tracked: [] }]);
});
