import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopeOf } from "../../runtime/reading/scope.ts";
import { TurnReads } from "../../runtime/reading/turn-reads.ts";
import { filesRead, forbiddenRead } from "./command-reads.ts";
import { judgeIn } from "./judge-in.ts";

let folder: string;
let root: string;
let reads: TurnReads;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "trammel-command-reads-")));
  root = join(folder, "work");
  mkdirSync(join(root, "src"), { recursive: true });
  for (const path of ["outside.txt", "work/src/a.ts", "work/secret.txt"]) writeFileSync(join(folder, path), path);
  symlinkSync("../secret.txt", join(root, "src", "link.ts"));
  reads = new TurnReads({ root, scope: scopeOf(["src/**"], root, {}), boxed: false, report: () => undefined });
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("a command is refused for what it names", () => {
  test.each([
    "cat secret.txt",
    "cat ./src/../secret.txt",
    "cat src/link.ts",
    "cat sec*.txt",
    "cat ?ecret.txt",
    "cat [a-z]*.txt",
    "cat ./*/../sec*",
    "cat src/*.ts",
    "cat ../out*",
    "cat $(ls) sec*.txt",
    "cd src && cat ../*.txt",
    "cd src && cat ../secret.txt",
    "cat ../outside.txt",
    "cat ..//outside.txt",
    "cd .. && cat outside.txt",
    "cd ..; ls",
    "ls ..",
    "find .. -name x",
    "env A=1 cat secret.txt",
    "sh -c 'cat secret.txt'",
    "echo secret.txt | xargs cat",
    "find . -exec cat secret.txt ;",
    "grep -f secret.txt src/a.ts",
    "grep --file=secret.txt src/a.ts",
    "cat < secret.txt",
    "cat `echo secret.txt`",
    "echo $(cat secret.txt)",
    "cat secret.txt > copy",
    "git show HEAD:secret.txt",
    "git show HEAD:./secret.txt",
    "git log -p -- secret.txt",
    "git log -L1,5:secret.txt",
    "git -C . blame secret.txt",
    "git add -f secret.txt",
    "git hash-object -w secret.txt",
    "git diff HEAD -- src/a.ts secret.txt",
    "cp secret.txt src/b.ts",
    "for f in secret.txt; do cat $f; done",
    "git diff --no-index ../outside.txt src/a.ts",
    "cat <<E\n$(cat secret.txt)\nE",
  ])("%s", async (command) => {
    expect(await forbiddenRead(command, root, reads)).not.toBeNull();
  });

  test("unless that is a program which it runs", async () => {
    const program = join(folder, "tool");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    expect(await forbiddenRead(`"${program}" src/a.ts > new`, root, reads)).toBeNull();
    expect(await forbiddenRead(`cat "${program}"`, root, reads)).toBe(program);
  });

  test("by an absolute path, wherever it leads", async () => {
    expect(await forbiddenRead(`cat "${folder}/outside.txt"`, root, reads)).toBe(`${folder}/outside.txt`);
    expect(await forbiddenRead(`cat "${root}/secret.txt"`, root, reads)).toBe("secret.txt");
    expect(await forbiddenRead("cat $HOME/", root, reads)).not.toBeNull();
    expect(await forbiddenRead("ls ~", root, reads)).not.toBeNull();
  });
});

describe("a command is let be", () => {
  test.each([
    "cat src/a.ts",
    "cat src/a.*",
    "git show HEAD:src/a.ts",
    "git diff -- src/a.ts",
    "git commit -m secret.txt",
    "grep -c 'sec*' src/a.ts",
    "ls *",
    "cd src && cat a.ts",
    "npm test 2>&1 | tail -5",
    "grep -rn pattern src",
    "ls",
    "ls -la src",
    "node secret.txt",
    "/usr/bin/env node src/a.ts",
    "cat > src/new.ts <<E\ntext\nE",
    "echo 'a secret text'",
  ])("%s", async (command) => {
    expect(await forbiddenRead(command, root, reads)).toBeNull();
  });
});

test("files that commands show are known", () => {
  expect(filesRead("cd src && head -3 a.ts | grep x; node ../secret.txt", root)).toEqual([join(root, "src/a.ts")]);
});

describe("an allow list is for the workspace", () => {
  const asked = (command: string) => ({ tool: "run", access: "command", command, isTool: () => false }) as const;
  const allow = ["cat", "cd", "ls"];

  test.each([
    ["cat secret.txt", "allowed"],
    ["cat src/link.ts", "allowed"],
    ["cat ../outside.txt", "denied"],
    ["cat ../out*.txt", "denied"],
    ["cat src/*.ts", "allowed"],
    ["cd .. && cat outside.txt", "denied"],
    ["ls ~", "denied"],
  ])("%s is %s", (command, verdict) => {
    expect(judgeIn(root, { mode: "read_only", allow }, asked(command)).verdict).toBe(verdict);
  });

  test("beyond it a person may be asked", () => {
    expect(judgeIn(root, { mode: "ask", allow }, asked("cat ../outside.txt")).verdict).toBe("ask");
  });

  test("and a link that the agent made leads out of it as well", () => {
    symlinkSync(folder, join(root, "up"));
    expect(judgeIn(root, { mode: "read_only", allow }, asked("cat up/outside.txt")).verdict).toBe("denied");
    rmSync(join(root, "up"));
  });
});
