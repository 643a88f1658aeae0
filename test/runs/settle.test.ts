import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { blueprint, chainOf, gate, plain } from "./blueprints.ts";
import { again, bodies, handle, kinds, request, success, until, World, type Act } from "./harness.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("a decision about an unconfirmed node", () => {
  test.each([
    ["done", "succeeded", ["a", "b", "c"]],
    ["again", "succeeded", ["a", "b", "b", "c"]],
    ["failed", "failed", ["a", "b"]],
  ] as const)("as %s", async (as, status, performed) => {
    const edges = [
      { from: "a", to: "b" },
      { from: "b", to: "c", when: "success" },
    ];
    const of = blueprint([plain("a"), plain("b"), plain("c")], edges);
    const run = await world.diedIn("b", of);
    const engine = world.engine(world.hangingIn(), 2);
    await handle(await engine.resume(again(run, { blueprint: of }), world.observer)).end;
    expect(await engine.resume(again(run, { blueprint: of }), world.observer)).toMatchObject({
      refused: "finished",
      hint: `settle it with trammel settle ${run} b --as done|failed|again`,
    });
    const settle = { node: "b", as, by: "Ada", reason: "looked at it" };
    const settled = handle(await engine.resume(again(run, { blueprint: of, settle }), world.observer));
    expect(await settled.end).toMatchObject({ status });
    expect(world.calls).toEqual(performed);
    expect(world.journal(3).find(run)).toMatchObject({ status });
  });

  test("about a node that waits for none is refused", async () => {
    const run = await world.diedIn("b");
    const engine = world.engine(world.hangingIn(), 2);
    await handle(await engine.resume(again(run), world.observer)).end;
    const settle = { node: "a", as: "done", by: "Ada" } as const;
    expect(await engine.resume(again(run, { settle }), world.observer)).toMatchObject({
      refused: "bad_input",
      hint: "what waits for a decision is b",
    });
  });

  test("about each of several, one after the other", async () => {
    const fan = blueprint(
      [plain("start"), plain("a"), plain("b"), plain("both")],
      [
        { from: "start", to: "a" },
        { from: "start", to: "b" },
        { from: "a", to: "both" },
        { from: "b", to: "both" },
      ],
    );
    const { run } = await world.start(request(fan), world.hangingIn("a", "b"), 1);
    await until(() => world.calls.length === 3);
    world.kill(1);
    const engine = world.engine(world.hangingIn(), 2);
    const on = (more = {}) => engine.resume(again(run, { blueprint: fan, ...more }), world.observer);
    expect(await handle(await on()).end).toMatchObject({ status: "needs_attention" });
    expect(bodies(world.seen, "node.unconfirmed").map(({ node }) => node)).toEqual(["a", "b"]);
    const decide = async (node: string, as: "done" | "again") =>
      handle(await on({ settle: { node, as, by: "Ada" } })).end;
    expect(await decide("b", "again")).toMatchObject({
      status: "needs_attention",
      reason: expect.stringContaining("a:"),
    });
    expect(world.calls).toEqual(["start", "a", "b"]);
    expect(await decide("a", "done")).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["start", "a", "b", "b", "both"]);
  });

  test("of two at once has one winner", async () => {
    const run = await world.diedIn("b");
    await (
      await world.resume(again(run), world.hangingIn(), 2)
    ).end;
    const settle = { node: "b", as: "done", by: "Ada" } as const;
    const engines = [world.engine(world.hangingIn(), 2), world.engine(world.hangingIn(), 3)];
    const answers = await Promise.all(engines.map((engine) => engine.resume(again(run, { settle }), world.observer)));
    expect(answers.filter((answer) => !("refused" in answer))).toHaveLength(1);
    await Promise.all(answers.flatMap((answer) => ("refused" in answer ? [] : [answer.end])));
    expect(bodies(world.journal(4).read(run), "node.settled")).toHaveLength(1);
  });

  test("of two at once in one process has one winner, and the node is performed again once", async () => {
    const run = await world.diedIn("b");
    const engine = world.engine(world.hangingIn(), 2);
    await handle(await engine.resume(again(run), world.observer)).end;
    const settle = { node: "b", as: "again", by: "Ada" } as const;
    const ask = () => engine.resume(again(run, { settle }), world.observer);
    const answers = await Promise.all([ask(), ask()]);
    await Promise.all(answers.flatMap((answer) => ("refused" in answer ? [] : [answer.end])));
    expect(answers.filter((answer) => "refused" in answer)).toMatchObject([{ refused: "conflict" }]);
    expect(world.calls).toEqual(["a", "b", "b", "c"]);
  });

  test("stands above what its author declared: what may be repeated is not, once a person says that it is done", async () => {
    const of = chainOf(["a", "b", "c"], { idempotent: true });
    const run = await world.diedIn("b", of);
    const settle = { node: "b", as: "done", by: "Ada" } as const;
    const engine = world.engine(world.hangingIn(), 2);
    const settled = handle(await engine.resume(again(run, { blueprint: of, settle }), world.observer));
    expect(await settled.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "b", "c"]);
    expect(bodies(world.seen, "node.settled")).toMatchObject([{ node: "b", as: "done", by: "Ada" }]);
  });

  test("leaves no value of an earlier pass where that of the settled one is not known", async () => {
    const edges = [
      { from: "check", to: "ship", when: "success" },
      { from: "check", to: "mend", when: "failure" },
      { from: "mend", to: "check" },
    ];
    const of = blueprint([plain("check"), plain("mend"), plain("ship")], edges);
    const ref = { source: "node", name: "check", path: [], start: 0, end: 7 } as const;
    const read: string[] = [];
    const acts: Readonly<Record<string, Act>> = {
      check: ({ attempt }) => {
        world.calls.push("check");
        if (attempt.pass > 1) return new Promise<never>(() => undefined);
        return { outcome: "failure", output: { text: "2 faults", bytes: 8 } };
      },
      mend: () => success,
      ship: async ({ values }) => {
        read.push(await values.whole({ source: "{check}", parts: [{ ref }] }));
        return success;
      },
    };
    const { run } = await world.start(request(of), acts, 1);
    await until(() => world.calls.length === 2);
    world.kill(1);
    const settle = { node: "check", as: "done", by: "Ada" } as const;
    const settled = await world.engine(acts, 2).resume(again(run, { blueprint: of, settle }), world.observer);
    expect(await handle(settled).end).toMatchObject({ status: "succeeded" });
    expect(read).toEqual([""]);
  });
});

test.each(["done", "failed"] as const)("a gate that waits is answered, and not settled as %s", async (as) => {
  const of = blueprint([gate("ask"), plain("b")], [{ from: "ask", to: "b", when: "success" }]);
  const run = await world.diedIn("ask", of);
  const settle = { node: "ask", as, by: "Ada" };
  const resume = again(run, { blueprint: of, settle });
  expect(await world.engine(world.hangingIn(), 2).resume(resume, world.observer)).toMatchObject({
    refused: "bad_input",
    message: `ask of run ${run} waits for an answer, and a decision is none`,
    hint: `answer it: trammel answer ${run} ask ANSWER`,
  });
  expect(world.calls).toEqual(["ask"]);
});

test.each(["done", "failed", "again"] as const)("a node that waits for a gate is not settled as %s", async (as) => {
  const nodes = [plain("a"), gate("ask"), plain("b"), plain("ship")];
  const edges = ["a ask", "a b", "ask ship", "b ship"].map((edge) => edge.split(" "));
  const of = blueprint(
    nodes,
    edges.map(([from = "", to = ""]) => ({ from, to, when: "success" })),
  );
  const { run } = await world.start(request(of), world.hangingIn("ask"), 1);
  await until(() => kinds(world.seen).includes("node.ended b"));
  world.kill(1);
  const settle = { node: "ship", as, by: "Ada" };
  expect(
    await world.engine(world.hangingIn(), 2).resume(again(run, { blueprint: of, settle }), world.observer),
  ).toMatchObject({ refused: "bad_input", message: `node ship of run ${run} has nothing to settle` });
  expect(world.calls.includes("ship")).toBe(false);
});
