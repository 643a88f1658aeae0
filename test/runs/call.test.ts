import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { CallNode } from "../../src/model/node.ts";
import type { NodeResult } from "../../src/model/outcome.ts";
import { agentic, blueprint, chainOf, plain } from "./blueprints.ts";
import { again, bodies, handle, kinds, request, success, until, World, type Act } from "./harness.ts";
import { callees, calling, runsInside, template } from "./inside.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

const top = blueprint(
  [plain("a"), calling("sub", "callee"), plain("z")],
  [
    { from: "a", to: "sub", when: "success" },
    { from: "sub", to: "z", when: "success" },
  ],
);
const callee = { ...chainOf(["x", "y"]), name: "callee" };
const named = { ...blueprint([plain("x", { secrets: ["DEPLOY_KEY"] })], []), name: "callee" };
const broken = { text: "it broke", bytes: 8 };
const inside = { callees: callees({ callee }) };

function typedBy(input: string): Blueprint {
  return { ...callee, inputs: { [input]: { type: { kind: "string" } } } };
}

describe("a call", () => {
  test("is a run of its own, linked to the one around it, under the same task", async () => {
    const journal = world.journal();
    const engine = world.engine(world.hangingIn(), 1, journal);
    const { run, end } = handle(await engine.start(request(top, { ...inside, taskId: "T" }), world.observer));
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "x", "y", "z"]);
    expect(kinds(world.seen)).not.toContain("node.started x");
    const [child, ...more] = runsInside(journal, run);
    expect(more).toEqual([]);
    expect(child).toMatchObject({ blueprint: "callee", taskId: "T", status: "succeeded", tree: null });
    expect(child?.parent).toEqual({ run, node: "sub", pass: 1, blueprint: "test", path: "sub/" });
    expect(journal.runs(10).map((row) => row.run)).toEqual([run]);
    expect(journal.definition("callee")).toBe("name: callee");
  });

  test("takes inputs by value and gives the declared outputs as its ports", async () => {
    const typed = {
      ...blueprint([plain("x")], []),
      inputs: { n: { type: { kind: "integer" } } },
      outputs: { twice: { type: { kind: "integer" }, from: template("{x.value}") } },
    } as const;
    const giving = calling("sub", "callee", {
      with: { n: { kind: "literal", value: 21 }, task: { kind: "template", template: template("part of {task}") } },
    });
    const seen: unknown[] = [];
    const acts: Readonly<Record<string, Act>> = {
      x: async ({ values }) => {
        seen.push(await values.value(template("{inputs.n}")), await values.whole(template("{task}")));
        return { ...success, ports: { value: 42 } };
      },
      z: async ({ values }) => {
        seen.push(await values.value(template("{sub.twice}")), await values.whole(template("{sub}")));
        return success;
      },
    };
    const of = blueprint([giving, plain("z")], [{ from: "sub", to: "z" }]);
    expect(await world.toEnd(request(of, { callees: callees({ callee: typed }) }), acts)).toMatchObject({
      status: "succeeded",
    });
    expect(seen).toEqual([21, "part of do it", 42, '{"twice":42}']);
  });

  test("without outputs says what its callee said last; a failure of it is routed as one, with its evidence", async () => {
    const acts: Readonly<Record<string, Act>> = {
      "*": () => success,
      y: () => ({ outcome: "failure", reason: { code: "exit", text: "exit 1" }, output: broken }),
    };
    expect(await world.toEnd(request(top, inside), acts)).toMatchObject({ status: "failed" });
    const [ended] = bodies(world.seen, "node.ended").filter(({ node }) => node === "sub");
    expect(ended?.result).toMatchObject({
      outcome: "failure",
      reason: { code: "child" },
      output: { text: "it broke" },
    });
  });

  test("inside a call counts its own steps and is found by its own link", async () => {
    const middle = { ...blueprint([calling("inner", "leaf")], []), name: "middle" };
    const leaf = { ...chainOf(["l"]), name: "leaf" };
    const of = blueprint([calling("outer", "middle")], []);
    const journal = world.journal();
    const engine = world.engine(world.hangingIn(), 1, journal);
    const { run, end } = handle(
      await engine.start(request(of, { callees: callees({ middle, leaf }) }), world.observer),
    );
    expect(await end).toMatchObject({ status: "succeeded" });
    const [child] = runsInside(journal, run);
    const [grandchild] = runsInside(journal, child?.run ?? "");
    expect(grandchild?.parent).toMatchObject({ run: child?.run, path: "outer/inner/", blueprint: "test" });
  });

  test("that was not looked up is refused before any effect", async () => {
    const of = blueprint([plain("a"), { id: "sub", type: "call", blueprint: "x.yaml" }], [{ from: "a", to: "sub" }]);
    const answer = await world.engine(world.hangingIn()).start(request(of), world.observer);
    expect(answer).toMatchObject({ refused: "missing_capability" });
    expect(world.calls).toEqual([]);
  });

  test.each([
    ["a worktree", { ...callee, workspace: { isolate: "worktree" } }, "workspace.isolate of a callee"],
    ["a place of its own", { ...callee, concurrency: { overlap: "queue" } }, "concurrency of a callee"],
  ] as const)("whose callee asks for %s is refused before any effect", async (_, asking, message) => {
    const more = { callees: callees({ callee: asking }) };
    const answer = await world.engine(world.hangingIn()).start(request(top, more), world.observer);
    expect(answer).toMatchObject({ refused: "missing_capability", message: expect.stringContaining(message) });
    expect(world.calls).toEqual([]);
  });

  test.each<[string, Blueprint, Partial<CallNode>, string]>([
    ["names a secret that is not set", named, {}, "the secret DEPLOY_KEY is not set; "],
    ["needs an input that is not given", typedBy("who"), {}, 'call "sub": callee needs the input "who"'],
    [
      "has not the input that it is given",
      callee,
      { with: { who: { kind: "literal", value: 1 } } },
      'call "sub": callee has no input "who"',
    ],
  ])("whose callee %s is refused before any effect, however deep it is called", async (_, of, more, message) => {
    const middle = { ...blueprint([calling("sub", "callee", more)], []), name: "middle" };
    const outer = blueprint([plain("a"), calling("mid", "middle")], [{ from: "a", to: "mid" }]);
    const journal = world.journal();
    const engine = world.engine(world.hangingIn(), 1, journal);
    const answer = await engine.start(request(outer, { callees: callees({ middle, callee: of }) }), world.observer);
    expect(answer).toMatchObject({ message: expect.stringContaining(message) });
    expect(world.calls).toEqual([]);
    expect(journal.runs(10)).toEqual([]);
  });

  test("is stopped with the run around it", async () => {
    const stopped: string[] = [];
    const acts: Readonly<Record<string, Act>> = {
      "*": () => success,
      x: ({ signal }) => {
        world.calls.push("x");
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            stopped.push("x");
            resolve({ outcome: "cancelled" });
          }),
        );
      },
    };
    const journal = world.journal();
    const running = await world.start(request(top, inside), acts, 1, journal);
    await until(() => world.calls.includes("x"));
    running.stop("Ada");
    expect(await running.end).toMatchObject({ status: "stopped" });
    expect(stopped).toEqual(["x"]);
    expect(runsInside(journal, running.run)).toMatchObject([{ status: "stopped" }]);
  });
});

describe("a call whose engine died", () => {
  test("goes on where its callee was: what was done in it is not done again", async () => {
    const idempotent = { ...chainOf(["x", "y"], { idempotent: true }), name: "callee" };
    const more = { callees: callees({ callee: idempotent }) };
    const first = await world.start(request(top, more), world.hangingIn("y"), 1);
    await until(() => world.calls.includes("y"));
    world.kill(1);
    const journal = world.journal(2);
    const engine = world.engine(world.hangingIn(), 2, journal);
    const resumed = handle(await engine.resume(again(first.run, { blueprint: top, ...more }), world.observer));
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "x", "y", "y", "z"]);
    expect(runsInside(journal, first.run)).toHaveLength(1);
  });

  test("needs a person for what is unknown in it, and goes on from the decision about that node", async () => {
    const first = await world.start(request(top, inside), world.hangingIn("y"), 1);
    await until(() => world.calls.includes("y"));
    world.kill(1);
    const engine = world.engine(world.hangingIn(), 2);
    const more = { blueprint: top, ...inside };
    const halted = handle(await engine.resume(again(first.run, more), world.observer));
    expect(await halted.end).toMatchObject({ status: "needs_attention", reason: expect.stringContaining("sub/y") });
    const settle = { node: "sub/y", as: "done", by: "Ada" } as const;
    const settled = handle(await engine.resume(again(first.run, { ...more, settle }), world.observer));
    expect(await settled.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["a", "x", "y", "z"]);
  });

  test("cannot be resumed by itself", async () => {
    const first = await world.start(request(top, inside), world.hangingIn("y"), 1);
    await until(() => world.calls.includes("y"));
    world.kill(1);
    const journal = world.journal(2);
    const [child] = runsInside(journal, first.run);
    const answer = await world
      .engine(world.hangingIn(), 2, journal)
      .resume(again(child?.run ?? "", { blueprint: callee, contentHash: "callee" }), world.observer);
    expect(answer).toMatchObject({ refused: "conflict", message: expect.stringContaining("part of sub") });
  });
});

describe("the cap of an agent in a call", () => {
  const fixing = {
    ...blueprint(
      [plain("check"), agentic("fix", { cap: 2 })],
      [
        { from: "check", to: "fix", when: "failure" },
        { from: "fix", to: "check" },
      ],
    ),
    name: "fixing",
  };
  const of = blueprint([calling("sub", "fixing"), plain("z")], [{ from: "sub", to: "z", when: "success" }]);
  const more = { callees: callees({ fixing }) };
  const acts = (): Readonly<Record<string, Act>> => ({
    "*": ({ node }) => {
      world.calls.push(node.id);
      return success;
    },
    check: (): NodeResult => ({ outcome: "failure", reason: { code: "exit", text: "exit 1" } }),
  });

  test("escalates the run around it under its path, with the same iteration, and is counted there", async () => {
    const journal = world.journal();
    const engine = world.engine(acts(), 1, journal);
    const { run, end } = handle(await engine.start(request(of, more), world.observer));
    expect(await end).toMatchObject({ status: "escalated" });
    expect(bodies(world.seen, "run.halting")).toMatchObject([
      { cause: "escalated", node: "sub/fix", iteration: { n: 2, max: 2 } },
    ]);
    expect(journal.passes(run, "test")).toEqual({ "sub/fix": 2 });
    expect(world.calls).toEqual(["fix", "fix"]);
  });

  test("is not washed by doing it again; a grant at the path is what goes on, once", async () => {
    const engine = world.engine(acts());
    const { run, end } = handle(await engine.start(request(of, more), world.observer));
    await end;
    const settle = { node: "sub/fix", as: "again", by: "Ada", grant: 1 } as const;
    const resume = again(run, { blueprint: of, ...more, settle });
    const second = handle(await engine.resume(resume, world.observer));
    expect(await second.end).toMatchObject({ status: "escalated" });
    expect(world.calls).toEqual(["fix", "fix", "fix"]);
    const bare = { ...resume, settle: { node: "sub", as: "again", by: "Ada" } } as const;
    expect(await engine.resume(bare, world.observer)).toMatchObject({
      refused: "bad_input",
      message: expect.stringContaining("sub/fix of run"),
      hint: expect.stringContaining("--grant 1 "),
    });
    expect(world.calls).toEqual(["fix", "fix", "fix"]);
    const done = { ...resume, settle: { node: "sub", as: "done", by: "Ada" } } as const;
    expect(await handle(await engine.resume(done, world.observer)).end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["fix", "fix", "fix", "z"]);
  });
});

test("what a callee uses of models counts in the run around it, once, and bounds what it may use", async () => {
  const usage = { inputTokens: 60, outputTokens: 0, turns: 1 };
  const using = { ...blueprint([agentic("m"), agentic("n")], [{ from: "m", to: "n" }]), name: "using" };
  const acts: Readonly<Record<string, Act>> = { "*": ({ node }) => (world.calls.push(node.id), { ...success, usage }) };
  const of = blueprint([agentic("a"), calling("sub", "using")], [{ from: "a", to: "sub" }], {
    limits: { tokens: 100 },
  });
  expect(await world.toEnd(request(of, { callees: callees({ using }) }), acts)).toMatchObject({ status: "limit" });
  expect(world.calls).toEqual(["a", "m"]);
  expect(bodies(world.seen, "run.finished")).toMatchObject([{ usage: { inputTokens: 120 } }]);
});
