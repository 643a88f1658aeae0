import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReadScope } from "../model/settings.ts";
import { scopeOf } from "../runtime/reading/scope.ts";
import { TurnReads } from "../runtime/reading/turn-reads.ts";
import { forbiddenFolder } from "./folder-reads.ts";

let root: string;
const env = { PATH: process.env["PATH"] ?? "" };

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "trammel-folder-reads-")));
  const files = ["a.md", "docs/b.md", "private/key.txt", "dist/out.js", "src/a.ts", "old/links/c.md"];
  for (const path of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  symlinkSync("../../private", join(root, "old/links/up"));
  writeFileSync(join(root, ".gitignore"), "dist/\n");
  execFileSync("git", ["init", "-q"], { cwd: root });
});

afterAll(() => rmSync(root, { recursive: true }));

async function refused(command: string, scope: ReadScope): Promise<string | null> {
  const reads = new TurnReads({ root, scope: scopeOf(scope, root, env), boxed: false, report: () => undefined });
  return (await forbiddenFolder(command, root, reads, env))?.folder ?? null;
}

describe("under globs a command is refused that goes through a folder with anything else", () => {
  test.each([
    ["grep -r secret .", "."],
    ["grep -rn secret", "."],
    ["grep -A 3 -r src", "."],
    ["grep -r -e secret private docs", "private"],
    ["egrep --recursive x private/", "private"],
    ["rg secret", "."],
    ["cd docs && rg x; cd .. && rg secret | head", "."],
    ["git grep secret", "."],
    ["git -c a=b grep secret", "."],
    ["git diff --no-index docs private", "private"],
    ["cp -r . elsewhere", "."],
    ["cp -at elsewhere private", "private"],
    ["mv private docs/x.md", "private"],
    ["tar czf a.tgz private", "private"],
    ["tar -cf a.tar -C private .", "private"],
    ["find", "."],
    ["find . -name '*.md'", "."],
    ["find -L docs private -type f", "private"],
    ["ls -lR", "."],
    ["tree", "."],
    ["diff -r docs private", "private"],
    ["zip -r a.zip private", "private"],
    ["rsync -a private/ docs", "private"],
    ["timeout 5 grep -r secret .", "."],
    ["env A=1 grep -r secret .", "."],
    ["sh -c 'cd docs; grep -r secret ..'", "."],
    ["X=1 grep -r secret .", "."],
    ["echo $(grep -r secret private)", "private"],
    ["for x in a b; do grep -r $x private; done", "private"],
    ["cd private && grep -r secret", "private"],
    ["grep -R secret old", "old"],
    ["grep -r secret . --include=*.txt", "."],
    ["grep -r secret --exclude-dir=docs", "."],
    ["grep -r secret --exclude-dir='[!x]*'", "."],
    ["grep -r secret --exclude-dir={private,src,dist} --exclude=.gitignore", "."],
    ["grep -r secret . --include='*.md' --exclude=x", "."],
    ["git show", "."],
    ["git show HEAD~1", "."],
    ["cd docs && git show HEAD", "."],
    ["git log -p", "."],
    ["git log -p -G a.md", "."],
    ["git log -3 --patch -- private", "private"],
    ["git diff", "."],
    ["git diff --cached main", "."],
    ["git -C docs diff HEAD", "."],
    ["git stash -a", "."],
    ["git add -f .", "."],
    ["git archive HEAD | tar x", "."],
    ["git cat-file -p 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "."],
  ])("%s", async (command, folder) => {
    expect(await refused(command, ["**/*.md"])).toBe(folder);
  });
});

describe("and one is let be that does not", () => {
  test.each([
    "grep -r secret docs",
    "grep -rn private docs",
    "grep secret a.md",
    "cat a.md | rg a",
    "cd docs && rg b",
    "cp -r docs private",
    "cp a.md private",
    "tar xzf a.tgz -C private",
    "find docs -name private",
    "ls",
    "ls -la private",
    "ls -R docs",
    "mkdir -p private/x",
    "diff -r docs old/links",
    "grep -r secret old",
    "echo grep -r secret .",
    "grep -r secret . --include=*.md",
    "grep -rn secret --include '*.md' .",
    "grep -rn secret . --include={*.md,*.mdx}",
    "grep -r secret . --exclude-dir=private --exclude-dir=src --exclude-dir=dist --exclude-dir links --exclude=.gitignore",
    "git show HEAD:docs/b.md",
    "git show HEAD -- docs",
    "git show --stat",
    "git log --oneline -5",
    "git log -p -- docs/b.md",
    "git diff --name-only",
    "git diff docs/b.md",
    "git status",
    "git add docs",
    "git stash",
    "git commit -am 'grep -r .'",
    "npm test 2>&1 | grep -E 'a|b'",
  ])("%s", async (command) => {
    expect(await refused(command, ["**/*.md"])).toBeNull();
  });
});

describe("under `repository`", () => {
  test.each([
    ["grep -r x .", "."],
    ["grep -r x . --include=*.js", "."],
    ["grep -r x .git", ".git"],
    ["git add --force .", "."],
    ["git stash --all", "."],
    ["cp -r . elsewhere", "."],
    ["cp -r dist elsewhere", "dist"],
    ["rg x dist", "dist"],
    ["rg --no-ignore x", "."],
    ["rg -uu x", "."],
    ["git grep --no-index --no-exclude-standard x", "."],
  ])("what git ignores counts: %s", async (command, folder) => {
    expect(await refused(command, "repository")).toBe(folder);
  });

  test.each([
    "grep -r x src",
    "grep -r x . --exclude-dir=dist",
    "grep -rn x . --include=*.md",
    "cp -r src dist",
    "rg x",
    "git grep x",
    "git show HEAD",
    "git log -p",
    "git diff main",
    "git add -A",
    "find docs private",
    "ls -R src",
  ])("what it does not is let be: %s", async (command) => {
    expect(await refused(command, "repository")).toBeNull();
  });
});
