import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
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
