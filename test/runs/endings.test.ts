import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limits } from "../../src/model/limits.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { blueprint, chainOf, plain, three } from "./blueprints.ts";
import { again, bodies, handle, kinds, request, success, until, World } from "./harness.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("whatever a performer does, its attempt ends", () => {
  test("a throw is an internal error, and the run comes to its end", async () => {
    const engine = world.engine({
      a: () => {
        throw new Error("a bug");
      },
      b: () => success,
    });
    const { end } = handle(await engine.start(request(chainOf(["a", "b"])), world.observer));
    expect(await end).toMatchObject({ status: "failed" });
    expect(bodies(world.seen, "node.ended")).toMatchObject([
      { node: "a", result: { outcome: "error", reason: { code: "internal", text: expect.stringContaining("a bug") } } },
    ]);
  });

  test("an answer that is none is an internal error", async () => {
    // What a plug-in in JavaScript can do whatever the types say.
    const engine = world.engine({ a: () => ({ outcome: "splendid" }) as unknown as typeof success });
    await handle(await engine.start(request(chainOf(["a"])), world.observer)).end;
    expect(bodies(world.seen, "node.ended")).toMatchObject([{ result: { reason: { code: "internal" } } }]);
  });

  test("a value larger than a record may be is a failure that says so", async () => {
    const engine = world.engine({ a: () => ({ ...success, value: "x".repeat(limits.eventBytes) }) });
    await handle(await engine.start(request(chainOf(["a"])), world.observer)).end;
    expect(bodies(world.seen, "node.ended")).toMatchObject([
      { result: { outcome: "failure", reason: { code: "output_invalid" } } },
    ]);
  });

  test("an agent event larger than a record may be is cut", async () => {
    const text = "x".repeat(limits.eventBytes);
    const engine = world.engine({
      a: (context) => {
        context.report({ kind: "agent", event: { type: "text", text } });
        return success;
      },
    });
    await handle(await engine.start(request(chainOf(["a"])), world.observer)).end;
    const [{ event } = { event: null }] = bodies(world.seen, "agent.progressed");
    expect(JSON.stringify(event).length).toBeLessThan(limits.previewBytes * 2);
  });

  test("a hang is cut off after its timeout", async () => {
    const clock = new ManualClock(1_000);
    const [impatient, deaf] = [new World({ clock }), new World({ clock })];
    const never = new Promise<never>(() => undefined);
    const listens = impatient.engine({
      a: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }))),
    });
    const ignores = deaf.engine({ a: () => never });
    const slow = chainOf(["a"], { timeoutMs: 1_000 });
    const runs = [
      handle(await listens.start(request(slow), impatient.observer)),
      handle(await ignores.start(request(slow), deaf.observer)),
    ];
    let over = 0;
    for (const { end } of runs) void end.then(() => (over += 1));
    await until(
      () => over === 2,
      () => clock.advance(1_000),
    );
    expect(bodies(impatient.seen, "node.ended")).toMatchObject([
      { result: { outcome: "failure", reason: { code: "timeout" } } },
    ]);
    expect(bodies(deaf.seen, "node.unconfirmed")).toMatchObject([{ reason: { code: "left_behind" } }]);
    await Promise.all([impatient.remove(), deaf.remove()]);
  });

  test("an answer after its end changes nothing", async () => {
    const clock = new ManualClock(1_000);
    const patient = new World({ clock });
    let late: ((result: typeof success) => void) | undefined;
    const engine = patient.engine({
      start: () => success,
      a: () => new Promise((resolve) => (late = resolve)),
      b: () => new Promise(() => undefined),
    });
    const both = blueprint(
      [plain("start"), plain("a", { timeoutMs: 1_000 }), plain("b")],
      [
        { from: "start", to: "a" },
        { from: "start", to: "b" },
      ],
    );
    const run = handle(await engine.start(request(both), patient.observer));
    await until(
      () => bodies(patient.seen, "node.unconfirmed").length === 1,
      () => clock.advance(1_000),
    );
    late?.(success);
    run.stop("test");
    await until(
      () => kinds(patient.seen).includes("run.finished"),
      () => clock.advance(1_000),
    );
    expect(bodies(patient.seen, "node.ended").map(({ node }) => node)).toEqual(["start"]);
    expect(bodies(patient.seen, "node.unconfirmed").map(({ node }) => node)).toEqual(["a", "b"]);
    expect(bodies(patient.seen, "run.finished")).toMatchObject([{ status: "stopped" }]);
    await patient.remove();
  });
});

test("a run whose boxes cannot be ended is let go of all the same, and keeps no secret", async () => {
  const failing = new World({ closed: () => Promise.reject(new Error("the box stays")) });
  const engine = failing.engine({ "*": () => success });
  const type = { kind: "string" } as const;
  const of = { ...three, inputs: { token: { type, sensitive: true } } };
  const ran = handle(await engine.start(request(of, { inputs: { token: "canary-5d1" } }), failing.observer));
  await expect(ran.end).rejects.toThrow("the box stays");
  expect(readdirSync(join(failing.home, "secrets"))).toEqual([]);
  expect(await engine.resume(again(ran.run), failing.observer)).toMatchObject({ refused: "finished" });
  await failing.remove();
});
