import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { check } from "../../src/check/check.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { Node } from "../../src/model/node.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import type { ActionContext } from "../../src/ports/performer.ts";
import { agentic, blueprint, plain } from "./blueprints.ts";
import { again, bodies, handle, request, success, until, World, type Act } from "./harness.ts";
import { mapping, runsInside, said, template } from "./inside.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

function over(items: readonly unknown[], more: Parameters<typeof mapping>[1] = {}) {
  const of = blueprint(
    [plain("list"), mapping("each", more), plain("z")],
    [
      { from: "list", to: "each" },
      { from: "each", to: "z", when: "success" },
    ],
  );
  return { of, list: (): NodeResult => said(JSON.stringify(items)) };
}

const itemOf = async ({ values }: ActionContext): Promise<string> => values.whole(template("{index}:{item}"));

/** Answers with what it was given, and notes it. */
const echo: Act = async (context) => {
  const item = await itemOf(context);
  world.calls.push(item);
  return said(`${item}\n`);
};

describe("a map", () => {
  test("carries its items out under the settings of its document", async () => {
    const { blueprint: of } = check(
      `{name: m, entry: each, limits: {tokens: 900, retries: 2, steps: 7}, agent: {model: vendor/name}, escalate: [],
        inputs: {list: {type: list<string>, default: [x]}},
        nodes: {each: {type: map, over: "{inputs.list}", do: {type: agent, prompt: Look.}}}}`,
      {},
    );
    if (of === null) throw new Error("it has problems");
    let within: Blueprint | null = null;
    const act: Act = (context) => {
      within = context.blueprint;
      return { ...success, usage: { inputTokens: 1, outputTokens: 1, turns: 1 } };
    };
    const run = await world.start(request(of), { do: act });
    expect(await run.end).toMatchObject({ status: "succeeded" });
    const limits = { tokens: 900, retries: 2 };
    expect(within).toMatchObject({ name: "m", limits, agent: { model: "vendor/name" }, escalate: [] });
    const [inside] = runsInside(world.journal(2), run.run);
    const [first] = world.journal(2).read(inside?.run ?? "");
    expect(first?.body).toMatchObject({ limits });
  });

  test("gives the results in the order of the items, as many at once as it may", async () => {
    const { of, list } = over(["a", "b", "c", "d"], { parallel: 2 });
    const release = new Map<string, () => void>();
    let most = 0;
    const ended: string[] = [];
    const acts: Readonly<Record<string, Act>> = {
      list,
      do: async (context) => {
        const item = await itemOf(context);
        await new Promise<void>((resolve) => {
          release.set(item, resolve);
          most = Math.max(most, release.size);
        });
        ended.push(item);
        return said(item);
      },
      z: async ({ values }) => {
        world.calls.push(await values.whole(template("{each}")), await values.whole(template("{each.2}")));
        expect(await values.value(template("{each}"))).toEqual(["0:a", "1:b", "2:c", "3:d"]);
        return success;
      },
    };
    const { end } = await world.start(request(of), acts);
    // The second of two is always let go first, so that the first item ends last.
    let done = 0;
    await until(
      () => world.calls.length > 0,
      () => {
        if (release.size !== (done === 3 ? 1 : 2)) return;
        done += 1;
        const [item, go] = [...release].at(-1) ?? [];
        release.delete(item ?? "");
        go?.();
      },
    );
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(['["0:a","1:b","2:c","3:d"]', "2:c"]);
    expect(most).toBe(2);
    expect(ended).toEqual(["1:b", "2:c", "3:d", "0:a"]);
  });

  test("of nothing is an empty list", async () => {
    const { of, list } = over([]);
    expect(await world.toEnd(request(of), { list, "*": echo })).toMatchObject({ status: "succeeded" });
    expect(bodies(world.seen, "node.ended").find(({ node }) => node === "each")?.result).toMatchObject({ value: [] });
  });

  test("sees what is around it, and in a graph its own nodes", async () => {
    const body = {
      entry: "p",
      nodes: new Map([
        ["p", plain("p")],
        ["q", plain("q")],
      ]),
      edges: [{ from: "p", to: "q" }],
    };
    const { of, list } = over([{ n: 1 }, { n: 2 }], { do: body });
    const acts: Readonly<Record<string, Act>> = {
      list,
      p: async ({ values }) => said(await values.whole(template("p{item.n}"))),
      q: async ({ values }) => said(await values.whole(template("{p} {task} {list}"))),
      z: () => success,
    };
    await world.toEnd(request(of), acts);
    const [ended] = bodies(world.seen, "node.ended").filter(({ node }) => node === "each");
    expect(ended?.result.value).toEqual(['p1 do it [{"n":1},{"n":2}]', 'p2 do it [{"n":1},{"n":2}]']);
  });

  test("fails when an item failed, names which, and has done the others", async () => {
    const { of, list } = over(["a", "b", "c"]);
    const acts: Readonly<Record<string, Act>> = {
      list,
      do: async (context) => {
        const item = await itemOf(context);
        world.calls.push(item);
        return item === "1:b" ? { outcome: "failure", reason: { code: "exit", text: "exit 3" } } : said(item);
      },
      z: echo,
    };
    expect(await world.toEnd(request(of), acts)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("1 of 3 items failed (1): "),
    });
    expect(world.calls).toEqual(["0:a", "1:b", "2:c"]);
  });

  test.each([
    ["more items than max", JSON.stringify([1, 2, 3]), "max is 2, and {list} has 3 items"],
    ["what is no list", "nothing", "{list} is no list"],
  ])("refuses %s before it begins any", async (_, text, reason) => {
    const { of } = over([], { max: 2 });
    const engine = world.engine({ list: () => said(text), "*": echo });
    const { end } = handle(await engine.start(request(of), world.observer));
    expect(await end).toMatchObject({ status: "failed", reason: expect.stringContaining(reason) });
    expect(world.calls).toEqual([]);
  });

  test("in a loop runs anew in each pass", async () => {
    const of = blueprint(
      [plain("list"), mapping("each"), plain("z", { cap: 2 })],
      [
        { from: "list", to: "each" },
        { from: "each", to: "z" },
        { from: "z", to: "list", when: "failure" },
      ],
    );
    let pass = 0;
    const acts: Readonly<Record<string, Act>> = {
      list: () => said(JSON.stringify([(pass += 1)])),
      do: echo,
      z: () => (pass === 1 ? { outcome: "failure" } : success),
    };
    const journal = world.journal();
    const { run, end } = await world.start(request(of), acts, 1, journal);
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["0:1", "0:2"]);
    expect(runsInside(journal, run).map(({ parent }) => [parent?.pass, parent?.item])).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  test("whose engine died goes on with the items that were not done", async () => {
    const one = { entry: "do", nodes: new Map([["do", plain("do", { idempotent: true })]]), edges: [] };
    const { of, list } = over(["a", "b", "c"], { do: one });
    const acts = (hanging: string): Readonly<Record<string, Act>> => ({
      list,
      z: () => success,
      do: async (context) => {
        const item = await itemOf(context);
        world.calls.push(item);
        return item === hanging ? new Promise<NodeResult>(() => undefined) : said(item);
      },
    });
    const first = await world.start(request(of), acts("1:b"), 1);
    await until(() => world.calls.includes("1:b"));
    world.kill(1);
    const resumed = await world.resume(again(first.run, { blueprint: of }), acts("none"), 2);
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["0:a", "1:b", "1:b", "2:c"]);
  });

  test("is stopped with its run: what runs ends, no other item begins", async () => {
    const { of, list } = over(["a", "b", "c"], { parallel: 2 });
    const acts: Readonly<Record<string, Act>> = {
      list,
      "*": ({ signal }) => {
        world.calls.push("do");
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" })));
      },
    };
    const running = await world.start(request(of), acts);
    await until(() => world.calls.length === 2);
    running.stop("Ada");
    expect(await running.end).toMatchObject({ status: "stopped" });
    expect(world.calls).toEqual(["do", "do"]);
  });
});

test("a cap holds for each item, is counted under its path, and halts the run around the map there", async () => {
  const body = {
    entry: "check",
    nodes: new Map<string, Node>([
      ["check", plain("check")],
      ["fix", agentic("fix", { cap: 1 })],
    ]),
    edges: [
      { from: "check", to: "fix", when: "failure" },
      { from: "fix", to: "check" },
    ],
  };
  const { of, list } = over(["ok", "bad", "never"], { do: body });
  const checked = new Map<string, number>();
  const acts: Readonly<Record<string, Act>> = {
    list,
    fix: async (context) => {
      world.calls.push(await itemOf(context));
      return success;
    },
    check: async (context) => {
      const item = await itemOf(context);
      checked.set(item, (checked.get(item) ?? 0) + 1);
      return item === "0:ok" && checked.get(item) === 2 ? success : { outcome: "failure" };
    },
    z: () => success,
  };
  const journal = world.journal();
  const engine = world.engine(acts, 1, journal);
  const { run, end } = handle(await engine.start(request(of), world.observer));
  expect(await end).toMatchObject({ status: "escalated" });
  expect(bodies(world.seen, "run.halting")).toMatchObject([{ node: "each[1]/fix", iteration: { n: 1, max: 1 } }]);
  expect(journal.passes(run, "test")).toEqual({ "each[0]/fix": 1, "each[1]/fix": 1 });
  expect(world.calls).toEqual(["0:ok", "1:bad"]);
  const settle = { node: "each[1]/fix", as: "done", by: "Ada" } as const;
  const second = handle(await engine.resume(again(run, { blueprint: of, settle }), world.observer));
  await second.end;
  expect([...checked.keys()]).toEqual(["0:ok", "1:bad"]);
  expect(bodies(world.seen, "node.settled")).toMatchObject([
    { node: "each", as: "again", inside: { node: "[1]/fix" } },
  ]);
});
