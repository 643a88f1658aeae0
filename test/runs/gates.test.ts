import { describe, expect, test } from "vitest";
import type { NodeResult } from "../../src/model/outcome.ts";
import { blueprint, gate, plain } from "./blueprints.ts";
import { again, bodies, handle, kinds, request, success, until, World, type Act } from "./harness.ts";

describe("a gate", () => {
  const asked = blueprint([gate("ask"), plain("ship")], [{ from: "ask", to: "ship", when: "success" }]);
  const ask: Act = async (context) => {
    context.report({ kind: "gate_opened", mode: "approval", prompt: "ship?", digest: "d1" });
    const question = { run: context.run, node: "ask", mode: "approval", prompt: "ship?", evidence: [] } as const;
    const answer = await context.can.gates.ask({ ...question, options: [], fields: {} }, context.signal);
    if (answer.kind !== "approved") return { outcome: "error", reason: { code: "no_terminal", text: answer.kind } };
    context.report({ kind: "gate_answered", by: answer.by, digest: "d1", answer: true });
    return success;
  };
  const never = { ask: () => new Promise<never>(() => undefined) };
  const answer = { type: "gate.answered", node: "ask", pass: 1, attempt: 1, by: "Ada", answer: true } as const;

  test("is answered from another process, once; a wrong digest is turned away", async () => {
    const served = new World({ can: { gates: never } });
    const engine = served.engine({ ask, ship: () => success });
    const { end, run } = handle(await engine.start(request(asked), served.observer));
    const other = served.journal(2);
    await until(() => other.find(run)?.status === "waiting");
    await other.post(run, { ...answer, digest: "of something else" });
    await other.post(run, { ...answer, digest: "d1" });
    await other.post(run, { ...answer, digest: "d1", by: "Bob" });
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(bodies(served.seen, "gate.answered")).toMatchObject([{ by: "Ada", answer: true }]);
    expect(bodies(served.seen, "gate.opened")).toHaveLength(1);
    await served.remove();
  });

  test("is answered in the journal by when it is recorded", async () => {
    const world = new World({ can: { gates: never } });
    const other = world.journal(2);
    const found: string[] = [];
    const told: Act = async (context) => {
      context.report({ kind: "gate_opened", mode: "approval", prompt: "ship?", digest: "d1" });
      context.report({ kind: "gate_answered", by: "Ada", digest: "d1", answer: true });
      await context.recorded();
      found.push(...[...other.read(context.run)].map(({ body }) => body.type));
      return success;
    };
    const { end } = await world.start(request(asked), { ask: told, ship: () => success });
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(found.slice(-2)).toEqual(["gate.opened", "gate.answered"]);
    await world.remove();
  });

  test("that nobody answers lets its run be parked, and what comes then is kept for whoever goes on with it", async () => {
    const parking = new World({ can: { gates: never } });
    const acts = { ask, ship: () => success };
    const first = await parking.start(request(asked), acts, 1);
    await until(() => kinds(parking.seen).includes("gate.opened ask"));
    await until(() => first.leave("park"));
    expect(await first.end).toMatchObject({ status: "waiting" });
    first.deliver({ ...answer, digest: "d1", by: "Bob" });
    await parking.journal(3).post(first.run, { ...answer, digest: "d1", id: "hers" });
    parking.kill(1);
    const second = await parking.resume(again(first.run, { blueprint: asked }), acts, 2);
    expect(await second.end).toMatchObject({ status: "succeeded" });
    expect(bodies(parking.seen, "gate.answered")).toMatchObject([{ by: "Ada", id: "hers" }]);
    await parking.remove();
  });

  test("that is being answered does not let its run be parked", async () => {
    const parking = new World({ can: { gates: never } });
    const running = await parking.start(request(asked), { ask, ship: () => success });
    await until(() => kinds(parking.seen).includes("gate.opened ask"));
    running.deliver({ ...answer, digest: "d1" });
    expect(running.leave("park")).toBe(false);
    expect(await running.end).toMatchObject({ status: "succeeded" });
    await parking.remove();
  });

  test("that was answered before the crash is not asked again", async () => {
    const crashing = new World({ can: { gates: never } });
    const stuck: Act = async (context) => {
      await ask(context);
      return new Promise<NodeResult>(() => undefined);
    };
    const first = await crashing.start(request(asked), { ask: stuck, ship: () => success }, 1);
    await until(() => kinds(crashing.seen).includes("gate.opened ask"));
    first.deliver({ ...answer, digest: "d1" });
    await until(() => kinds(crashing.seen).includes("gate.answered ask"));
    crashing.kill(1);
    crashing.seen.length = 0;
    const engine = crashing.engine({ ask, ship: () => success }, 2);
    const resumed = handle(await engine.resume(again(first.run, { blueprint: asked }), crashing.observer));
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(bodies(crashing.seen, "gate.answered")).toEqual([]);
    await crashing.remove();
  });

  test("that nobody had answered is asked again", async () => {
    const crashing = new World({ can: { gates: never } });
    const first = await crashing.start(request(asked), { ask, ship: () => success }, 1);
    await until(() => kinds(crashing.seen).includes("gate.opened ask"));
    crashing.kill(1);
    const engine = crashing.engine({ ask, ship: () => success }, 2);
    const resumed = handle(await engine.resume(again(first.run, { blueprint: asked }), crashing.observer));
    await until(() => bodies(crashing.seen, "gate.opened").length === 2);
    resumed.deliver({ ...answer, attempt: 2, digest: "d1" });
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    await crashing.remove();
  });

  test("is answered by what was posted while nobody executed its run", async () => {
    const crashing = new World({ can: { gates: never } });
    const acts = { ask, ship: () => success };
    const first = await crashing.start(request(asked), acts, 1);
    await until(() => kinds(crashing.seen).includes("gate.opened ask"));
    crashing.kill(1);
    const other = crashing.journal(3);
    await other.post(first.run, { ...answer, digest: "of something else" });
    await other.post(first.run, { ...answer, digest: "d1" });
    const resumed = await crashing.resume(again(first.run, { blueprint: asked }), acts, 2);
    expect(await resumed.end).toMatchObject({ status: "succeeded" });
    expect(bodies(crashing.seen, "gate.answered")).toMatchObject([{ by: "Ada", digest: "d1" }]);
    await crashing.remove();
  });

  test("that asks something else after the crash takes a new answer, which is recorded and stands after the next one", async () => {
    const crashing = new World({ can: { gates: never } });
    const asking =
      (digest: string, then: () => NodeResult | Promise<NodeResult>): Act =>
      async (context) => {
        context.report({ kind: "gate_opened", mode: "approval", prompt: digest, digest });
        const question = { run: context.run, node: "ask", mode: "approval", prompt: digest, evidence: [] } as const;
        const said = await context.can.gates.ask({ ...question, options: [], fields: {} }, context.signal);
        if (!("by" in said)) return { outcome: "error" };
        context.report({ kind: "gate_answered", by: said.by, digest, answer: true });
        return then();
      };
    const hang = () => new Promise<NodeResult>(() => undefined);
    const answers = () => bodies(crashing.seen, "gate.answered").map(({ by, digest }) => `${by} ${digest}`);
    const go = (digest: string, then: () => NodeResult | Promise<NodeResult>, pid: number) =>
      crashing.engine({ ask: asking(digest, then), ship: () => success }, pid);
    const first = handle(await go("d1", hang, 1).start(request(asked), crashing.observer));
    await until(() => kinds(crashing.seen).includes("gate.opened ask"));
    first.deliver({ ...answer, digest: "d1" });
    await until(() => answers().length === 1);
    crashing.kill(1);
    const second = handle(await go("d2", hang, 2).resume(again(first.run, { blueprint: asked }), crashing.observer));
    await until(() => bodies(crashing.seen, "gate.opened").length === 2);
    await crashing.journal(9).post(first.run, { ...answer, attempt: 2, by: "Bob", digest: "d2" });
    await until(() => answers().length === 2);
    expect(answers()).toEqual(["Ada d1", "Bob d2"]);
    crashing.kill(2);
    const third = handle(
      await go("d2", () => success, 3).resume(again(second.run, { blueprint: asked }), crashing.observer),
    );
    expect(await third.end).toMatchObject({ status: "succeeded" });
    expect(answers()).toHaveLength(2);
    await crashing.remove();
  });

  test.each(["done", "failed"] as const)(
    "that is to be asked again once a run goes on is not settled as %s",
    async (as) => {
      const served = new World({ can: { gates: never } });
      const nodes = [plain("go"), gate("ask"), plain("ship"), plain("other")];
      const edges = ["go ask", "go other", "ask ship"].map((edge) => edge.split(" "));
      const of = blueprint(
        nodes,
        edges.map(([from = "", to = ""]) => ({ from, to, when: "success" })),
      );
      const acts = { ...served.hangingIn("other"), ask };
      const { run } = await served.start(request(of), acts, 1);
      await until(() => served.calls.includes("other") && kinds(served.seen).includes("gate.opened ask"));
      served.kill(1);
      const parked = await served.resume(again(run, { blueprint: of }), acts, 2);
      expect(await parked.end).toMatchObject({ status: "needs_attention" });
      const settle = { node: "ask", as, by: "Mallory" } as const;
      const decided = await served.engine(acts, 3).resume(again(run, { blueprint: of, settle }), served.observer);
      expect(decided).toMatchObject({
        message: `node ask of run ${run} has nothing to settle`,
        hint: "what waits for a decision is other",
      });
      await served.remove();
    },
  );

  test("turns away what is no decision of its kind and whoever may not decide, and stays open", async () => {
    const served = new World({ can: { gates: never } });
    const nodes = [gate("ask", { approvers: ["Ada"] }), plain("ship")];
    const guarded = blueprint(nodes, [{ from: "ask", to: "ship", when: "success" }]);
    const started = await served.engine({ ask, ship: () => success }).start(request(guarded), served.observer);
    const running = handle(started);
    await until(() => kinds(served.seen).includes("gate.opened ask"));
    running.deliver({ ...answer, digest: "d1", answer: "no" });
    running.deliver({ ...answer, digest: "d1", by: "Mallory" });
    const other = served.journal(2);
    await other.post(running.run, { ...answer, digest: "d1", answer: "no" });
    await other.post(running.run, { ...answer, digest: "d1", by: "Mallory" });
    await other.post(running.run, { ...answer, digest: "d1" });
    expect(await running.end).toMatchObject({ status: "succeeded" });
    expect(bodies(served.seen, "gate.answered")).toMatchObject([{ by: "Ada", answer: true }]);
    await served.remove();
  });

  test("is not answered by what came late to an earlier pass, though it asks the same", async () => {
    const served = new World({ can: { gates: never } });
    const loop = blueprint(
      [gate("ask"), plain("ship")],
      [
        { from: "ask", to: "ship", when: "success" },
        { from: "ship", to: "ask", when: "failure" },
      ],
    );
    const ship: Act = ({ attempt }) => {
      if (attempt.pass > 1) return success;
      running.deliver({ ...answer, digest: "d1", by: "Bob" });
      return { outcome: "failure" };
    };
    const running = await served.start(request(loop), { ask, ship });
    await until(() => bodies(served.seen, "gate.opened").length === 1);
    running.deliver({ ...answer, digest: "d1" });
    await until(() => bodies(served.seen, "gate.opened").length === 2);
    running.deliver({ ...answer, digest: "d1", pass: 2, by: "Cyd" });
    expect(await running.end).toMatchObject({ status: "succeeded" });
    expect(bodies(served.seen, "gate.answered")).toMatchObject([
      { by: "Ada", pass: 1 },
      { by: "Cyd", pass: 2 },
    ]);
    await served.remove();
  });
});
