import { expect, test } from "vitest";
import { judge } from "./policy.ts";

const programs = "cargo test,git,go test,less,make,npm test,scp,sed,sort,split,tar,wget".split(",");

function verdict(command: string): string {
  const asked = { tool: "run", access: "command", command, isTool: (name: string) => name === "run" } as const;
  return judge({ mode: "read_only", allow: programs }, asked).verdict;
}

test.each([
  "git fetch --upload-pac='rm x' ..",
  "git grep --open='rm x' y",
  "tar xf a.tar --to-com='rm x'",
  "tar xf a.tar --checkpoint=1 --checkpoint-act=exec='rm x'",
  "tar cIf 'rm x' a.tar b",
  "sed --in-pl s/a/b/ a",
  "sort --outp=/etc/passwd a",
  "sort --compress-prog 'rm x' a",
  "split --filter='rm x' a",
  "split --filt='rm x' a",
  "make SHELL=./evil",
  "make -f evil.mk",
  "make --eval='x:; rm x'",
  "go test -exec ./evil ./...",
  "go test -toolexec=./evil",
  "cargo test --config x",
  "npm test --script-shell=./evil",
  "npm test --script-sh ./evil",
  "less '+!rm x' a",
  "scp -S ./evil a b",
])("%s starts what no rule states", (command) => {
  expect(verdict(command)).toBe("denied");
});

test.each([
  "git show --text HEAD",
  "tar tf INDEX --checkpoint=1",
  "tar xf Foo.tar",
  "split -l 5 a",
  "make -j4 test",
  "go test -run Exec ./...",
  "cargo test --all --color=never",
  "npm test -- --reporter=dot",
  "less a",
])("%s does not", (command) => {
  expect(verdict(command)).toBe("allowed");
});
