import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recompute } from "../../src/engine/recompute.ts";
import { compile } from "../../src/graph/plan.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { ForkRequest, RunHandle, Refusal } from "../../src/runtime/api.ts";
import { agentic, blueprint, chainOf, plain } from "./blueprints.ts";
import { type Act, bodies, handle, request, success, World } from "./harness.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

/** Notes what it performs and says which run did. */
const noting: Act = ({ run, node }) => {
  world.calls.push(node.id);
  return { ...success, value: `${node.id} of ${run}` };
};

async function ran(of: Blueprint, act: Act = noting): Promise<string> {
  const running = await world.start(request(of), { "*": act });
  await running.end;
  world.calls.length = 0;
  world.seen.length = 0;
  return running.run;
}

function fork(of: Blueprint, run: string, more: Partial<ForkRequest>, act: Act = noting): Promise<RunHandle | Refusal> {
  const start = request(of, { taskId: run });
  return world.engine({ "*": act }, 2).fork({ run, node: "b", keepTree: true, start, ...more }, world.observer);
}

describe("a fork", () => {
  test("takes over what was recorded before the node, and performs from there", async () => {
    const of = chainOf(["a", "b", "c"]);
    const run = await ran(of);
    const forked = handle(await fork(of, run, { node: "b" }));
    expect(await forked.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["b", "c"]);
    expect(bodies(world.seen, "node.ended").map(({ result }) => result.value)).toEqual([
      `a of ${run}`,
      `b of ${forked.run}`,
      `c of ${forked.run}`,
    ]);
    expect(bodies(world.seen, "run.started")).toMatchObject([{ taskId: run, fork: { run, node: "b", pass: 1 } }]);
    expect(world.journal(3).find(run)).toMatchObject({ status: "succeeded" });
  });

  test("at a pass of a loop takes over the passes before; the last one is meant where none is named", async () => {
    const edges = [
      { from: "a", to: "b" },
      { from: "b", to: "a", when: "failure" },
    ];
    const of = blueprint([plain("a"), plain("b")], edges);
    const passes = new Map<string, number>();
    const act: Act = (context) => {
      const result = noting(context);
      const times = (passes.get(context.run) ?? 0) + (context.node.id === "b" ? 1 : 0);
      passes.set(context.run, times);
      return context.node.id === "b" && context.attempt.pass < 3 ? { outcome: "failure" } : result;
    };
    const run = await ran(of, act);
    await handle(await fork(of, run, { node: "b" }, act)).end;
    expect(world.calls.splice(0)).toEqual(["b"]);
    await handle(await fork(of, run, { node: "b", pass: 2 }, act)).end;
    expect(world.calls).toEqual(["b", "a", "b"]);
  });

  test("counts passes of the task on; what it took over is not charged again", async () => {
    const of = blueprint([agentic("a", { cap: 3 }), agentic("b", { cap: 2 })], [{ from: "a", to: "b" }]);
    const run = await ran(of);
    await handle(await fork(of, run, { node: "b" })).end;
    expect(world.journal(3).passes(run, "test")).toEqual({ a: 1, b: 2 });
    const third = handle(await fork(of, run, { node: "b" }));
    expect(await third.end).toMatchObject({ status: "escalated" });
    expect(world.journal(3).passes(run, "test")).toEqual({ a: 1, b: 2 });
  });

  test("has a journal that the engine makes again from what came from the world", async () => {
    const edges = [
      { from: "a", to: "b" },
      { from: "a", to: "c" },
      { from: "b", to: "d" },
      { from: "c", to: "d" },
    ];
    const of = blueprint(
      ["a", "b", "c", "d"].map((id) => plain(id)),
      edges,
    );
    const run = await ran(of);
    const forked = handle(await fork(of, run, { node: "d" }));
    await forked.end;
    expect(world.calls).toEqual(["d"]);
    const journal = [...world.journal(3).read(forked.run)];
    expect(recompute(compile(of), journal)).toBeNull();
    const again = handle(await fork(of, forked.run, { node: "d" }));
    await again.end;
    expect(recompute(compile(of), [...world.journal(4).read(again.run)])).toBeNull();
  });

  test("at a node that began beside others begins those anew too", async () => {
    const edges = [
      { from: "a", to: "b" },
      { from: "a", to: "c" },
    ];
    const of = blueprint(
      ["a", "b", "c"].map((id) => plain(id)),
      edges,
    );
    const run = await ran(of);
    await handle(await fork(of, run, { node: "b" })).end;
    expect(world.calls.toSorted()).toEqual(["b", "c"]);
  });
});

describe("a fork is refused", () => {
  test.each([
    ["of a run that nobody knows", { run: "nobody" }, { refused: "not_found" }],
    [
      "at a node that it does not have",
      { node: "z" },
      { refused: "bad_input", message: expect.stringMatching(/^run \S+ has no node z$/) },
    ],
    [
      "at a pass that the run never came to",
      { node: "b", pass: 2 },
      { refused: "bad_input", message: expect.stringMatching(/has no pass 2 of node b$/) },
    ],
    [
      "at a node of a run inside",
      { node: "b[1]/x" },
      { message: expect.stringMatching(/^b\[1\]\/x is inside b/), hint: expect.stringMatching(/--at b;/) },
    ],
    [
      "without a checkpoint",
      { keepTree: false },
      {
        message: expect.stringMatching(/no checkpoint of the tree before pass 1 of b in run/),
        hint: expect.stringContaining("of no gate, wait, call or map; fork at such a node, or with --keep-tree"),
      },
    ],
  ])("%s", async (_, more, answer) => {
    const of = chainOf(["a", "b"]);
    const run = await ran(of);
    expect(await fork(of, run, more)).toMatchObject(answer);
    expect(world.journal(3).runs(10)).toHaveLength(1);
    expect(world.calls).toEqual([]);
  });

  test("where another node was at work when the node began", async () => {
    const edges = [
      { from: "a", to: "slow" },
      { from: "a", to: "b" },
      { from: "b", to: "c" },
    ];
    const of = blueprint(
      ["a", "slow", "b", "c"].map((id) => plain(id)),
      edges,
    );
    const done = Promise.withResolvers<void>();
    const act: Act = async ({ node }) => {
      if (node.id === "slow") await done.promise;
      if (node.id === "c") done.resolve();
      return success;
    };
    const run = await ran(of, act);
    expect(await fork(of, run, { node: "c" })).toMatchObject({
      message: expect.stringMatching(/slow was at work then/),
    });
  });

  test("of a run that is not over", async () => {
    const of = chainOf(["a", "b"]);
    const running = await world.start(request(of), world.hangingIn("b"));
    expect(await fork(of, running.run, { node: "a" })).toMatchObject({ refused: "conflict" });
    running.stop("test");
  });
});
