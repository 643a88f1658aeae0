import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../src/ports/journal.ts";
import { ManualClock } from "../../src/runtime/time/clock.ts";
import { blueprint, chainOf, plain } from "./blueprints.ts";
import { handle, kinds, processOf, request, success, until, World } from "./harness.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

describe("claim, perform, record", () => {
  test("a node is performed only when its claim is on disk, and told of only when its outcome is", async () => {
    const disk = world.journal(9);
    const claimed: string[][] = [];
    const engine = world.engine({
      "*": ({ run }) => {
        claimed.push(kinds(disk.read(run)).slice(-2));
        return success;
      },
    });
    const toldEarly: number[] = [];
    const observer = {
      ...world.observer,
      event: (event: (typeof world.seen)[number]) => {
        if (![...disk.read(event.run)].some((stored) => stored.seq === event.seq)) toldEarly.push(event.seq);
        world.seen.push(event);
      },
    };
    const { end, run } = handle(await engine.start(request(chainOf(["a", "b"])), observer));
    expect(await end).toEqual({ run, status: "succeeded", reason: null });
    expect(claimed).toEqual([
      ["passes.synced", "node.started a"],
      ["node.ended a", "node.started b"],
    ]);
    expect(toldEarly).toEqual([]);
    expect(world.seen).toEqual([...disk.read(run)]);
  });

  test("a sequential node costs one commit: its outcome and the next claim", async () => {
    const journal = world.journal();
    const watcher = new DatabaseSync(join(world.home, "trammel.db"));
    const version = watcher.prepare("PRAGMA data_version");
    const before = Number(version.get()?.["data_version"]);
    let commits = 0;
    let last = before;
    const look = (): void => {
      const now = Number(version.get()?.["data_version"]);
      if (now !== last) commits += 1;
      last = now;
    };
    const act = () => {
      look();
      return success;
    };
    const engine = world.engine({ "*": act }, 1, journal);
    await handle(await engine.start(request(chainOf(["a", "b", "c", "d", "e"])), world.observer)).end;
    look();
    watcher.close();
    // One that opens the run with the first claim, one a node, and no more rows than those commits hold.
    expect(commits).toBe(6);
    expect(world.seen.map(({ at }) => at)).toHaveLength(2 + 5 * 2 + 1);
  });

  test("nodes that are due together run together", async () => {
    let running = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const wait = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => release.push(resolve));
      running -= 1;
      return success;
    };
    const fan = blueprint(
      [plain("start"), plain("a"), plain("b"), plain("c")],
      ["a", "b", "c"].map((to) => ({ from: "start", to })),
    );
    const engine = world.engine({ start: () => success, "*": wait });
    const { end } = handle(await engine.start(request(fan), world.observer));
    await until(() => release.length === 3);
    release.forEach((go) => go());
    expect(await end).toMatchObject({ status: "succeeded" });
    expect(most).toBe(3);
  });

  test("telemetry of an attempt stands before its outcome, and live progress is told at once", async () => {
    const event = { type: "text", text: "hm" } as const;
    const lines: unknown[] = [];
    const engine = world.engine({
      a: (context) => {
        context.report({ kind: "line", stream: "stdout", text: "working" });
        context.report({ kind: "process", process: processOf(77) });
        context.report({ kind: "agent", event });
        return success;
      },
    });
    const observer = { ...world.observer, progress: (...told: unknown[]) => void lines.push(told) };
    await handle(await engine.start(request(chainOf(["a"])), observer)).end;
    expect(kinds(world.seen).slice(2)).toEqual([
      "node.started a",
      "node.process a",
      "agent.progressed a",
      "node.ended a",
      "run.finished",
    ]);
    expect(lines).toHaveLength(3);
  });
});

test("a store that fails in the middle ends the run with what is wrong, and performs nothing that it could not promise", async () => {
  const clock = new ManualClock(1_000);
  const failing = new World({ clock });
  const holder = new DatabaseSync(join(failing.home, "trammel.db"));
  const performed: string[] = [];
  const engine = failing.engine({
    "*": ({ node }) => {
      performed.push(node.id);
      if (node.id === "b") holder.exec("BEGIN IMMEDIATE");
      return success;
    },
  });
  const { end } = handle(await engine.start(request(chainOf(["a", "b", "c"])), failing.observer));
  let error: unknown;
  void end.catch((reason: unknown) => (error = reason));
  await until(
    () => error !== undefined,
    () => clock.advance(100),
  );
  expect(error).toBeInstanceOf(StoreUnavailable);
  expect(performed).toEqual(["a", "b"]);
  expect(kinds(failing.seen).at(-1)).toBe("node.started b");
  holder.close();
  await failing.remove();
});
