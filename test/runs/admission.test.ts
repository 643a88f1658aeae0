import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import { limits } from "../../src/model/limits.ts";
import { reasonsOf } from "../../src/runtime/admission/admit.ts";
import { fileBlobs } from "../../src/runtime/blobs/files.ts";
import { createRedactor } from "../../src/runtime/redaction/redactor.ts";
import { createTools } from "../../src/tools/registry.ts";
import { agentic, blueprint, chainOf, plain } from "./blueprints.ts";
import { bodies, handle, request, success, until, World } from "./harness.ts";

const author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("admission", () => {
  test("names everything that is missing before anything is written", async () => {
    const answer = await world.engine({ a: () => success }).start(request(chainOf(["a", "b", "c"])), world.observer);
    expect(answer).toMatchObject({
      refused: "missing_capability",
      message: 'act "b": "b": no act',
      also: ['act "c": "c": no act'],
    });
    expect(world.journal(2).runs(10)).toEqual([]);
  });

  test.each([
    [{ maxSteps: 0 }, /most steps/],
    [{ maxRetries: -1 }, /most retries/],
    [{ inputs: { nobody: 1 } }, /there is no input "nobody"; the blueprint declares n, who/],
    [{ inputs: { n: "many", who: "x" } }, /input "n" is not an integer; input "who" does not match/],
    [{ inputs: { n: 1, who: "Ada; x" } }, /input "who" does not match/],
    [{ cwd: "/nowhere/at/all" }, /does not exist/],
    [{ task: "x".repeat(limits.taskBytes + 1) }, /longer than/],
    [{ taskId: "x".repeat(limits.taskIdCharacters + 1) }, /one line of 1 to 200 characters/],
    [{ taskId: "a\nb" }, /one line/],
    [{ taskId: "" }, /one line/],
    [{ taskId: "T1 " }, /without spaces around it/],
    [{ taskId: "T\u200b1" }, /none of them invisible/],
    [{ taskId: "cafe\u0301" }, /none of them invisible/],
  ])("refuses %o", async (more, message) => {
    const typed = blueprint([plain("a")], [], {
      inputs: {
        n: { type: { kind: "integer" } },
        who: { type: { kind: "string" }, pattern: "[A-Z][a-z]*", default: "Ada" },
      },
    });
    const answer = await world
      .engine({ "*": () => success })
      .start(request(typed, { inputs: { n: "3" }, ...more }), world.observer);
    expect(answer).toMatchObject({ refused: "bad_input" });
    expect("refused" in answer && reasonsOf(answer)).toMatch(message);
  });

  test("types what the command line gave as text and fills in defaults", async () => {
    const typed = blueprint([plain("a")], [], {
      inputs: {
        n: { type: { kind: "list", of: { kind: "number" } } },
        deep: { type: { kind: "boolean" }, default: true },
      },
    });
    const engine = world.engine({ "*": () => success });
    await handle(await engine.start(request(typed, { inputs: { n: "[1, 2.5]" } }), world.observer)).end;
    expect(bodies(world.seen, "run.started")).toMatchObject([{ inputs: { n: [1, 2.5], deep: true } }]);
  });

  test("a second run of an agent in one working tree is refused with the first one's id", async () => {
    let go: (() => void) | undefined;
    const acts = { a: () => new Promise<typeof success>((resolve) => (go = () => resolve(success))) };
    const work = request(blueprint([agentic("a")], []), { cwd: world.home });
    const first = await world.start(work, acts, 1);
    const second = await world.engine(acts, 2).start(work, world.observer);
    expect(second).toMatchObject({ refused: "conflict", message: expect.stringContaining(first.run) });
    go?.();
    await first.end;
  });

  const git = { id: "a", type: "tool", tool: "git_commit", args: {} } as const;
  test.each<[string, Node, Partial<Blueprint>, boolean]>([
    ["an agent", agentic("a"), {}, true],
    ["a node that declares what it writes", plain("a", { writes: ["src/**"] }), {}, true],
    ["a tool that writes through git", git, {}, true],
    ["protected files", plain("a"), { workspace: { protect: ["*.lock"] } }, true],
    ["checkpoints", plain("a"), { workspace: { checkpoint: true } }, true],
    ["none of these", plain("a"), {}, false],
    ["a tool that only reads through git", { ...git, tool: "git_status" }, {}, false],
  ])("%s: a second run in one working tree is refused, or not", async (_, node, more, refused) => {
    execFileSync("git", ["init", "-q"], { cwd: world.home });
    execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "empty"], { cwd: world.home });
    const parts = { redactor: createRedactor(), dataFolder: world.home, commands: {} };
    const tools = createTools({ ...parts, blobs: fileBlobs(join(world.home, "blobs")) });
    if ("problems" in tools) throw new Error(tools.problems.join());
    const equipped = new World({ home: world.home, can: { tools } });
    let go: (() => void) | undefined;
    const acts = { "*": () => new Promise<typeof success>((resolve) => (go = () => resolve(success))) };
    const work = request(blueprint([node], [], more), { cwd: world.home });
    const first = await equipped.start(work, acts, 1);
    await until(() => go !== undefined);
    const answer = await equipped.engine({ "*": () => success }, 2).start(work, equipped.observer);
    const said = "refused" in answer ? [answer.refused, answer.message.includes(first.run)] : "taken";
    expect(said).toEqual(refused ? ["conflict", true] : "taken");
    if (!("refused" in answer)) await answer.end;
    go?.();
    await first.end;
  });

  test("keeps no secret of a run that it refuses in the end, and one of a run that it takes until that is over", async () => {
    let go: (() => void) | undefined;
    const acts = { a: () => new Promise<typeof success>((resolve) => (go = () => resolve(success))) };
    const inputs = { token: { type: { kind: "string" }, sensitive: true } } as const;
    const of = blueprint([agentic("a")], [], { inputs });
    const work = request(of, { cwd: world.home, inputs: { token: "canary-token" } });
    const kept = () => readdirSync(join(world.home, "secrets"));
    const first = await world.start(work, acts, 1);
    expect(kept()).toHaveLength(1);
    expect(await world.engine(acts, 2).start(work, world.observer)).toMatchObject({ refused: "conflict" });
    expect(kept()).toHaveLength(1);
    await until(() => go !== undefined);
    go?.();
    await first.end;
    expect(kept()).toEqual([]);
  });
});
