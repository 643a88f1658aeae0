import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseTemplate } from "../../src/language/template.ts";
import type { Blueprint } from "../../src/model/blueprint.ts";
import type { HumanNode } from "../../src/model/node.ts";
import { shellWord } from "../../src/model/shell.ts";
import type { GateAnswered } from "../../src/model/gate-events.ts";
import { createHumanPerformer } from "../../src/nodes/human.ts";
import type { GateKeeper, Question } from "../../src/ports/gate.ts";
import type { JournalReader } from "../../src/ports/journal.ts";
import type { ActionContext } from "../../src/ports/performer.ts";
import { openGates } from "../../src/views/open-gates.ts";
import type { RunHandle } from "../../src/runtime/api.ts";
import { ManualClock, systemClock } from "../../src/runtime/time/clock.ts";
import { blueprint, gate, plain } from "./blueprints.ts";
import { again, bodies, handle, request, success, until, World, type Act } from "./harness.ts";
import { callees, calling, mapping, runsInside, said, template } from "./inside.ts";

const asked: Question[] = [];
const nobody: GateKeeper = {
  ask: (question, signal) => {
    asked.push(question);
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "nobody" })));
  },
};

let world: World;
beforeEach(() => {
  asked.length = 0;
  world = new World({ can: { gates: nobody } });
});
afterEach(() => world.remove());

const asking = gate("ask", { prompt: parseTemplate("ship?") });
const callee = {
  ...blueprint(
    [plain("x"), asking, plain("y")],
    [
      { from: "x", to: "ask" },
      { from: "ask", to: "y", when: "success" },
    ],
  ),
  name: "callee",
};
const top = blueprint([calling("sub", "callee"), plain("z")], [{ from: "sub", to: "z", when: "success" }]);
const inside = { callees: callees({ callee }) };

const human = createHumanPerformer(systemClock, () => true, {
  treeOf: () => Promise.resolve(null),
  mask: (text) => text,
});
/** Every node is noted and done; people are asked as they are outside of tests. */
function acts(): Readonly<Record<string, Act>> {
  return {
    ...world.hangingIn(),
    ask: (context) => {
      world.calls.push("ask");
      if (!isOfGate(context)) throw new Error("ask is a gate");
      return human.perform(context);
    },
    list: () => said("[1, 2, 3]"),
  };
}

function isOfGate(context: ActionContext): context is ActionContext<HumanNode> {
  return context.node.type === "human";
}

function answerTo(digest: string, node: string): GateAnswered {
  return { type: "gate.answered", node, pass: 1, attempt: 1, by: "Ada", answer: true, digest };
}

/** What an answer to the gate that waits in a run must name. */
function digestIn(journal: JournalReader, run: string | undefined): string {
  const [open] = openGates(journal.read(run ?? ""));
  return open?.gate.digest ?? "nothing waits";
}

describe("a gate inside a call", () => {
  test("makes the run around it wait, is asked under its path, and goes on with the answer to that path", async () => {
    const journal = world.journal();
    const running = await world.start(request(top, inside), acts(), 1, journal);
    await until(() => journal.find(running.run)?.status === "waiting");
    const [child] = runsInside(journal, running.run);
    expect(child).toMatchObject({ status: "waiting" });
    expect(asked).toMatchObject([{ node: "sub/ask", prompt: "ship?" }]);
    const digest = digestIn(journal, child?.run);
    running.deliver(answerTo("of something else", "sub/ask"));
    running.deliver(answerTo(digest, "sub/ask"));
    expect(await running.end).toMatchObject({ status: "succeeded" });
    expect(bodies(world.seen, "node.waiting").map(({ node, waits }) => [node, waits])).toEqual([
      ["sub", true],
      ["sub", false],
    ]);
    expect(bodies(journal.read(child?.run ?? ""), "gate.answered")).toMatchObject([{ by: "Ada", node: "ask" }]);
    expect(world.calls).toEqual(["x", "ask", "y", "z"]);
  });

  test("makes the run around it one that can be parked, right behind a gate too", async () => {
    const journal = world.journal();
    const gated = blueprint([asking, calling("sub", "callee")], [{ from: "ask", to: "sub", when: "success" }]);
    const running = await world.start(request(gated, inside), acts(), 1, journal);
    await until(() => journal.find(running.run)?.status === "waiting");
    running.deliver(answerTo(digestIn(journal, running.run), "ask"));
    await until(() => runsInside(journal, running.run)[0]?.status === "waiting" && running.canLeave("park"));
    expect(running.leave("park")).toBe(true);
    expect(await running.end).toMatchObject({ status: "waiting" });
  });

  test("is answered from another process by the mailbox of its own run", async () => {
    const journal = world.journal();
    const running = await world.start(request(top, inside), acts(), 1, journal);
    await until(() => journal.find(running.run)?.status === "waiting");
    const other = world.journal(2);
    const [child] = runsInside(other, running.run);
    const digest = digestIn(other, child?.run);
    await other.post(child?.run ?? "", answerTo(digest, "ask"));
    expect(await running.end).toMatchObject({ status: "succeeded" });
  });

  test.each<[string, (running: RunHandle) => Promise<string>]>([
    [
      "parked",
      async (running) => {
        await until(() => running.leave("park"));
        return (await running.end).status;
      },
    ],
    ["killed", () => Promise.resolve("waiting")],
  ])("is asked anew once its engine was %s, and is answered by its path", async (_, leave) => {
    const first = await world.start(request(top, inside), acts(), 1);
    const journal = world.journal(2);
    await until(() => journal.find(first.run)?.status === "waiting");
    expect(await leave(first)).toBe("waiting");
    expect(runsInside(journal, first.run)).toMatchObject([{ status: "waiting", endedAt: null }]);
    world.kill(1);
    const [child] = runsInside(journal, first.run);
    const digest = digestIn(journal, child?.run);
    const engine = world.engine(acts(), 2, journal);
    const second = handle(await engine.resume(again(first.run, { blueprint: top, ...inside }), world.observer));
    second.deliver(answerTo(digest, "sub/ask"));
    expect(second.canLeave("park")).toBe(false);
    expect(await second.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["x", "ask", "ask", "y", "z"]);
  });

  test("is taken back with a stop", async () => {
    const journal = world.journal();
    const running = await world.start(request(top, inside), acts(), 1, journal);
    await until(() => journal.find(running.run)?.status === "waiting");
    running.stop("Ada");
    expect(await running.end).toMatchObject({ status: "stopped" });
    expect(runsInside(journal, running.run)).toMatchObject([{ status: "stopped" }]);
    expect(world.calls).toEqual(["x", "ask"]);
  });

  test("does not count as work of the run around it", async () => {
    const clock = new ManualClock(1_000);
    const timed = new World({ clock, can: { gates: nobody } });
    const bounded = { ...top, limits: { timeMs: 60_000 } };
    const journal = timed.journal();
    const running = await timed.start(request(bounded, inside), acts(), 1, journal);
    await until(() => journal.find(running.run)?.status === "waiting");
    clock.advance(600_000);
    const digest = digestIn(journal, runsInside(journal, running.run)[0]?.run);
    running.deliver(answerTo(digest, "sub/ask"));
    expect(await running.end).toMatchObject({ status: "succeeded" });
    await timed.remove();
  });
});

describe("gates inside a map", () => {
  const body = { entry: "ask", nodes: new Map([["ask", asking]]), edges: [] };
  const of = (parallel: number) =>
    blueprint(
      [plain("list"), mapping("each", { do: body, parallel })],
      [{ from: "list", to: "each", when: "success" }],
    );

  test("are asked under the path of their item, and let the run wait once all that is under way waits", async () => {
    const journal = world.journal();
    const running = await world.start(request(of(2)), acts(), 1, journal);
    await until(() => journal.find(running.run)?.status === "waiting");
    expect(asked.map(({ node }) => node).toSorted()).toEqual(["each[0]/ask", "each[1]/ask"]);
    const digest = digestIn(journal, runsInside(journal, running.run)[0]?.run);
    running.deliver(answerTo(digest, "each[1]/ask"));
    await until(() => asked.length === 3);
    expect(asked[2]).toMatchObject({ node: "each[2]/ask" });
    running.deliver(answerTo(digest, "each[2]/ask"));
    running.deliver(answerTo(digest, "each[0]/ask"));
    expect(await running.end).toMatchObject({ status: "succeeded" });
  });

  test("are parked together, and none is asked in vain", async () => {
    const first = await world.start(request(of(3)), acts(), 1);
    const journal = world.journal(2);
    await until(() => journal.find(first.run)?.status === "waiting");
    await until(() => first.leave("park"));
    expect(await first.end).toMatchObject({ status: "waiting" });
    expect(runsInside(journal, first.run).map(({ status }) => status)).toEqual(["waiting", "waiting", "waiting"]);
  });
});

test.each<[string, Blueprint, string, string]>([
  ["call", top, "sub", "sub/ask"],
  [
    "map",
    blueprint(
      [
        plain("list"),
        mapping("each", { do: { entry: "sub", nodes: new Map([["sub", calling("sub", "callee")]]), edges: [] } }),
      ],
      [{ from: "list", to: "each", when: "success" }],
    ),
    "each",
    "each[0]/sub/ask",
  ],
])("a %s in which a gate waits is not settled in its place", async (_, of, node, path) => {
  const { run } = await world.start(request(of, inside), { ...acts(), list: () => said("[1]") }, 1);
  const journal = world.journal(2);
  await until(() => journal.find(run)?.status === "waiting");
  world.kill(1);
  for (const as of ["done", "failed"] as const)
    expect(
      await world
        .engine(acts(), 2)
        .resume(again(run, { blueprint: of, ...inside, settle: { node, as, by: "Ada" } }), world.observer),
    ).toMatchObject({
      refused: "bad_input",
      message: `${path} of run ${run} waits for an answer, and a decision is none`,
      hint: `answer it: trammel answer ${run} ${shellWord(path)} ANSWER`,
    });
});

test("an item that cannot begin does not keep the others from being parked", async () => {
  const body = { entry: "ask", nodes: new Map([["ask", asking]]), edges: [] };
  const of = blueprint(
    [plain("list"), mapping("each", { do: body, parallel: 2 })],
    [{ from: "list", to: "each", when: "success" }],
  );
  const { "*": _, ask, ...rest } = acts();
  let refuses = false;
  const some = Object.defineProperty({ ...rest }, "ask", { get: () => (refuses ? undefined : ask) });
  const journal = world.journal();
  const running = await world.start(request(of), some, 1, journal);
  await until(() => asked.length === 2);
  refuses = true;
  running.deliver(answerTo(digestIn(journal, runsInside(journal, running.run)[0]?.run), "each[1]/ask"));
  await until(() => journal.find(running.run)?.status === "waiting" && running.leave("park"));
  expect(await running.end).toMatchObject({ status: "waiting" });
  expect(runsInside(journal, running.run).map(({ status }) => status)).toEqual(["waiting", "succeeded"]);
});

test("a gate below two calls and a map is answered by the whole path", async () => {
  const body = { entry: "in", nodes: new Map([["in", calling("in", "callee")]]), edges: [] };
  const middle = {
    ...blueprint(
      [plain("list"), mapping("each", { do: body, over: template("{list}") })],
      [{ from: "list", to: "each" }],
    ),
    name: "middle",
  };
  const of = blueprint([calling("outer", "middle")], []);
  const journal = world.journal();
  const one: Readonly<Record<string, Act>> = { ...acts(), list: () => said("[1]"), x: () => success };
  const running = await world.start(request(of, { callees: callees({ middle, callee }) }), one, 1, journal);
  await until(() => journal.find(running.run)?.status === "waiting");
  expect(asked).toMatchObject([{ node: "outer/each[0]/in/ask" }]);
  const leaf = runsInside(
    journal,
    runsInside(journal, runsInside(journal, running.run)[0]?.run ?? "")[0]?.run ?? "",
  )[0];
  const digest = digestIn(journal, leaf?.run);
  running.deliver(answerTo(digest, "outer/each[0]/in/ask"));
  expect(await running.end).toMatchObject({ status: "succeeded" });
});
