import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { MapBody } from "../../src/model/node.ts";
import type { JournalReader } from "../../src/ports/journal.ts";
import type { Callees, StartRequest } from "../../src/runtime/api.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { agentic, blueprint, chainOf, plain } from "./blueprints.ts";
import { again, bodies, handle, request, success, until, World, type Act } from "./harness.ts";
import { callees, calling, mapping, runsInside, said, template } from "./inside.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

interface Nested {
  readonly top: Blueprint;
  readonly callees: Callees;
  /** The way to the innermost run. */
  readonly path: string;
}

type Shape = (leaf: Blueprint, timeoutMs?: number) => Nested;

const bodyOf = ({ entry, nodes, edges }: Blueprint): MapBody => ({ entry, nodes, edges });
const named = (name: string, of: Blueprint): Blueprint => ({ ...of, name });
const timed = (timeoutMs: number | undefined): { readonly timeoutMs?: number } =>
  timeoutMs === undefined ? {} : { timeoutMs };
const afterList = (id: string, of: Blueprint, more: { readonly timeoutMs?: number } = {}): Blueprint =>
  blueprint([plain("list"), mapping(id, { do: bodyOf(of), ...more })], [{ from: "list", to: id, when: "success" }], {
    limits: of.limits,
  });

const shapes: Readonly<Record<string, Shape>> = {
  "a call in a call": (leaf, timeoutMs) => ({
    top: blueprint([calling("outer", "middle", timed(timeoutMs))], []),
    callees: callees({ middle: named("middle", blueprint([calling("inner", "leaf")], [])), leaf: named("leaf", leaf) }),
    path: "outer/inner/",
  }),
  "a call in a map": (leaf, timeoutMs) => ({
    top: afterList("each", blueprint([calling("inner", "leaf")], []), timed(timeoutMs)),
    callees: callees({ leaf: named("leaf", leaf) }),
    path: "each[0]/inner/",
  }),
  "a map in a call": (leaf, timeoutMs) => ({
    top: blueprint([calling("outer", "middle", timed(timeoutMs))], []),
    callees: callees({ middle: named("middle", afterList("each", leaf)) }),
    path: "outer/each[0]/",
  }),
  "a map in a map": (leaf, timeoutMs) => ({
    top: afterList(
      "each",
      blueprint(
        [plain("list2"), mapping("deep", { do: bodyOf(leaf), over: template("{list2}") })],
        [{ from: "list2", to: "deep", when: "success" }],
      ),
      timed(timeoutMs),
    ),
    callees: new Map(),
    path: "each[0]/deep[0]/",
  }),
};

const lists: Readonly<Record<string, Act>> = { list: () => said("[1]"), list2: () => said("[1]") };

function startOf({ top, callees: known }: Nested, more: Partial<StartRequest> = {}): StartRequest {
  return request(top, { callees: known, ...more });
}

/** Every run inside, however deep, in the order in which they began. */
function allInside(journal: JournalReader, run: string): readonly { readonly status: string; readonly path: string }[] {
  return runsInside(journal, run).flatMap((row) => [
    { status: row.status, path: row.parent?.path ?? "" },
    ...allInside(journal, row.run),
  ]);
}

/** Hangs in a node until it is told to end, and notes that it was. */
function ending(ids: readonly string[], ended: string[]): Act {
  return ({ node, signal }) => {
    world.calls.push(node.id);
    if (!ids.includes(node.id)) return success;
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        ended.push(node.id);
        resolve({ outcome: "cancelled" });
      }),
    );
  };
}

describe.each(Object.entries(shapes))("%s", (_, shape) => {
  test("is stopped to its innermost node, and every run on the way reads so", async () => {
    const nested = shape(chainOf(["x", "y"]));
    const ended: string[] = [];
    const journal = world.journal();
    const engine = world.engine({ ...lists, "*": ending(["x"], ended) }, 1, journal);
    const running = handle(await engine.start(startOf(nested), world.observer));
    await until(() => world.calls.includes("x"));
    running.stop("Ada");
    expect(await running.end).toMatchObject({ status: "stopped" });
    expect(ended).toEqual(["x"]);
    const inside = allInside(journal, running.run);
    expect(inside.map(({ status }) => status)).toEqual(inside.map(() => "stopped"));
    expect(inside.at(-1)?.path).toBe(nested.path);
    expect(world.calls).not.toContain("y");
  });

  test("ends with the timeout of the node around it, which fails as one", async () => {
    const clock = new ManualClock(1_000);
    const slow = new World({ clock });
    const nested = shape(chainOf(["x", "y"]), 60_000);
    const ended: string[] = [];
    const journal = slow.journal();
    const engine = slow.engine({ ...lists, "*": ending(["x"], ended) }, 1, journal);
    const running = handle(await engine.start(startOf(nested), slow.observer));
    await until(() => world.calls.includes("x"));
    let over = false;
    void running.end.then(() => (over = true));
    clock.advance(60_000);
    await until(() => over);
    expect(await running.end).toMatchObject({ status: "failed" });
    const [last] = bodies(slow.seen, "node.ended").slice(-1);
    expect(last?.result).toMatchObject({ outcome: "failure", reason: { code: "timeout" } });
    expect(ended).toEqual(["x"]);
    expect(allInside(journal, running.run).map(({ status }) => status)).not.toContain("running");
    await slow.remove();
  });

  test("goes on after a crash where its innermost run was, and does nothing twice", async () => {
    const nested = shape(chainOf(["x", "y"], { idempotent: true }));
    const acts = (...hanging: readonly string[]): Readonly<Record<string, Act>> => ({
      ...world.hangingIn(...hanging),
      ...lists,
    });
    const first = await world.start(startOf(nested), acts("y"), 1);
    await until(() => world.calls.includes("y"));
    world.kill(1);
    const journal = world.journal(2);
    const resume = again(first.run, { blueprint: nested.top, callees: nested.callees });
    const second = await world.resume(resume, acts(), 2, journal);
    expect(await second.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["x", "y", "y"]);
    expect(allInside(journal, first.run).map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  test("escalates under the whole path, is counted there, and goes on with a decision about it", async () => {
    const nested = shape(
      blueprint(
        [plain("check"), agentic("fix", { cap: 1 })],
        [
          { from: "check", to: "fix", when: "failure" },
          { from: "fix", to: "check" },
        ],
      ),
    );
    let mended = false;
    const acts: Readonly<Record<string, Act>> = {
      ...lists,
      check: () => (mended ? success : { outcome: "failure", reason: { code: "exit", text: "exit 1" } }),
      fix: ({ node }) => (world.calls.push(node.id), success),
    };
    const journal = world.journal();
    const engine = world.engine(acts, 1, journal);
    const first = handle(await engine.start(startOf(nested), world.observer));
    expect(await first.end).toMatchObject({ status: "escalated" });
    const node = `${nested.path}fix`;
    expect(bodies(world.seen, "run.halting")).toMatchObject([{ node, iteration: { n: 1, max: 1 } }]);
    expect(journal.passes(first.run, "test")).toEqual({ [node]: 1 });
    mended = true;
    const settle = { node, as: "again", by: "Ada", grant: 1 } as const;
    const resume = again(first.run, { blueprint: nested.top, callees: nested.callees, settle });
    expect(await handle(await engine.resume(resume, world.observer)).end).toMatchObject({ status: "succeeded" });
    expect(journal.passes(first.run, "test")).toEqual({ [node]: 2 });
    expect(world.calls).toEqual(["fix", "fix"]);
  });

  test("uses the budget of the run around it, and counts in it once", async () => {
    const usage = { inputTokens: 60, outputTokens: 0, turns: 1, cost: 0.5 };
    const nested = shape(
      blueprint(
        [agentic("m"), agentic("n"), agentic("o")],
        [
          { from: "m", to: "n" },
          { from: "n", to: "o" },
        ],
      ),
    );
    const acts: Readonly<Record<string, Act>> = {
      "*": ({ node }) => (world.calls.push(node.id), { ...success, usage }),
      ...lists,
    };
    const top = { ...nested.top, limits: { tokens: 100 } };
    const running = await world.start(startOf({ ...nested, top }), acts);
    expect(await running.end).toMatchObject({ status: "limit" });
    expect(world.calls).toEqual(["m", "n"]);
    expect(bodies(world.seen, "run.finished")).toMatchObject([{ usage: { inputTokens: 120, cost: 1 } }]);
  });

  test("halts the run around it where a limit of its own is passed", async () => {
    const looping = blueprint(
      [plain("x"), plain("y")],
      [
        { from: "x", to: "y" },
        { from: "y", to: "x" },
      ],
      { limits: { steps: 3 } },
    );
    const nested = shape(looping);
    const running = await world.start(startOf(nested), { "*": () => success, ...lists });
    const end = await running.end;
    expect(end.status).toBe("limit");
    expect(bodies(world.seen, "run.halting")).toMatchObject([{ node: expect.stringContaining(nested.path) }]);
  });
});
