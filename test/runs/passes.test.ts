import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentic, blueprint, plain } from "./blueprints.ts";
import { bodies, handle, kinds, request, success, World } from "./harness.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("passes", () => {
  const loop = blueprint(
    [agentic("fix", { cap: 3 }), plain("check")],
    [
      { from: "fix", to: "check" },
      { from: "check", to: "fix", when: "failure" },
      { from: "check", to: "END", when: "success" },
    ],
  );

  test("of one task are counted over engines that run at the same time: the cap holds, each pass is charged once", async () => {
    let fixes = 0;
    const acts = {
      fix: () => {
        fixes += 1;
        return success;
      },
      check: () => ({ outcome: "failure" }) as const,
    };
    const [one, two] = [world.engine(acts, 1), world.engine(acts, 2)];
    const shared = (n: number) => request(loop, { taskId: "t", cwd: n === 1 ? world.home : "/" });
    const runs = await Promise.all([one.start(shared(1), world.observer), two.start(shared(2), world.observer)]);
    const ends = await Promise.all(runs.map((run) => handle(run).end));
    expect(ends.map(({ status }) => status)).toEqual(["escalated", "escalated"]);
    expect(fixes).toBe(3);
    expect(
      bodies(world.seen, "node.started")
        .flatMap(({ charged }) => charged?.passes ?? [])
        .sort((a, b) => a - b),
    ).toEqual([1, 2, 3]);
    expect(world.journal(3).passes("t", "test")).toEqual({ fix: 3 });
  });

  test("that are used up refuse the next run of the task before its agent starts", async () => {
    const acts = { fix: () => success, check: () => ({ outcome: "failure" }) as const };
    await world.toEnd(request(loop, { taskId: "t" }), acts);
    world.seen.length = 0;
    const again = await world.start(request(loop, { taskId: "t" }), acts, 2);
    expect(await again.end).toMatchObject({ status: "escalated" });
    expect(kinds(world.seen)).not.toContain("node.started fix");
  });
});
