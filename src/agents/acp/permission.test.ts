import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentRequest } from "../../../test/fixtures/agent-request.ts";
import type { AgentRequest } from "../../ports/provider.ts";
import { actionOf, verdictOf, type Action } from "./permission.ts";

let folder: string;
let request: AgentRequest;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "trammel-acp-")));
  mkdirSync(join(folder, "workspace"));
  symlinkSync(folder, join(folder, "workspace", "up"));
  request = agentRequest({ workspace: join(folder, "workspace"), model: null });
});

afterAll(() => rmSync(folder, { recursive: true }));

const edit = (path: string): Action => actionOf({ kind: "edit", title: "Edit", locations: [{ path }] });

describe("an edit", () => {
  test.each(["out.txt", "workspace/../out.txt", "workspace/up/out.txt", "workspace/.git/config"])(
    "of %s leads out of the workspace",
    (path) => {
      const verdict = verdictOf(request, edit(join(folder, path)));
      expect(verdict).toEqual({ verdict: "denied", why: `${join(folder, path)} is outside the workspace` });
    },
  );

  test("in the workspace is let be, and in a box it is the box that holds it", () => {
    expect(verdictOf(request, edit("new/a.txt"))).toEqual({ verdict: "allowed" });
    expect(verdictOf(request, edit("/etc/passwd"), true)).toEqual({ verdict: "allowed" });
  });

  test("that names its file only in its change, or in an earlier message, is held as well", () => {
    const changed = { type: "diff", path: join(folder, "out.txt"), oldText: null, newText: "" } as const;
    expect(verdictOf(request, actionOf({ kind: "edit", content: [changed] })).verdict).toBe("denied");
    expect(verdictOf(request, actionOf({ title: "Edit" }, edit(join(folder, "out.txt")))).verdict).toBe("denied");
  });
});

test("a file outside may be read", () => {
  const read = actionOf({ kind: "read", locations: [{ path: join(folder, "out.txt") }] });
  expect(verdictOf(request, read)).toEqual({ verdict: "allowed" });
});

describe("with a list of tools", () => {
  const scoped = (): AgentRequest => ({ ...request, toolScope: ["read", "edit"] });

  test.each([
    ["read", "allowed"],
    ["edit", "allowed"],
    ["think", "allowed"],
    ["execute", "denied"],
    ["search", "denied"],
    ["delete", "denied"],
    ["fetch", "denied"],
    ["other", "denied"],
    ["switch_mode", "denied"],
  ] as const)("%s is %s, whatever the policy", (kind, verdict) => {
    const action = actionOf({ kind, title: "x", rawInput: { command: "ls" } });
    expect(verdictOf(scoped(), action).verdict).toBe(verdict);
    expect(verdictOf(scoped(), action, true).verdict).toBe(verdict);
  });
});

describe("commands under an allow list", () => {
  test.each([
    ["cat a.txt", "allowed"],
    ["cat ../out.txt", "denied"],
    ["cat a.txt; rm a.txt", "denied"],
    ["cat a.txt | xargs rm", "denied"],
  ])("%s is %s", (command, verdict) => {
    const policy = { mode: "read_only", allow: ["cat"] } as const;
    writeFileSync(join(folder, "out.txt"), "");
    expect(verdictOf({ ...request, policy }, actionOf({ kind: "execute", rawInput: { command } })).verdict).toBe(
      verdict,
    );
  });
});
