import { describe, expect, test } from "vitest";
import type { Edge } from "../../src/model/edge.ts";
import type { Node, WaitNode } from "../../src/model/node.ts";
import { createWaitPerformer } from "../../src/nodes/wait.ts";
import type { ActionContext } from "../../src/ports/performer.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { blueprint, gate, plain } from "./blueprints.ts";
import { bodies, handle, request, success, until, World, type Act } from "./harness.ts";
import { callees, calling } from "./inside.ts";

const asking = gate("ask");
const nobody = {
  ask: (_: unknown, signal: AbortSignal) =>
    new Promise<{ kind: "nobody" }>((resolve) => signal.addEventListener("abort", () => resolve({ kind: "nobody" }))),
};
const ask: Act = async (context) => {
  const question = { mode: "approval", prompt: "ship?" } as const;
  context.report({ kind: "gate_opened", ...question, digest: "d" });
  const { run, signal, can } = context;
  await can.gates.ask({ run, node: "ask", ...question, evidence: [], options: [], fields: {} }, signal);
  return { outcome: "cancelled", reason: { code: "cancelled", text: "stopped" } };
};
const acts: Readonly<Record<string, Act>> = { "*": () => success, ask };

describe("a wait inside a call", () => {
  const pause: WaitNode = { id: "pause", type: "wait", forMs: 600_000 };
  const waiting = (clock: ManualClock): Readonly<Record<string, Act>> => ({
    ...acts,
    pause: (context) => createWaitPerformer(clock).perform(narrowed(context)),
  });
  // Of "pause" only.
  const narrowed = (context: ActionContext): ActionContext<WaitNode> => context as ActionContext<WaitNode>;
  const timed = (nodes: readonly Node[], edges: readonly Edge[]) => ({
    of: { ...blueprint([calling("sub", "timed")], []), limits: { timeMs: 60_000 } },
    more: { callees: callees({ timed: { ...blueprint(nodes, edges), name: "timed" } }) },
  });

  test("is no time of the run around it, which reads running and is not parked", async () => {
    const clock = new ManualClock(1_000);
    const slow = new World({ clock, can: { gates: nobody } });
    const { of, more } = timed([plain("x"), pause], [{ from: "x", to: "pause" }]);
    const journal = slow.journal();
    const running = await slow.start(request(of, more), waiting(clock), 1, journal);
    await until(() => bodies(slow.seen, "node.waiting").length > 0);
    expect(journal.find(running.run)?.status).toBe("running");
    expect(running.leave("park")).toBe(false);
    clock.advance(600_000);
    expect(await running.end).toMatchObject({ status: "succeeded" });
    expect(bodies(slow.seen, "node.waiting")).toMatchObject([
      { node: "sub", waits: true, time: true },
      { node: "sub", waits: false },
    ]);
    await slow.remove();
  });

  test("beside a question is a time first, and once it is over a question only", async () => {
    const clock = new ManualClock(1_000);
    const slow = new World({ clock, can: { gates: nobody } });
    const { of, more } = timed(
      [plain("x"), pause, asking],
      [
        { from: "x", to: "pause" },
        { from: "x", to: "ask" },
      ],
    );
    const journal = slow.journal();
    const running = await slow.start(request(of, more), waiting(clock), 1, journal);
    await until(() => bodies(slow.seen, "node.waiting").length > 0);
    clock.advance(600_000);
    await until(() => journal.find(running.run)?.status === "waiting");
    clock.advance(600_000);
    expect(running.leave("park")).toBe(true);
    expect(bodies(slow.seen, "node.waiting").map(({ waits, time }) => [waits, time])).toEqual([
      [true, true],
      [true, undefined],
    ]);
    await slow.remove();
  });
});

test("a run that is about to try again is not parked beside a question", async () => {
  const clock = new ManualClock(1_000);
  const patient = new World({ clock, can: { gates: nobody } });
  let tries = 0;
  const b: Act = () => {
    tries += 1;
    return tries > 1 ? success : { outcome: "error", beforeEffect: true, reason: { code: "overloaded", text: "busy" } };
  };
  const of = blueprint(
    [plain("x"), asking, plain("b", { retry: 1 })],
    [
      { from: "x", to: "ask" },
      { from: "x", to: "b" },
    ],
  );
  const journal = patient.journal();
  const engine = patient.engine({ ...acts, b }, 1, journal);
  const running = handle(await engine.start(request(of), patient.observer));
  await until(() => bodies(patient.seen, "node.retrying").length > 0);
  await until(() => bodies(patient.seen, "gate.opened").length > 0);
  expect(journal.find(running.run)?.status).toBe("running");
  await new Promise(setImmediate);
  expect(running.leave("park")).toBe(false);
  await until(
    () => tries > 1,
    () => clock.advance(50),
  );
  await until(() => journal.find(running.run)?.status === "waiting");
  await until(() => running.leave("park"));
  await patient.remove();
});
