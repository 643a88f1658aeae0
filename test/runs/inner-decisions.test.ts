import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentic, blueprint, chainOf, plain } from "./blueprints.ts";
import { again, bodies, handle, journalWith, request, success, until, World, type Act } from "./harness.ts";
import type { Journal } from "../../src/ports/journal.ts";
import type { Settlement } from "../../src/runtime/api.ts";
import { callees, calling, runsInside } from "./inside.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("decisions about a node inside", () => {
  const checked = {
    ...blueprint(
      [plain("check"), agentic("fix", { cap: 1 })],
      [
        { from: "check", to: "fix", when: "failure" },
        { from: "fix", to: "check" },
      ],
    ),
    name: "checked",
  };
  const more = { callees: callees({ checked }) };
  const of = blueprint([calling("sub", "checked")], []);
  let isMended = false;
  const acts: Readonly<Record<string, Act>> = {
    fix: () => success,
    check: () => (isMended ? success : { outcome: "failure", reason: { code: "exit", text: "exit 1" } }),
  };
  beforeEach(() => {
    isMended = false;
  });
  const decided = (node: string) => ({ node, as: "done", by: "Ada" }) as const;

  test.each(["sub/check", "sub/nothing", "sub[0]/fix", "sub/fix/deeper"])(
    "that do not fit what waits, as about %s, are refused and leave the way open",
    async (path) => {
      const engine = world.engine(acts);
      const { run, end } = handle(await engine.start(request(of, more), world.observer));
      expect(await end).toMatchObject({ status: "escalated" });
      const resume = (node: string) =>
        engine.resume(again(run, { blueprint: of, ...more, settle: decided(node) }), world.observer);
      expect(await resume(path)).toMatchObject({ refused: "bad_input", message: expect.stringContaining(path) });
      isMended = true;
      expect(await handle(await resume("sub/fix")).end).toMatchObject({ status: "succeeded" });
    },
  );

  test.each([
    ["in a call", of, "sub/fix"],
    ["in the run itself", checked, "fix"],
  ])("can be taken again and again while they do not help, %s", async (_where, top, path) => {
    const engine = world.engine(acts);
    const { run, end } = handle(await engine.start(request(top, more), world.observer));
    await end;
    const resume = () => engine.resume(again(run, { blueprint: top, ...more, settle: decided(path) }), world.observer);
    for (let time = 0; time < 3; time += 1)
      expect(await handle(await resume()).end).toMatchObject({ status: "escalated" });
    isMended = true;
    expect(await handle(await resume()).end).toMatchObject({ status: "succeeded" });
  });

  test("is taken right after a crash, before the run was resumed", async () => {
    const callee = { ...chainOf(["x", "y"]), name: "callee" };
    const top = blueprint([calling("sub", "callee"), plain("z")], [{ from: "sub", to: "z", when: "success" }]);
    const inside = { callees: callees({ callee }) };
    const first = await world.start(request(top, inside), world.hangingIn("x"), 1);
    await until(() => world.calls.includes("x"));
    world.kill(1);
    const resume = again(first.run, { blueprint: top, ...inside, settle: decided("sub/x") });
    const settled = await world.resume(resume, world.hangingIn(), 2);
    expect(await settled.end).toMatchObject({ status: "succeeded" });
    expect(world.calls).toEqual(["x", "y", "z"]);
  });

  test("is not made up for where the run inside could not take it: the next one is a decision of its own", async () => {
    const journal = world.journal();
    let refuses = false;
    const takeOver: Journal["takeOver"] = (run, ...more) =>
      refuses && journal.find(run)?.parent !== undefined
        ? Promise.resolve({ conflict: "taken", what: "another was faster" })
        : journal.takeOver(run, ...more);
    const engine = world.engine(acts, 1, journalWith(journal, { takeOver }));
    const { run, end } = handle(await engine.start(request(of, more), world.observer));
    await end;
    const resume = (settle: Settlement) =>
      engine.resume(again(run, { blueprint: of, ...more, settle }), world.observer);
    refuses = true;
    const granted = { node: "sub/fix", as: "again", grant: 1, by: "Ada" } as const;
    expect(await handle(await resume(granted)).end).toMatchObject({ status: "escalated" });
    refuses = false;
    isMended = true;
    expect(await handle(await resume(decided("sub/fix"))).end).toMatchObject({ status: "succeeded" });
    const [inner] = runsInside(journal, run);
    expect(bodies(journal.read(inner?.run ?? ""), "node.settled")).toMatchObject([{ as: "done", by: "Ada" }]);
  });
});
