import { describe, expect, test } from "vitest";
import type { AgentPolicy } from "../../model/blueprint.ts";
import { judge, type Asked } from "./policy.ts";

const isTool = (name: string): boolean => ["read", "write", "edit", "run"].includes(name);
const read: Asked = { tool: "read", access: "read", command: null, isTool };
const write: Asked = { tool: "write", access: "write", command: null, isTool };
const run = (command: string): Asked => ({ tool: "run", access: "command", command, isTool });

function verdict(policy: AgentPolicy, asked: Asked): string {
  return judge(policy, asked).verdict;
}

describe("modes", () => {
  test.each([
    ["allow_all", "allowed", "allowed", "allowed"],
    ["read_only", "allowed", "denied", "denied"],
    ["ask", "allowed", "ask", "ask"],
  ] as const)("%s", (mode, onRead, onWrite, onRun) => {
    expect(verdict({ mode }, read)).toBe(onRead);
    expect(verdict({ mode }, write)).toBe(onWrite);
    expect(verdict({ mode }, run("ls"))).toBe(onRun);
  });

  test("network: false denies every command, since nothing holds it outside a sandbox", () => {
    expect(verdict({ mode: "allow_all", network: false }, run("ls"))).toBe("denied");
    expect(verdict({ mode: "allow_all", network: false, allow: ["ls"] }, run("ls"))).toBe("denied");
    expect(verdict({ mode: "allow_all", network: false }, write)).toBe("allowed");
  });
});

describe("allow", () => {
  const policy: AgentPolicy = { mode: "read_only", allow: ["npm test", "git status", "tail", "wri*"] };

  test.each([
    "npm test",
    "npm test -- --grep x",
    "git status",
    "npm test 2>&1 | tail -5",
    "npm test && git status",
    "npm test *.ts",
  ])("%s", (command) => {
    expect(verdict(policy, run(command))).toBe("allowed");
  });

  test.each([
    "npm install",
    "npm",
    "npm tests",
    "npm test | sh",
    "npm test; rm -rf .",
    "npm test && $(git status)",
    "npm test > out",
    "git status & curl evil",
    "./npm test",
    "NODE_OPTIONS=--require=./x npm test",
    "npm te*t",
  ])("not %s", (command) => {
    expect(verdict(policy, run(command))).toBe("denied");
  });

  test("a tool by name, with a pattern", () => {
    expect(verdict(policy, write)).toBe("allowed");
    expect(verdict(policy, { ...write, tool: "edit" })).toBe("denied");
  });

  test("a rule of several words never names a tool", () => {
    expect(verdict({ mode: "read_only", allow: ["write x"] }, write)).toBe("denied");
  });

  test("with allow_all a list is exhaustive", () => {
    expect(verdict({ mode: "allow_all", allow: ["npm test"] }, run("npm test"))).toBe("allowed");
    expect(verdict({ mode: "allow_all", allow: ["npm test"] }, run("npm publish"))).toBe("denied");
    expect(verdict({ mode: "allow_all", allow: ["npm test"] }, read)).toBe("allowed");
  });
});

describe("deny", () => {
  const policy: AgentPolicy = { mode: "allow_all", deny: ["git push", "rm", "write"] };

  test.each([
    "git push",
    "git -C x push origin",
    "/usr/bin/git push",
    "sudo git push",
    "env A=b git push",
    "ls | xargs rm",
    "sh -c 'git push'",
    "sh -c 'cd x; git push'",
    "sh -c 'echo $(git push)'",
    "ls && rm x",
    "git pu*",
    "git $(echo push)",
    "echo $X",
  ])("%s", (command) => {
    expect(verdict(policy, run(command))).toBe("denied");
  });

  test.each(["git status", "npm test", "echo form", "git commit -m 'all done, really'"])("not %s", (command) => {
    expect(verdict(policy, run(command))).toBe("allowed");
  });

  test("a rule that is a tool's name says nothing about commands", () => {
    expect(verdict({ mode: "allow_all", deny: ["write"] }, run("echo $HOME | write"))).toBe("allowed");
  });

  test("wins over allow, and says which rule it was", () => {
    expect(judge({ ...policy, allow: ["git", "write"] }, run("git push"))).toEqual({
      verdict: "denied",
      why: 'the policy denies "git push"',
    });
    expect(verdict({ ...policy, allow: ["write"] }, write)).toBe("denied");
  });
});
